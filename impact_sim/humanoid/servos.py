# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Gains of a humanoid's position servos, by the part of the body that a joint is in."""

from __future__ import annotations

import numpy as np

from impact_robots.robot import Robot
from impact_sim.humanoid.layout import Servos

ARM_PARTS = ("SHOULDER", "ELBOW", "WRIST", "HAND", "NECK")  # in names of joints
LEG_STIFFNESS, ARM_STIFFNESS = 3000.0, 1500.0  # assumed; chest as legs [N.m/rad]
LEG_DAMPING, ARM_DAMPING = 0.03, 0.01  # kd / kp, assumed [s]


def servos_of(robot: Robot) -> Servos:
    """Return the servos of a humanoid's joints: those of its YAML, or the assumed ones.

    Args:
        robot: whose joints' names tell which are in the arms.
    """
    if robot.servo_stiffness is not None and robot.servo_damping is not None:
        return Servos(robot.servo_stiffness, robot.servo_damping)
    in_arms = [any(part in name.upper() for part in ARM_PARTS) for name in robot.joint_names]
    stiffness = np.where(in_arms, ARM_STIFFNESS, LEG_STIFFNESS)
    return Servos(stiffness, np.where(in_arms, ARM_DAMPING, LEG_DAMPING) * stiffness)
