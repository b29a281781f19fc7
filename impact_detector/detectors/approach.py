# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Approach gate: without an approach to the surface no impact is expected."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_detector.signals.sample import JointSample
from impact_robots import ArmDynamics, Robot, contact_rotation

STILL = 0.005  # speed below which the contact point counts as at rest [m/s]


class ApproachGate:
    """Checks whether the contact point moves against a surface's normal."""

    def __init__(self, robot: Robot, normal: Sequence[float]) -> None:
        """Set up.

        Args:
            robot: the arm.
            normal: outward, towards the robot, in base axes, shape (3,).

        Raises:
            RobotError: the normal is zero or not finite.
        """
        self._dynamics = ArmDynamics(robot)
        self._normal = contact_rotation(normal)[:, 2]

    def __call__(self, sample: JointSample) -> bool:
        """Return whether the point approaches; True for a state that is not finite."""
        if not (np.isfinite(sample.q).all() and np.isfinite(sample.dq).all()):
            return True
        velocity = self._dynamics(sample.q, sample.dq).velocity
        return bool(self._normal @ velocity < -STILL)
