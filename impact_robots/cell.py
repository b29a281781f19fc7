# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A robot cell: which robots stand where, by the namespaces of their topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from impact_robots.exceptions import TaskError

TWO = ("left", "right")  # usual names of two arms; one alone needs none


class PlacedRobot(NamedTuple):
    """A robot in a cell."""

    name: str  # namespace of its topics; empty: none
    robot: str  # by name, or the path of its YAML
    base: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in the world, axes parallel to it [m]


@dataclass(frozen=True)
class RobotCell:
    """One arm, or two of a kind."""

    robots: tuple[PlacedRobot, ...]

    def __post_init__(self) -> None:
        """Check that these arms can work together.

        Raises:
            TaskError: neither one nor two, of several kinds, or with equal names.
        """
        names, kinds = self.names, {each.robot for each in self.robots}
        if len(names) not in (1, 2):
            raise TaskError(f"cell: expected one or two arms, got {len(names)}")
        if len(kinds) > 1:
            raise TaskError(f"cell: expected arms of one kind, got {', '.join(sorted(kinds))}")
        if len(set(names)) < len(names):
            raise TaskError(f"cell: expected two different names, got {names[0]!r} twice")

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
    def robot(self) -> str:
        """Every arm, by name or the path of its YAML."""
        return self.robots[0].robot

    @property
    def bases(self) -> tuple[tuple[float, float, float], ...]:
        """Of the arms in the world [m]."""
        return tuple(each.base for each in self.robots)
