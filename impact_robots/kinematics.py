# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of the contact point by damped least squares, and its parts."""

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
        error, J = pose_error(model, data, q, frame, target)
        if np.linalg.norm(error) < _TOLERANCE:
            return within_limits(robot, q, "inverse kinematics")
        q = q + J.T @ np.linalg.solve(J @ J.T + _DAMPING * np.eye(6), error)
    raise RobotError(f"inverse kinematics: no solution {np.linalg.norm(offset):.3f} m away")


def pose_error(
    model: pin.Model, data: pin.Data, q: np.ndarray, frame: int, target: pin.SE3
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pose error of a frame, and its Jacobian with respect to the joints.

    Args:
        model: of the arm.
        data: of the model; changed.
        q: positions, shape (n,) [rad].
        frame: index of the frame.
        target: wanted pose, base axes.

    Returns:
        error: logarithm of the displacement in the frame's axes, shape (6,) [m, rad].
        rows: shape (6, n), such that a step of the joints with ``rows @ step = error`` arrives.
    """
    pin.framesForwardKinematics(model, data, q)
    away = data.oMf[frame].actInv(target)
    rows = pin.Jlog6(away) @ pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
    return pin.log6(away).vector, rows


def within_limits(robot: Robot, q: np.ndarray, what: str) -> np.ndarray:
    """Return positions, shape (n,) [rad], if they respect the robot's limits.

    Raises:
        RobotError: they do not; ``what`` is named in the text.
    """
    outside = robot.limits.outside(q)
    if np.any(outside):
        names = ", ".join(np.array(robot.joint_names)[outside])
        raise RobotError(f"{what}: outside the limits of {names}")
    return q
