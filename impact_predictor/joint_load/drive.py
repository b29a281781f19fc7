# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drive of an arm's motors, and whether the loads of its joints can be predicted."""

from __future__ import annotations

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_robots.robot import Robot

MEASURED, IDEAL, SERVO = "measured", "ideal", "servo"
DRIVES = (MEASURED, IDEAL, SERVO)
_OF_JOINTS = ("joint_stiffness", "joint_damping")
_NEEDED = {
    IDEAL: (*_OF_JOINTS, "apparent_motor_inertia"),
    MEASURED: (*_OF_JOINTS, "apparent_motor_inertia", "reflected_motor_inertia"),
    SERVO: (*_OF_JOINTS, "reflected_motor_inertia"),
}


def unknown(robot: Robot, drive: str) -> list[str]:
    """Return the keys of a robot's YAML that loads under a drive need and that it does not give.

    Args:
        robot: with such motors; a servo's own stiffness and damping are not looked at.
        drive: of :data:`DRIVES`.
    """
    return [key for key in _NEEDED[drive] if not np.isfinite(getattr(robot, key)).all()]


def can_load(robot: Robot) -> bool:
    """Return whether stiffness, damping and apparent motor inertia of its joints are known."""
    return not unknown(robot, IDEAL)


def drive_of(robot: Robot, interface: str) -> str:
    """Return the drive of the motors of a robot that is commanded by an interface.

    Args:
        robot: the arm.
        interface: "torque", "velocity" or "position".

    Raises:
        PredictionError: the robot's YAML does not define fields for loads: stiffness, damping and
            motor inertia of the joints, and of a servo its stiffness and damping.
    """
    servo = interface != "torque"
    if keys := unknown(robot, SERVO if servo else IDEAL):
        listed = ", ".join(map(repr, keys))
        raise PredictionError(f"joint load: robot {robot.name} does not give {listed}")
    if not servo:
        return MEASURED if np.isfinite(robot.reflected_motor_inertia).all() else IDEAL
    if robot.servo_stiffness is None or robot.servo_damping is None:
        raise PredictionError(
            f"joint load of a {interface}-controlled arm: robot {robot.name} does not give"
            " 'servo_stiffness' and 'servo_damping'"
        )
    return SERVO
