# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Loads that the model does not explain, such as an unannounced payload."""

from __future__ import annotations

import numpy as np

from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot

HEAVIEST = 3.5  # largest payload at the contact point that is compensated [kg]
OTHER = 2.0  # additional torque of each joint that is compensated, as of a lever at the tool [N.m]
GRAVITY = 9.81  # [m/s^2]
LEAST = 0.2  # norm of the torques that noise alone does not reach [N.m]
NAMED, NAMED_FRACTION = (
    0.5,
    0.02,
)  # torques that are reported: above [N.m] and a fraction of the limit


class UnexplainedLoad:
    """Compensates loads that the model does not explain, like gravity.

    Only up to the load of a payload: a person who pushes must not meet the full strength of the
    arm.

    Attributes:
        torque: that is compensated, shape (n,) [N.m].
        opposed: accelerations of the compensated load, shape (n,) [rad/s^2].
        note: the largest torque as text, "" if all are small.
        counts: it is more than noise.
    """

    def __init__(self, robot: Robot) -> None:
        """Set up for a torque-controlled arm."""
        from impact_qp.compiled.loads import borne_load  # loads slowly

        self._borne, self._robot = direct(borne_load), robot
        self._motor = np.asarray(robot.apparent_motor_inertia, float)
        self._named = NAMED + NAMED_FRACTION * robot.limits.torque
        self.torque: np.ndarray
        self.opposed: np.ndarray
        self.note: str
        self.counts: bool
        self.reset()

    def look(self, M: np.ndarray, lift: np.ndarray, unexplained: np.ndarray) -> None:
        """Compute the compensated load.

        Args:
            M: mass matrix, shape (n, n) [kg.m^2].
            lift: vertical row of the contact point's Jacobian, shape (n,) [m].
            unexplained: accelerations that no command explains, shape (n,) [rad/s^2].
        """
        self._before = self.torque, self.opposed, self.note, self.counts
        load = np.empty((3, len(lift)))
        most = HEAVIEST * GRAVITY, OTHER
        joint = self._borne(M, self._motor, lift, unexplained, *most, self._named, load)
        self.torque, self.opposed, torque = load
        self.counts = float(self.torque.dot(self.torque)) > LEAST**2
        self.note = ""
        if joint >= 0:
            self.note = (
                f"{self._robot.joint_names[joint]}: {torque[joint]:.1f} N.m beyond the model"
            )

    def take_back(self) -> None:
        """Return to the load before the last look, which may have seen a contact already."""
        self.torque, self.opposed, self.note, self.counts = self._before

    def reset(self) -> None:
        """Compensate nothing."""
        self.torque = self.opposed = np.zeros(self._robot.dof)
        self.note, self.counts = "", False
        self._before = self.torque, self.opposed, self.note, self.counts
