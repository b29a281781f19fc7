# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The joints of a flexible-joint robot: springs, motors, and the drive of the motors.

The base of a floating robot is six more coordinates, which come first, without a spring or a motor.
Its soles stay where they are: the floor is rigid, and holds them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.inertia.inverse_inertia import held_inverse
from impact_predictor.joint_load.drive import DRIVES, IDEAL, MEASURED, SERVO, drive_of, unknown
from impact_predictor.joint_load.motion_records import TICK
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState

FILTER_HZ = 300.0  # first-order low-pass on the measured torque [Hz]


class ElasticArm(NamedTuple):
    """A robot at one configuration with n velocities; diagonals have shape (n,)."""

    M_inverse: np.ndarray  # of the links, soles held, shape (n, n) [1/(kg.m^2)]
    stiffness: np.ndarray  # K [N.m/rad]
    damping: np.ndarray  # D [N.m.s/rad]
    motor_inertia: np.ndarray  # of the motors themselves, or apparent if the loop is ideal [kg.m^2]
    ratio: np.ndarray  # R = B_rho/B_theta of the torque loop; 1: there is none [-]
    damping_time: np.ndarray  # D/K that the torque loop takes them to have [s]
    servo_stiffness: np.ndarray  # of a position or velocity loop [N.m/rad]
    servo_damping: np.ndarray  # of the same [N.m.s/rad]
    loop_stiffness: np.ndarray  # of a controller by torques, on link positions [N.m/rad]
    loop_damping: np.ndarray  # of the same, on link velocities [N.m.s/rad]
    share: float  # of a step that the torque filter takes in a tick [-]

    def mass(self, j: np.ndarray) -> float:
        """Return the mass of links and apparent motors along a direction [kg].

        Args:
            j: joint torques of a force of 1 N along it, shape (n,) [m].
        """
        M = np.linalg.inv(self.M_inverse) + np.diag(self.motor_inertia / self.ratio)
        return float(1.0 / (j @ np.linalg.solve(M, j)))

    def scaled(self, scale: np.ndarray) -> ElasticArm:
        """Return the arm with other joints; the torque loop goes on taking them as nominal.

        Args:
            scale: of stiffness, damping and motor inertia of the joints, which are the last
                coordinates, shape (3, joints) [-].
        """
        if base := len(self.stiffness) - np.shape(scale)[1]:
            scale = np.hstack([np.ones((3, base)), scale])
        return self._replace(
            stiffness=self.stiffness * scale[0],
            damping=self.damping * scale[1],
            motor_inertia=self.motor_inertia * scale[2],
        )


def elastic_arm(
    robot: Robot, state: RobotState, drive: str = MEASURED, *, covered: bool = False
) -> ElasticArm:
    r"""Return the robot in a state; soles of a floating one are its contacts that are faces.

    Args:
        robot: that gives stiffness, damping and motor inertias.
        state: whose configuration counts.
        drive: of the motors: "measured", the torque loop at 4 kHz on a torque low-passed at
            300 Hz, :math:`\tau_{act} = (1 - R)\tau_t` (Rey Arias 2024, eq. 4); "ideal", a loop
            that makes B_theta of B_rho at once; "servo", a position or velocity loop.
        covered: whether the caller's contacts have the cover of the robot's tool, or none counts.

    Raises:
        PredictionError: the robot's YAML does not define the required fields, no such drive, or
            the tool has a cover that the caller does not take into account.
    """
    if robot.cover is not None and not covered:
        raise PredictionError(
            f"robot {robot.name}: this model does not take the cover of the tool into account;"
            " expected a tool without one"
        )
    if drive not in DRIVES:
        raise PredictionError(f"drive: expected one of {', '.join(DRIVES)}, got {drive!r}")
    if missing := unknown(robot, drive):
        keys = ", ".join(map(repr, missing))
        raise PredictionError(f"joint load: robot {robot.name} does not give {keys}")
    n = robot.nv
    base, one = np.ones(n - robot.dof), np.ones(n)
    servo = (np.zeros(robot.dof), np.zeros(robot.dof))
    if drive == SERVO:
        drive_of(robot, "position")
        servo = (np.array(robot.servo_stiffness), np.array(robot.servo_damping))
    motors = robot.apparent_motor_inertia if drive == IDEAL else robot.reflected_motor_inertia
    loop = drive == MEASURED
    return ElasticArm(  # of arrays that may be written to: for others all is compiled once more
        links_inverse(robot, state),
        robot.on_velocities(robot.joint_stiffness).copy(),
        robot.on_velocities(robot.joint_damping).copy(),
        np.append(base, motors),
        robot.reflected_motor_inertia / robot.apparent_motor_inertia if loop else one,
        robot.on_velocities(robot.damping_time).copy(),
        robot.on_velocities(servo[0]).copy(),
        robot.on_velocities(servo[1]).copy(),
        np.zeros(n),
        np.zeros(n),
        1.0 - float(np.exp(-2.0 * np.pi * FILTER_HZ * TICK)),
    )


def links_inverse(robot: Robot, state: RobotState) -> np.ndarray:
    """Return what depends on the state of an :class:`ElasticArm`, its ``M_inverse``."""
    soles = [each.name for each in robot.contacts if each.half_extents is not None]
    held = soles if robot.base != "fixed" else []
    return np.ascontiguousarray(held_inverse(state.M, [state.at(sole).J for sole in held]))
