# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which commands a simulated robot's driver accepts."""

from __future__ import annotations

import numpy as np

from impact_msgs.msg import JointCommand
from impact_robots.robot import Robot
from impact_ros.message_fields import constant
from impact_ros.messages import reorder
from impact_sim.driver.arm_driver import Interface
from impact_sim.exceptions import SimulationError

FAULT = 10.0  # times the robot's limits, beyond which a driver refuses a torque or velocity
FOLLOWING = 1.0  # from the measured position, beyond which it refuses a position [rad]


def checked_command(
    message: JointCommand, robot: Robot, kind: Interface, measured: np.ndarray
) -> np.ndarray:
    """Return a command's values in the robot's joint order, shape (n,).

    Args:
        message: the command.
        robot: of n joints.
        kind: what its driver takes.
        measured: positions that the command answers, shape (n,) [rad].

    Raises:
        ImpactError: not what this robot's driver would accept, nor the plant's integration survive.
    """
    if message.interface != constant(JointCommand, "INTERFACE", kind.value):
        raise SimulationError(f"command: expected the {kind.value} interface")
    names, count = message.joint_names, len(message.values)
    if not len(names) == count == robot.dof:
        raise SimulationError(
            f"command: expected {robot.dof} names and values, got {len(names)} and {count}"
        )
    values = np.array(message.values)[reorder(names, robot.joint_names)]
    if not np.all(np.isfinite(values)):
        raise SimulationError(f"command: expected finite numbers, got {values.tolist()}")
    _check_size(values, robot, kind, measured)
    return values


def _check_size(values: np.ndarray, robot: Robot, kind: Interface, measured: np.ndarray) -> None:
    """Refuse what is far beyond the robot's limits, or from where the robot is.

    Raises:
        SimulationError: it is.
    """
    limits = robot.limits
    if kind is Interface.POSITION:
        far, largest = np.abs(values - measured), np.full(len(values), FOLLOWING)
    else:
        limit = limits.torque if kind is Interface.TORQUE else limits.velocity
        far, largest = np.abs(values), FAULT * limit
    if np.any(far > largest):
        joint = int(np.argmax(far / largest))
        raise SimulationError(
            f"command: {kind.value} of {robot.joint_names[joint]}: expected at most"
            f" {largest[joint]:g}{' from the arm' if kind is Interface.POSITION else ''},"
            f" got {far[joint]:g}"
        )
