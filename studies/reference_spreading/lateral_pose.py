# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A pose that pushes sideways: the tool points along -y, the turn about its axis is free."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_robots import ArmDynamics, Robot

NORMAL = np.array([0.0, 1.0, 0.0])  # of the pushed face, towards the robot
STARTS = 20  # of the inverse kinematics for one pose


def lateral_pose(
    robot: Robot, position: np.ndarray, random: np.random.Generator
) -> np.ndarray | None:
    """Return joint positions (n,) [rad] with the tool at ``position`` (3,) [m], pointing along -y.

    None if no start leads there within the limits.

    Args:
        robot: the arm.
        position: of the contact point in base axes, shape (3,) [m].
        random: draws where to start, first the stance.
    """
    lower, upper = robot.limits.position_lower, robot.limits.position_upper
    for attempt in range(STARTS):
        start = random.uniform(lower, upper) if attempt else np.array(robot.stance)
        q = _descend(robot, start, position)
        if q is not None and np.all(q > lower) and np.all(q < upper):
            return q
    return None


def _descend(robot: Robot, q: np.ndarray, position: np.ndarray) -> np.ndarray | None:
    """Solve for position and axis of the tool by damped least squares."""
    dynamics = ArmDynamics(robot)
    for _ in range(200):
        state = dynamics(q, np.zeros(robot.dof))
        axis = state.rotation[:, 2]
        turn = np.cross(axis, -NORMAL)
        error = np.concatenate([position - state.position, turn])
        if np.linalg.norm(error) < 1e-9 and axis @ NORMAL < 0.0:
            return q
        J = np.vstack([state.J[:3], -pin.skew(axis) @ pin.skew(axis) @ state.J[3:]])
        q = q + np.clip(J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), error), -0.2, 0.2)
    return None
