# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Motions without an impact along the same path, for learning friction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_qp.references.quintics import Knot, Quintics
from impact_qp.references.spread import SpreadReference


class FreeMotions(NamedTuple):
    """One motion for each of the references; both start at rest at the start of the run-up."""

    ante: Quintics  # the ante-impact reference, continued past the impact, then to rest
    post: Quintics  # a run-up to the post-impact velocity, then that reference


def free_motions(reference: SpreadReference, *, stop: float = 0.3) -> FreeMotions:
    """Return the motion without the object, as ``smooth`` of a continuous plan.

    Feedback of the first up to the nominal time, and of the second from then on, is the input of
    :func:`~impact_qp.spreading.learn_friction` (van Steen et al., appendix).

    Args:
        reference: of the impact.
        stop: stopping time of the first one after the nominal time [s].
    """
    ante, post, T = reference.ante, reference.post, reference.nominal_time
    begin = Knot(ante.start, ante(ante.start).position, *np.zeros((2, ante.size)))
    before, after = ante(T), post(T)
    rest = before.position + before.velocity * stop / 2
    still = np.zeros(ante.size)
    return FreeMotions(
        Quintics([*ante.knots_before(T), Knot(T, *before), Knot(T + stop, rest, still, still)]),
        Quintics([begin, Knot(T, *after), *post.knots_after(T)]),
    )
