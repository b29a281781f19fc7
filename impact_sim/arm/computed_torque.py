# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Computed torque: tracks a motion with the robot's model alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot

STIFFNESS = 400.0  # of the error's dynamics: 20 rad/s, critically damped [1/s^2]
DAMPING = 40.0  # [1/s]


@dataclass(frozen=True)
class TorqueCommand:
    """Command of one cycle; arrays of shape (n,)."""

    driver_torque: np.ndarray  # without gravity if the driver adds it [N.m]
    velocity: np.ndarray  # desired [rad/s]
    reference_torque: np.ndarray  # M qddot + h: expected reading of the joint sensors [N.m]


class ComputedTorque:
    """Commands the acceleration of a motion plus feedback of the tracking error."""

    def __init__(self, robot: Robot) -> None:
        """Prepare the model."""
        self._robot, self._dynamics = robot, ArmDynamics(robot)

    def __call__(
        self,
        q: np.ndarray,
        dq: np.ndarray,
        wanted: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> TorqueCommand:
        """Return the command for one measured state.

        Args:
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            wanted: positions, velocities and accelerations, each (n,) [rad, rad/s, rad/s^2].
        """
        robot, state = self._robot, self._dynamics(q, dq)
        ddq = wanted[2] + DAMPING * (wanted[1] - dq) + STIFFNESS * (wanted[0] - q)
        reference = state.M @ ddq + state.h
        torque = reference + robot.apparent_motor_inertia * ddq
        torque = np.clip(torque, -robot.limits.torque, robot.limits.torque)
        compensated = state.g if robot.driver_compensates_gravity else 0.0
        return TorqueCommand(torque - compensated, wanted[1], reference)
