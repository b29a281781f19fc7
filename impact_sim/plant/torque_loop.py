# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The inertia-shaping joint torque loop of the arm's own electronics."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from impact_robots.robot import Robot
from impact_sim.plant.step_records import LoopNumbers

PERIOD = 250e-6  # 4 kHz [s]
LOOPS = 4  # periods in a driver's cycle of 1 ms
FILTER_HZ = 300.0  # first-order low-pass on the measured torque [Hz]


class MotorLoop(Protocol):
    """What runs below a driver at 4 kHz and gives the motors their torque."""

    def reset(self, joint_torque: np.ndarray) -> None:
        """Start with sensed joint torques, shape (n,) [N.m]."""

    def update(self, desired: np.ndarray, joint_torque: np.ndarray) -> np.ndarray:
        """Return the motors' torques for the next period, shape (n,) [N.m]."""


class TorqueLoop:
    """Turns a desired torque into the motors' torque so that B_rho appears as B_theta.

    ``tau_act = R u + (1 - R) tau_t`` with ``R = B_rho / B_theta`` and the transmitted torque
    ``tau_t = tau + D K^-1 dtau`` from the low-passed sensor (Rey Arias 2024, eq. 4; van Steen 2025,
    eq. 6).
    """

    def __init__(self, robot: Robot, *, enabled: bool = True) -> None:
        """Create the loop; disabled, the motors follow the desired torque directly."""
        ratio = robot.reflected_motor_inertia / robot.apparent_motor_inertia
        self._ratio = ratio if enabled else np.ones(robot.dof)
        self._damping_time = robot.damping_time
        self._share = 1.0 - float(np.exp(-2.0 * np.pi * FILTER_HZ * PERIOD))
        self._filtered = np.zeros(robot.dof)
        self._numbers = LoopNumbers(
            np.array(self._ratio),
            np.array(self._damping_time),
            self._filtered,
            np.zeros(robot.dof),
            self._share,
            PERIOD,
        )

    def reset(self, joint_torque: np.ndarray) -> None:
        """Start with a filter that has settled at ``joint_torque``, shape (n,) [N.m]."""
        self._filtered[:] = joint_torque

    def update(self, desired: np.ndarray, joint_torque: np.ndarray) -> np.ndarray:
        """Return the motor torque for the next period.

        Args:
            desired: u, gravity included, shape (n,) [N.m].
            joint_torque: sensed tau = K (theta - q), shape (n,) [N.m].
        """
        change = self._share * (joint_torque - self._filtered)
        self._filtered += change
        transmitted = self._filtered + self._damping_time * change / PERIOD
        return self._ratio * desired + (1.0 - self._ratio) * transmitted

    def numbers(self, desired: np.ndarray) -> LoopNumbers:
        """Return the loop for compiled steps, which go on with it; arguments as of ``update``."""
        self._numbers.desired[:] = desired
        return self._numbers
