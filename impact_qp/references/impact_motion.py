# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The usual motion around an impact: a run-up from rest, constant velocity, then to rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_qp.references.quintics import Knot, Quintics
from impact_qp.references.spread import TASK, SpreadReference, couple
from impact_robots.state.state import PointState


class AfterImpact(NamedTuple):
    """Velocity of the post-impact reference."""

    hold: float = 0.1  # duration at constant velocity [s]
    stop: float = 0.7  # stopping time after that [s]
    offset: np.ndarray | None = None  # of the final position, shape (4,) [m; rad]; None: zero


RUN_OUT = AfterImpact()


def impact_motion(
    start: PointState,
    contact: PointState,
    after: np.ndarray,
    nominal_time: float,
    then: AfterImpact = RUN_OUT,
) -> SpreadReference:
    """Return references of a run-up from rest, straight to the contact.

    Args:
        start: of the arm, at rest; its velocity is ignored.
        contact: of the arm right before the nominal impact; its orientation is held throughout.
        after: velocity of [p; xi] right after it, by an impact map, shape (4,) [m/s; rad/s].
        nominal_time: of the impact [s].
        then: motion after the impact.

    Raises:
        OutOfRangeError: a time that is not above 0, or a velocity of the wrong shape.
    """
    knots = _run_up(start, contact, nominal_time)
    return couple(
        knots,
        nominal_time,
        lambda before: after,
        _to_rest(np.asarray(knots[-1].position), after, nominal_time, then),
        rotation=contact.rotation,
    )


def smooth_motion(
    start: PointState,
    contact: PointState,
    nominal_time: float,
    then: AfterImpact = RUN_OUT,
) -> Quintics:
    """Return one motion through the contact, for a controller that ignores impacts.

    Args: as :func:`impact_motion`, with the velocity before the impact for that after it.
    """
    knots = _run_up(start, contact, nominal_time)
    position, velocity = np.asarray(knots[-1].position), np.asarray(knots[-1].velocity)
    return Quintics([*knots, *_to_rest(position, velocity, nominal_time, then)])


def _run_up(start: PointState, contact: PointState, time: float) -> list[Knot]:
    """Return the knots of [p; xi] before the impact."""
    still = np.zeros(TASK)
    begin, end = (np.append(each.position, each.q[0]) for each in (start, contact))
    velocity = np.append(contact.velocity, contact.dq[0])
    return [Knot(0.0, begin, still, still), Knot(time, end, velocity, still)]


def _to_rest(
    position: np.ndarray, velocity: np.ndarray, time: float, then: AfterImpact
) -> Sequence[Knot]:
    """Return the knots of [p; xi] after the impact."""
    still, knots = np.zeros(TASK), []
    if then.hold > 0.0:
        position = position + then.hold * velocity
        knots.append(Knot(time + then.hold, position, velocity, still))
    rest = position + velocity * then.stop / 2
    if then.offset is not None:
        rest = rest + then.offset
    return [*knots, Knot(time + then.hold + then.stop, rest, still, still)]
