# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Pressing on a surface after the impact: what it asks of the joints, and how hard is safe."""

from __future__ import annotations

from math import inf

import numpy as np

from impact_robots.robot import Robot
from impact_robots.state import PointState

RAMP = 0.2  # up to the whole force [s]
KEPT = 0.98  # of the limits; the rest is for what keeps the tool where it is
PREVIEW = 0.5  # share of T_p that the impact row looks ahead while pressing, see below


def press_acceleration(robot: Robot, point: PointState, normal: np.ndarray) -> np.ndarray:
    r"""Return the accelerations (n,) [rad/s^2] of a free arm that presses with 1 N.

    :math:`-(M + B_\theta)^{-1} J_n^T`: the torques :math:`u = (M + B_\theta)\ddot q + h` with them
    balance a force of 1 N along the normal while the surface holds the arm. As a part of
    :math:`\ddot q` they are under all the limits of the motion that would follow, were the surface
    to vanish.

    Args:
        robot: the arm.
        point: of it that presses.
        normal: of the surface, towards the robot, base axes, shape (3,).
    """
    inertia = point.robot_state.inertia(robot.apparent_motor_inertia)
    return -np.linalg.solve(inertia, normal.dot(point.J[:3]))


def highest_press_force(
    robot: Robot, again: float, point: PointState, normal: np.ndarray, preview: float
) -> tuple[float, str]:
    """Return the highest force [N] that the limits allow at rest, and what sets it.

    Args:
        robot: the arm.
        again: speed at which an arm that loses the surface may hit it again; infinite: any [m/s].
        point: of the arm that presses, at rest.
        normal: of the surface, towards the robot, base axes, shape (3,).
        preview: T_p of the impact limit [s].
    """
    per_newton, limits = press_acceleration(robot, point, normal), robot.limits
    torque = -normal.dot(point.J[:3])
    choices = [(inf, "nothing")]
    with np.errstate(divide="ignore", invalid="ignore"):
        fast = limits.acceleration / np.abs(per_newton)
        room = np.where(torque > 0.0, limits.torque - point.g, limits.torque + point.g)
        strong = np.where(torque == 0.0, inf, np.maximum(room, 0.0) / np.abs(torque))
    for values, what in ((fast, "acceleration"), (strong, "torque")):
        joint = int(np.argmin(values))
        choices.append((float(values[joint]), f"{robot.joint_names[joint]} {what}"))
    if again < inf:
        towards = -float(normal.dot(point.J[:3]).dot(per_newton))
        choices.append((max(0.0, again) / (towards * PREVIEW * preview), "a second impact"))
    most, what = min(choices)
    return KEPT * most, what
