# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A robot cell: names and bases of its robots; a name is the namespace of the topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.description.loader import absolute, load_robot, robot_texts
from impact_robots.exceptions import TaskError
from impact_robots.robot import Robot

TWO = ("left", "right")  # usual names of two arms; one alone needs none
APART = 0.2  # least distance of two bases: nearer, one arm would stand inside the other [m]


class PlacedRobot(NamedTuple):
    """A robot in a cell."""

    name: str  # namespace of its topics; empty: none
    robot: str  # by name, or the path of its YAML
    base: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in the world [m]
    yaw: float = 0.0  # by which the base is turned about the vertical [rad]

    def load(self) -> Robot:
        """Return the robot with world axes at its base: J, velocities and forces are in them.

        Raises:
            RobotError: unknown name, or a wrong YAML.
        """
        return robot_named(self.robot, self.yaw)

    def with_absolute_paths(self) -> PlacedRobot:
        """Return it with an absolute path of its YAML."""
        return self._replace(robot=absolute(self.robot))

    def in_base(self, vectors: np.ndarray) -> np.ndarray:
        """Return vectors in world axes, shape (..., 3), in the axes of the base."""
        return vectors if self.yaw == 0.0 else vectors @ turned(self.yaw)


def turned(yaw: float) -> np.ndarray:
    """Return the axes after a turn about the vertical by ``yaw`` [rad], shape (3, 3)."""
    return np.eye(3) if yaw == 0.0 else np.array(pin.utils.rotate("z", yaw))


def robot_named(name: str, yaw: float = 0.0) -> Robot:
    """Return a robot of a cell, cached and therefore read-only.

    The cache goes by what YAML and URDF hold: a process of any age reads a changed robot again.

    Args:
        name: of the robot, or the path of its YAML.
        yaw: by which its base is turned; positions and vectors are in axes that are not [rad].

    Raises:
        RobotError: unknown name, or a wrong YAML.
    """
    return _robot_of(name, yaw, robot_texts(name))


@lru_cache(maxsize=64)
def _robot_of(name: str, yaw: float, texts: tuple[str, str]) -> Robot:
    """Return the robot whose YAML and URDF hold these texts."""
    robot = load_robot(name)
    if yaw == 0.0:
        return robot
    model, turn = robot.model.copy(), pin.SE3(turned(yaw), np.zeros(3))
    for joint in range(1, model.njoints):
        if model.parents[joint] == 0:
            model.jointPlacements[joint] = turn * model.jointPlacements[joint]
    for frame in model.frames:
        if frame.parentJoint == 0:
            frame.placement = turn * frame.placement
    return replace(robot, model=model)


@dataclass(frozen=True)
class RobotCell:
    """One arm, or two."""

    robots: tuple[PlacedRobot, ...]

    def __post_init__(self) -> None:
        """Check that these arms can work together.

        Raises:
            TaskError: neither one nor two, one inside the other, or with equal names.
        """
        names = self.names
        if len(names) not in (1, 2):
            raise TaskError(f"cell: expected one or two arms, got {len(names)}")
        if len(set(names)) < len(names):
            raise TaskError(f"cell: expected two different names, got {names[0]!r} twice")
        away = float(np.linalg.norm(np.subtract(self.bases[0], self.bases[-1])))
        if len(names) == 2 and away < APART:
            raise TaskError(f"cell: expected bases {APART:g} m apart or more, got {away:.3g} m")

    @classmethod
    def of(cls, robot: str, bases: Sequence[tuple[float, float, float]]) -> RobotCell:
        """Return one arm without a name, or two with the usual ones.

        Args:
            robot: every arm, by name or the path of its YAML.
            bases: where they stand, world axes [m].

        Raises:
            TaskError: neither one nor two.
        """
        if len(bases) not in (1, 2):
            raise TaskError(f"bases: expected one or two arms, got {len(bases)}")
        names = TWO if len(bases) == 2 else ("",)
        rows = zip(names, bases, strict=True)
        return cls(tuple(PlacedRobot(name, robot, base) for name, base in rows))

    @property
    def names(self) -> tuple[str, ...]:
        """Namespaces of the arms; of a single one it may be empty."""
        return tuple(each.name for each in self.robots)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of the arms, by name or the path of the YAML, each once."""
        return tuple(dict.fromkeys(each.robot for each in self.robots))

    def with_absolute_paths(self) -> RobotCell:
        """Return it with absolute paths of the robots' YAMLs."""
        return replace(self, robots=tuple(each.with_absolute_paths() for each in self.robots))

    def load(self) -> tuple[Robot, ...]:
        """Return the arms, each with the axes of the world at its base; raises as one does."""
        return tuple(each.load() for each in self.robots)

    @property
    def bases(self) -> tuple[tuple[float, float, float], ...]:
        """Of the arms in the world [m]."""
        return tuple(each.base for each in self.robots)
