# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A fixed bound on the approach speed of a point until its impact."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from impact_qp.limits.limit import NO_EFFECT, Limit
from impact_robots.state.state import RobotState

PREVIEW = 0.02  # T_p [s]


class ApproachCapLimit(Limit):
    r"""One row: :math:`d^T(\dot p + T_p(J\ddot q + \dot J\dot q)) \le v`.

    The previewed approach speed of the other impact limits (doc/theory.md), with a bound computed
    beforehand for the place of the impact.
    """

    names = ("approach speed",)

    def __init__(self, into: ArrayLike, speed: float, *, preview: float = PREVIEW) -> None:
        """Create the limit.

        Args:
            into: d, direction into the surface, base axes, unit, shape (3,).
            speed: v, highest along it [m/s].
            preview: T_p [s].
        """
        from impact_qp.compiled.approach_row import approach_row  # loads slowly

        self._row, self._into = approach_row, np.array(into, dtype=float)
        self._speed, self._preview = speed, preview
        self.active = True  # until the impact

    @property
    def figures(self) -> tuple[np.ndarray, float, float]:
        """Direction, shape (3,), speed [m/s] and preview [s]."""
        return self._into, self._speed, self._preview

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the row."""
        if not self.active:
            G[0], h[0] = 0.0, NO_EFFECT
            return
        point, none = state.at(None), np.zeros(len(state.dq))
        G[0], previewed = self._row(
            self._into, point.J, point.twist, point.drift, self._preview, none
        )
        h[0] = self._speed - previewed
