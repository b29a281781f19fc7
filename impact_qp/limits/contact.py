# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An announced contact, and the speed that is safe for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from impact_robots.contact_frame import contact_rotation
from impact_robots.validation import friction_coefficient, restitution_range


@dataclass(frozen=True)
class Contact:
    """An announced contact: where the surface is and what is known of it; base axes."""

    point: np.ndarray  # any point of the surface, shape (3,) [m]
    normal: np.ndarray  # outward, towards the robot, shape (3,)
    friction: float
    restitution: tuple[float, float]
    peak_factor: float = 3.0  # a, peak over mean force
    impact_duration: float = 0.018  # delta_t [s]
    rotation: np.ndarray = field(init=False)  # from contact axes to base axes, shape (3, 3)

    def __post_init__(self) -> None:
        """Work out the contact axes, z the unit normal.

        Raises:
            RobotError: the normal is none.
            OutOfRangeError: friction or restitution is out of its range.
        """
        friction_coefficient(self.friction)
        restitution_range(self.restitution)
        object.__setattr__(self, "rotation", contact_rotation(self.normal))

    def gap(self, position: np.ndarray) -> float:
        """Return the distance [m] of a point, base axes, to the surface."""
        return float(self.rotation[:, 2].dot(position - self.point))


class SpeedBound(NamedTuple):
    """The highest admissible approach speed at a state and the limit that sets it."""

    speed: float  # [m/s]; negative: the arm must retreat
    name: str
