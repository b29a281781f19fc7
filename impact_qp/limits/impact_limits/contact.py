# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An announced contact, and its safe speed."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.surface import (
    ANY_STIFFNESS,
    USUAL_FRICTION,
    USUAL_RESTITUTION,
    Coefficient,
    Surface,
)
from impact_robots.validation import finite_array, positive


@dataclass(frozen=True, init=False, eq=False)
class Contact(Surface):
    """A surface to be hit, and the force pulse by which limits rate the impulse."""

    point: np.ndarray  # any point of it, shape (3,) [m]: always known
    peak_factor: float  # a, peak over mean force [-]
    impact_duration: float  # delta_t [s]

    def __init__(
        self,
        point: ArrayLike,
        normal: ArrayLike,
        friction: Coefficient = USUAL_FRICTION,
        restitution: Coefficient = USUAL_RESTITUTION,
        peak_factor: float = 3.0,
        impact_duration: float = 0.018,
        stiffness: Coefficient = ANY_STIFFNESS,
    ) -> None:
        """Check the announced values; surface as of :class:`~impact_robots.Surface`.

        Args:
            point: any point of the surface in base axes, shape (3,) [m].
            normal: outward, in base axes, shape (3,), any length.
            friction: one coefficient, which is then exact, or low, high [-].
            restitution: one coefficient, which is then exact, or low, high [-].
            peak_factor: a, peak over mean force, > 0 [-].
            impact_duration: delta_t, > 0 [s].
            stiffness: of the contact, > 0 [N/m], one number or low, high; high may be infinite.

        Raises:
            OutOfRangeError: a number is out of its range, or an invalid point.
            RobotError: invalid normal.
        """
        super().__init__(
            finite_array(point, (3,), "point"), normal, friction, restitution, stiffness
        )
        object.__setattr__(self, "peak_factor", positive(peak_factor, "peak_factor"))
        object.__setattr__(self, "impact_duration", positive(impact_duration, "impact_duration"))


class SpeedBound(NamedTuple):
    """The highest admissible approach speed at a state and the limit that sets it."""

    speed: float  # [m/s]; negative: the arm must retreat
    name: str


NO_BOUND = SpeedBound(inf, "")
