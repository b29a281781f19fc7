# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Poses in front of a wall with enough run-up, and the walls."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load_case import LoadCase, viscoelastic
from impact_robots import ArmDynamics, PointState, Robot, Surface
from impact_robots.exceptions import RobotError
from impact_robots.kinematics import inverse_kinematics
from impact_sim.plant.compliant_wall import CompliantWall
from studies.wall_configurations import NORMAL, approach, endless

FRICTION, RESTITUTION = (0.0, 0.279), (0.02, 0.3)  # announced; of Wang 2023, but for the .02 [-]
STIFFNESS = (1e5, 1e7)  # announced [N/m]
RUN_UP = 0.05  # of the approach, along the normal [m]
ROOM = 0.1  # between the run-up and the position limits [rad]
MOST_GRAVITY = 0.75  # of the torque range


class WallPose(NamedTuple):
    """A pose of the arm at a wall, at rest."""

    start: np.ndarray  # where the run-up begins, shape (n,) [rad]
    point: PointState  # at the wall


def wall_at(pose: WallPose, case: LoadCase, speed: float, gap: float = 0.0) -> CompliantWall:
    """Return the wall of a case, with its restitution at an approach speed.

    Args:
        pose: whose contact point touches it.
        case: of the surface.
        speed: of the approach [m/s].
        gap: between contact point and wall [m].
    """
    surface = Surface(pose.point.position - gap * NORMAL, NORMAL, case.friction)
    return CompliantWall(surface, viscoelastic(case.stiffness, case.restitution, speed))


def draw_case(random: np.random.Generator, scales: np.ndarray) -> LoadCase:
    """Draw a case inside the announced ranges: uniform, of the wall's stiffness the logarithm.

    Args:
        random: draws.
        scales: lowest and highest of stiffness, damping, motor inertia, shape (2, 3, n) [-].
    """
    stiffness = float(np.exp(random.uniform(*np.log(STIFFNESS))))
    surface = stiffness, random.uniform(*RESTITUTION), random.uniform(*FRICTION)
    return LoadCase(*surface, random.uniform(*scales))


def draw_poses(robot: Robot, count: int, seed: int, run_up: float = RUN_UP) -> list[WallPose]:
    """Draw poses: with space for a run-up [m], gravity torques far from the range."""
    return list(islice(_fit_poses(robot, seed, run_up), count))


def _fit_poses(robot: Robot, seed: int, run_up: float) -> Iterator[WallPose]:
    most = MOST_GRAVITY * robot.limits.torque_range
    for q in endless(robot, seed):
        try:
            pose = wall_pose(robot, q, run_up)
        except RobotError:
            continue
        room = _has_room(robot, q) and _has_room(robot, pose.start)
        if room and np.all(np.abs(pose.point.g) < most):
            yield pose


def wall_pose(robot: Robot, q: np.ndarray, run_up: float = RUN_UP) -> WallPose:
    """Return the pose of joint positions (n,) [rad] with a run-up [m].

    Raises:
        RobotError: there is no run-up within the position limits.
    """
    start = inverse_kinematics(robot, q, run_up * NORMAL)
    return WallPose(start, ArmDynamics(robot)(q, np.zeros(robot.dof)))


def _has_room(robot: Robot, q: np.ndarray) -> bool:
    low, high = robot.limits.position_lower, robot.limits.position_upper
    return bool(np.all(q > low + ROOM) and np.all(q < high - ROOM))


def moving(robot: Robot, pose: WallPose, speed: float) -> PointState:
    """Return the arm at a pose, moving along the normal at a ``speed`` [m/s] without turning."""
    return ArmDynamics(robot)(pose.point.q, approach(pose.point, -speed * NORMAL))
