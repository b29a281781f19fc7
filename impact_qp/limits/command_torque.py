# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The commanded torque, including the part of a contact wrench."""

from __future__ import annotations

import numpy as np

from impact_qp.limits.limit import Limit
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState


class CommandTorqueLimit(Limit):
    r"""Bounds on :math:`(M + B_\theta)\ddot q + h - J^T f_c`, f_c a contact's wrench on the arm.

    Van Steen et al. (21) leave the wrench out, though in contact it is part of the torque that a
    motion needs. Where tasks ask for the accelerations of a free arm, with
    :math:`(M + B_\theta)^{-1}J^T f_d` of the force that it shall exert added, the wrench is part of
    :math:`\ddot q` and ``contact_torque`` stays zero.
    """

    def __init__(self, robot: Robot) -> None:
        """Create the limit."""
        from impact_qp.compiled.torque_box import write_torque_rows  # loads slowly

        self._write_rows, self._motor = write_torque_rows, robot.apparent_motor_inertia
        self.box = np.array([-robot.limits.torque, robot.limits.torque])  # shape (2, n) [N.m]
        self.contact_torque = np.zeros(robot.dof)  # J^T f_c [N.m]
        ends = ("upper", "lower")
        self.names = tuple(f"{joint} torque {end}" for end in ends for joint in robot.joint_names)

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write 2 n rows."""
        self._write_rows(state.M, self._motor, state.h - self.contact_torque, self.box, G, h)
