# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Collision thresholds: limits of external torques and forces where the arm stops itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

# Of the manufacturer's example programs; any substantial hit exceeds them.
LOW_TORQUE = (20.0, 20.0, 18.0, 18.0, 16.0, 14.0, 12.0)  # [N.m]
LOW_FORCE = (20.0, 20.0, 20.0, 25.0, 25.0, 25.0)  # [N], [N.m]
# Of franka_ros2's example controllers, the highest that may stay in force: doc/robot.md.
STANDING_TORQUE = (35.0, 35.0, 32.0, 30.0, 29.0, 27.0, 24.0)  # [N.m]
STANDING_FORCE = (40.0, 40.0, 40.0, 35.0, 35.0, 35.0)  # [N], [N.m]
HIGHEST_TORQUE = (87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0)  # limits of the joints [N.m]
HIGHEST_FORCE = (250.0, 250.0, 250.0, 80.0, 80.0, 80.0)  # assumed [N], [N.m]
OBSERVER_GAIN = 100.0  # of the arm's external torque; its maker publishes none: assumed [1/s]


@dataclass(frozen=True, init=False, eq=False)
class CollisionBehavior:
    """Thresholds of observed external torques and forces; above them the arm stops itself."""

    torque: np.ndarray  # of the joints, shape (7,) [N.m]
    force: np.ndarray  # and moment, shape (6,) [N], [N.m]

    def __init__(self, torque: ArrayLike, force: ArrayLike) -> None:
        """Keep copies; torque of shape (7,), force of shape (6,)."""
        for name, values in (("torque", torque), ("force", force)):
            array = np.array(values, dtype=float)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def low(cls) -> CollisionBehavior:
        """Return the thresholds of the manufacturer's example programs."""
        return cls(LOW_TORQUE, LOW_FORCE)

    def raised(
        self, need: CollisionBehavior, reserve: float, highest: CollisionBehavior
    ) -> CollisionBehavior:
        """Return thresholds above the required values, and at least as high as these.

        Args:
            need: predicted observation of the arm.
            reserve: fraction added to it [-].
            highest: upper bounds of raised thresholds.
        """
        pairs = [
            (self.torque, need.torque, highest.torque),
            (self.force, need.force, highest.force),
        ]
        most = [np.maximum(low, np.minimum((1.0 + reserve) * n, top)) for low, n, top in pairs]
        return CollisionBehavior(*most)

    def is_above(self, other: CollisionBehavior) -> bool:
        """Return whether any threshold is higher than another behaviour's."""
        higher = (self.torque > other.torque).any() or (self.force > other.force).any()
        return bool(higher)

    def __str__(self) -> str:
        """Return both in one line."""
        torque, force = (
            "[" + ", ".join(f"{value:.0f}" for value in values) + "]"
            for values in (self.torque, self.force)
        )
        return f"{torque} N.m and {force} N, N.m"
