# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What all impact limits of several contacts share: who arrives, and how fast."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_qp.limits import Contact, Limit
from impact_qp.limits.contact import NO_BOUND
from impact_qp.whole_body.arrival import Arrival
from impact_robots import PointState, Robot


class ArrivalsLimit(Limit):
    r"""Base of the impact limits of several contacts: the preview of their approach speeds.

    :math:`s_a = -n_a^T(J_a(\dot q + \ddot q T_p) + \dot J_a\dot q T_p)`, see doc/theory.md.
    """

    yields = True

    def __init__(self, robot: Robot, *, preview: float, margin: float) -> None:
        """Create the limit with T_p [s] and the share of every bound that is kept in reserve."""
        self.robot, self.preview, self.margin = robot, preview, margin
        self.arrivals: tuple[Arrival, ...] = ()  # those now announced; none: no rows
        self.bound = NO_BOUND  # on a common speed, as of the last ``fill``; NaN: not worked out
        self.used = 0  # rows of the last ``fill``, the first ones; the others have no effect

    def approach(
        self, points: Sequence[PointState], contacts: Sequence[Contact]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return gradients (k, nv) and offsets (k,) of the previewed speeds as maps of qddot."""
        T_p, gradients, offsets = self.preview, [], []
        for point, contact in zip(points, contacts, strict=True):
            normal = contact.normal
            gradients.append(normal.dot(point.J[:3]))
            offsets.append(-float(normal.dot(point.twist[:3] + T_p * point.drift[:3])))
        return -T_p * np.array(gradients), np.array(offsets)
