# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of the contact point by damped least squares."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_robots.exceptions import RobotError
from impact_robots.robot import Robot

_DAMPING = 1e-6
_TOLERANCE = 1e-9


def inverse_kinematics(
    robot: Robot, q: np.ndarray, offset: np.ndarray, *, iterations: int = 200
) -> np.ndarray:
    """Return joint positions whose contact point is moved by ``offset``, same orientation.

    Args:
        robot: the arm.
        q: where to start, shape (n,) [rad]; a redundant arm stays near it.
        offset: displacement of the contact point in base axes, shape (3,) [m].
        iterations: how many steps to try.

    Raises:
        RobotError: not reachable, or only outside the joint limits.
    """
    model, data = robot.model, robot.model.createData()
    frame = model.getFrameId(robot.contact_frame)
    pin.framesForwardKinematics(model, data, q)
    target = pin.SE3(data.oMf[frame].rotation, data.oMf[frame].translation + offset)
    q = np.array(q, dtype=float)
    for _ in range(iterations):
        pin.framesForwardKinematics(model, data, q)
        error_pose = data.oMf[frame].actInv(target)
        error = pin.log6(error_pose).vector
        if np.linalg.norm(error) < _TOLERANCE:
            return _within_limits(robot, q)
        J = pin.Jlog6(error_pose) @ pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
        q = q + J.T @ np.linalg.solve(J @ J.T + _DAMPING * np.eye(6), error)
    raise RobotError(f"inverse kinematics: no solution {np.linalg.norm(offset):.3f} m away")


def _within_limits(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return ``q`` if it respects the position limits."""
    limits = robot.limits
    outside = (q < limits.position_lower) | (q > limits.position_upper)
    if np.any(outside):
        names = ", ".join(np.array(robot.joint_names)[outside])
        raise RobotError(f"inverse kinematics: outside the limits of {names}")
    return q
