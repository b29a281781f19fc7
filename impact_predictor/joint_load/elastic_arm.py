# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The joints of a flexible-joint arm: springs, motors, and the drive of the motors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.drive import DRIVES, IDEAL, MEASURED, SERVO, drive_of, unknown
from impact_predictor.joint_load.motion_records import TICK
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState

FILTER_HZ = 300.0  # first-order low-pass on the measured torque [Hz]


class ElasticArm(NamedTuple):
    """An arm at one configuration; diagonals have shape (n,)."""

    M_inverse: np.ndarray  # of the links, shape (n, n) [1/(kg.m^2)]
    stiffness: np.ndarray  # K [N.m/rad]
    damping: np.ndarray  # D [N.m.s/rad]
    motor_inertia: np.ndarray  # of the motors themselves, or apparent if the loop is ideal [kg.m^2]
    ratio: np.ndarray  # R = B_rho/B_theta of the torque loop; 1: there is none [-]
    damping_time: np.ndarray  # D/K that the torque loop takes them to have [s]
    servo_stiffness: np.ndarray  # of a position or velocity loop [N.m/rad]
    servo_damping: np.ndarray  # of the same [N.m.s/rad]
    share: float  # of a step that the torque filter takes in a tick [-]
    loop_stiffness: np.ndarray  # of a controller by torques, on link positions [N.m/rad]
    loop_damping: np.ndarray  # of the same, on link velocities [N.m.s/rad]

    def scaled(self, scale: np.ndarray) -> ElasticArm:
        """Return the arm with other joints; the torque loop goes on taking them as nominal.

        Args:
            scale: of stiffness, damping and motor inertia, shape (3, n) [-].
        """
        return self._replace(
            stiffness=self.stiffness * scale[0],
            damping=self.damping * scale[1],
            motor_inertia=self.motor_inertia * scale[2],
        )


def elastic_arm(robot: Robot, state: RobotState, drive: str = MEASURED) -> ElasticArm:
    r"""Return the arm in a state.

    Args:
        robot: that gives stiffness, damping and motor inertias.
        state: whose configuration counts.
        drive: of the motors: "measured", the torque loop at 4 kHz on a torque low-passed at
            300 Hz, :math:`\tau_{act} = (1 - R)\tau_t` (Rey Arias 2024, eq. 4); "ideal", a loop
            that makes B_theta of B_rho at once; "servo", a position or velocity loop.

    Raises:
        PredictionError: the robot's YAML does not define the required fields, or no such drive.
    """
    n = robot.dof
    if drive not in DRIVES:
        raise PredictionError(f"drive: expected one of {', '.join(DRIVES)}, got {drive!r}")
    missing = unknown(robot, *(() if drive == IDEAL else ("reflected_motor_inertia",)))
    if missing:
        keys = ", ".join(map(repr, missing))
        raise PredictionError(f"joint load: robot {robot.name} does not give {keys}")
    zero, one = np.zeros(n), np.ones(n)
    servo = (zero, zero)
    if drive == SERVO:
        drive_of(robot, "position")
        servo = (np.array(robot.servo_stiffness), np.array(robot.servo_damping))
    motors = robot.apparent_motor_inertia if drive == IDEAL else robot.reflected_motor_inertia
    loop = drive == MEASURED
    return ElasticArm(  # of arrays that may be written to: for others all is compiled once more
        np.ascontiguousarray(np.linalg.inv(state.M)),
        np.array(robot.joint_stiffness),
        np.array(robot.joint_damping),
        np.array(motors),
        robot.reflected_motor_inertia / robot.apparent_motor_inertia if loop else one,
        np.array(robot.damping_time),
        *servo,
        1.0 - float(np.exp(-2.0 * np.pi * FILTER_HZ * TICK)),
        np.zeros(n),
        np.zeros(n),
    )
