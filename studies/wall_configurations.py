# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Configurations of a Panda in front of a wall: four given ones, others drawn from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from impact_robots import ArmDynamics, PointState, Robot
from studies.published import read

NORMAL = np.array([-1.0, 0.0, 0.0])  # of the wall, towards the robot
LARGEST_TILT = np.radians(30.0)  # of the tool's axis against the wall's normal, assumed
LOWEST, HIGHEST = np.array([0.30, -0.50, 0.20]), np.array([0.75, 0.50, 0.90])  # contact point [m]
LEAST_SINGULAR_VALUE = 0.1  # of the Jacobian: far from singular, assumed


@dataclass(frozen=True)
class WallConfiguration:
    """Where the arm touches the wall."""

    name: str
    q: np.ndarray  # shape (7,) [rad]


def wall_configurations(robot: Robot, count: int, seed: int) -> tuple[WallConfiguration, ...]:
    """Return the given configurations and enough drawn ones to make ``count``.

    Args:
        robot: the Panda.
        count: how many in all.
        seed: of the drawing.
    """
    given = [_given(line) for line in read("wall_configurations")][:count]
    drawn = draw(robot, count - len(given), seed)
    more = [WallConfiguration(f"drawn_{index + 1}", q) for index, q in enumerate(drawn)]
    return (*given, *more)


def _given(line: dict[str, str]) -> WallConfiguration:
    """Return one configuration of wall_configurations.csv."""
    return WallConfiguration(
        line["name"], np.array([float(line[f"q{joint}_rad"]) for joint in range(1, 8)])
    )


def draw(robot: Robot, count: int, seed: int) -> list[np.ndarray]:
    """Draw plausible joint positions, uniform within the limits, each of shape (7,) [rad]."""
    return list(islice(endless(robot, seed), count))


def endless(robot: Robot, seed: int) -> Iterator[np.ndarray]:
    """Yield what :func:`draw` draws, without end."""
    dynamics, random = ArmDynamics(robot), np.random.default_rng(seed)
    lower, upper = robot.limits.position_lower, robot.limits.position_upper
    while True:
        q = random.uniform(lower, upper)
        if _reaches(dynamics.position(q)) and _plausible(dynamics(q, np.zeros(robot.dof))):
            yield q


def _reaches(position: np.ndarray) -> bool:
    """Return whether the contact point (3,) [m] is where a wall may be."""
    return bool(np.all(position > LOWEST) and np.all(position < HIGHEST))


def _plausible(state: PointState) -> bool:
    """Return whether the tool points at the wall, far from a singularity."""
    faces = -NORMAL @ state.rotation[:, 2] > np.cos(LARGEST_TILT)
    return bool(faces and np.linalg.svd(state.J, compute_uv=False)[-1] > LEAST_SINGULAR_VALUE)


def approach(state: PointState, velocity: np.ndarray) -> np.ndarray:
    """Return the least joint velocities, shape (n,) [rad/s], that move the tool without turning it.

    Args:
        state: dynamics of the arm.
        velocity: of the contact point, base axes, shape (3,) [m/s].
    """
    return np.linalg.pinv(state.J) @ np.concatenate([velocity, np.zeros(3)])
