# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Configurations of an arm whose head strikes at a place along a direction.

They are rated by the cheap form for handles that give: a force F at the head accelerates the joints
by :math:`a = (M + B_\theta)^{-1} J^T n F`, and loads joint i with :math:`B_{\theta,i} a_i`. With a
mass m behind the head the handle's force is :math:`v\sqrt{k m}`. Errors of centre and angle count.
"""

from __future__ import annotations

from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.strike.joint_speed import joint_speed
from impact_predictor.strike.striker import Misalignment
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.tools.tool import Tool, with_tool

TRIES = 300  # starts of the inverse kinematics
STEPS, LONGEST_STEP = 60, 0.3  # of one; of a joint in a step [rad]
_TOLERANCE, _SINGULAR = 1e-9, 1e-4
_SIDES = (0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)


class RatedPose(NamedTuple):
    """A configuration, and what the cheap form says of it."""

    q: np.ndarray  # shape (n,) [rad]
    force: float  # at the head that the joints bear in the worst of the errors [N]
    speed: float  # of the head that force and joint velocities allow [m/s]
    energy: float  # of the mass behind the head at that speed [J]


def strike_poses(
    robot: Robot,
    tool: Tool,
    place: np.ndarray,
    direction: np.ndarray,
    *,
    tries: int = TRIES,
    seed: int = 0,
) -> list[RatedPose]:
    """Return configurations that strike at a place, the one with most energy first.

    Args:
        robot: the arm, whose own tool is replaced.
        tool: that strikes, its handle a spring.
        place: of the head's centre, base axes, shape (3,) [m].
        direction: of the strike, base axes, shape (3,), unit.
        tries: random starts between the joint limits; some find none.
        seed: of the starts.
    """
    arm = with_tool(robot, tool, tool.nominal.mass)
    random, limits = np.random.default_rng(seed), robot.limits
    found = []
    for _ in range(tries):
        start = random.uniform(limits.position_lower, limits.position_upper)
        q = strike_pose(arm, place, direction, start)
        if q is not None:
            found.append(rated(arm, tool, q))
    return sorted(found, key=lambda each: -each.energy)


def strike_pose(
    arm: Robot, place: np.ndarray, direction: np.ndarray, q: np.ndarray
) -> np.ndarray | None:
    """Return a configuration with the head at a place, its axis along a direction; None: not found.

    The head may turn about its axis. Steps of the least joint motion.

    Args:
        arm: with its tool.
        place: base axes, shape (3,) [m].
        direction: base axes, shape (3,), unit.
        q: where to start, shape (n,) [rad].
    """
    model, data = arm.model, arm.model.createData()
    frame, across = model.getFrameId(arm.contact_frame), np.eye(3) - np.outer(direction, direction)
    for _ in range(STEPS):
        pin.framesForwardKinematics(model, data, q)
        head = data.oMf[frame]
        axis = head.rotation[:, 2]
        error = np.append(place - head.translation, across @ np.cross(axis, direction))
        if np.linalg.norm(error) < _TOLERANCE and axis @ direction > 0.0:
            inside = (q >= arm.limits.position_lower) & (q <= arm.limits.position_upper)
            return q if inside.all() else None
        J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        rows = np.vstack([J[:3], across @ J[3:]])
        step = np.linalg.pinv(rows, rcond=_SINGULAR) @ error
        q = q + np.clip(step, -LONGEST_STEP, LONGEST_STEP)
    return None


def rated(arm: Robot, tool: Tool, q: np.ndarray) -> RatedPose:
    """Return a configuration with its rating.

    Args:
        arm: with its tool.
        tool: its handle a spring.
        q: shape (n,) [rad].
    """
    point = ArmDynamics(arm)(q, np.zeros(arm.dof))
    direction = point.rotation[:, 2]
    inertia = point.robot_state.inertia(arm.apparent_motor_inertia)
    force = min(_borne(arm, point, inertia, off) for off in _errors(tool))
    along = direction @ point.J[:3]
    mass = 1.0 / float(along @ np.linalg.solve(inertia, along))
    reached = joint_speed(arm, point, direction).speed
    speed = min(force / sqrt(tool.stiffness[1] * mass), reached)
    return RatedPose(q, force, speed, 0.5 * mass * speed**2)


def _errors(tool: Tool) -> list[Misalignment]:
    """Return errors of centre and angle to either side."""
    return [
        Misalignment(
            (tool.off_centre * a[0], tool.off_centre * a[1]),
            (tool.off_angle * b[0], tool.off_angle * b[1]),
        )
        for a, b in product(_SIDES, _SIDES)
    ]


def _borne(arm: Robot, point: PointState, inertia: np.ndarray, off: Misalignment) -> float:
    """Return the force on the head that the joints bear [N]."""
    limits = load_limits(arm, point.g)
    margin = np.fmin(limits.change, np.fmin(limits.up, limits.down))
    place = point.beside([*off.offset, 0.0]) if any(off.offset) else point
    per_newton = np.linalg.solve(inertia, place.J[:3].T @ (point.rotation @ off.normal))
    with np.errstate(divide="ignore"):
        return float(np.nanmin(margin / np.abs(arm.apparent_motor_inertia * per_newton)))
