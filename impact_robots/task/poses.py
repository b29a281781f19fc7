# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Where an arm with a plate is when it hits, how fast its joints are, and where it came from.

The specification's scenarios were posed by these rules: at the impact the plate lies flat on the
face; the joint velocities are the least that move the plate with v^- and do not turn it,
:math:`\dot q^- = J^+ [v^-; 0]`; the run-up of duration T begins at rest, :math:`v^- T/2` before the
contact, with the same orientation, and with the first joint :math:`\dot q_1^- T/2` before.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_robots.cell import turned
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import RobotError
from impact_robots.kinematics import pose_error, within_limits
from impact_robots.robot import Robot

_STEPS = 200
_TOLERANCE = 1e-10
_LARGEST = 0.2  # step of a joint [rad]
_STARTS = 30  # of searches for a pose


def posed(
    robot: Robot, q: np.ndarray, offset: np.ndarray, first_joint: float, yaw: float = 0.0
) -> np.ndarray:
    """Return positions with the contact point moved and turned, and a given first joint.

    Args:
        robot: an arm of seven joints.
        q: where to start from, shape (7,) [rad].
        offset: of the contact point, base axes, shape (3,) [m].
        first_joint: wanted [rad].
        yaw: by which it is turned about the vertical [rad].

    Raises:
        RobotError: there are none within the joint limits.
    """
    model, data = robot.model, robot.model.createData()
    frame = model.getFrameId(robot.contact_frame)
    pin.framesForwardKinematics(model, data, q)
    here = data.oMf[frame]
    target = pin.SE3(turned(yaw) @ here.rotation, here.translation + offset)
    found = np.array(q, dtype=float)
    for _ in range(_STEPS):
        error, rows = pose_error(model, data, found, frame, target)
        error = np.append(error, first_joint - found[0])
        if np.linalg.norm(error) < _TOLERANCE:
            return within_limits(robot, found, "pose")
        rows = np.vstack([rows, np.eye(1, robot.dof)])
        step = np.linalg.lstsq(rows, error, rcond=1e-6)[0]
        found = found + step * min(1.0, _LARGEST / np.abs(step).max())
    raise RobotError(f"pose: none {np.linalg.norm(offset):.3f} m away, joint 1 {first_joint:.3f}")


def impact_velocity(robot: Robot, q: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Return the least joint velocities that move the plate and do not turn it, (n,) [rad/s].

    Args:
        robot: the arm.
        q: positions, shape (n,) [rad].
        velocity: of the contact point, base axes, shape (3,) [m/s].
    """
    J = ArmDynamics(robot)(q, np.zeros(robot.dof)).J
    return np.linalg.pinv(J) @ np.append(velocity, np.zeros(3))


def run_up_start(
    robot: Robot, q: np.ndarray, dq: np.ndarray, velocity: np.ndarray, run_up: float
) -> np.ndarray:
    """Return where the run-up begins, shape (n,) [rad].

    Args:
        robot: the arm.
        q: positions at the impact, shape (n,) [rad].
        dq: velocities there, shape (n,) [rad/s].
        velocity: of the contact point there, base axes, shape (3,) [m/s].
        run_up: its duration [s].

    Raises:
        RobotError: it would begin where the arm cannot be.
    """
    half = run_up / 2.0
    return posed(robot, q, -half * np.asarray(velocity), float(q[0] - half * dq[0]))


def contact_configuration(
    robot: Robot, point: np.ndarray, into: np.ndarray, near: np.ndarray | None = None
) -> np.ndarray:
    """Return positions with the contact point there and its axis z along a direction, (n,) [rad].

    How the tool is turned about that axis is free: that which is nearest to where it begins.

    Args:
        robot: the arm.
        point: base axes, shape (3,) [m].
        into: direction, base axes, a unit vector, shape (3,).
        near: where to begin, shape (n,) [rad]; none: at the stance, then at drawn ones.

    Raises:
        RobotError: none are found within the joint limits.
    """
    limits, starts = robot.limits, [near]
    if near is None:
        drawn = np.random.default_rng(0).uniform(
            limits.position_lower, limits.position_upper, (_STARTS, robot.dof)
        )
        starts = [*([] if robot.stance is None else [robot.stance]), *drawn]
    found = (_brought(robot, np.array(q, dtype=float), point, into) for q in starts)
    if (q := next((each for each in found if each is not None), None)) is None:
        x, y, z = point
        raise RobotError(f"pose: none in reach with the plate at ({x:.3f}, {y:.3f}, {z:.3f}) m")
    return q


def _brought(robot: Robot, q: np.ndarray, point: np.ndarray, into: np.ndarray) -> np.ndarray | None:
    """Return :func:`contact_configuration` reached from ``q``; None if not found."""
    dynamics, limits = ArmDynamics(robot), robot.limits
    for _ in range(_STEPS):
        state = dynamics(q, np.zeros(robot.dof))
        axis = state.rotation[:, 2]
        turn = np.cross(axis, into)
        if axis @ into < 0.0:  # more than a right angle: the sine gets smaller on the way back
            turn = turn / max(float(np.linalg.norm(turn)), 1e-9)
        error = np.concatenate([point - state.position, turn])
        if np.linalg.norm(error) < _TOLERANCE and axis @ into > 0.0:
            return q
        across = np.eye(3) - np.outer(axis, axis)
        rows = np.vstack([state.J[:3], across @ state.J[3:]])
        step = np.linalg.lstsq(rows, error, rcond=1e-4)[0]
        q = q + step * min(1.0, _LARGEST / np.abs(step).max())
        q = np.clip(q, limits.position_lower, limits.position_upper)
    return None
