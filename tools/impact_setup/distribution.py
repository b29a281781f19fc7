# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which ROS 2 to use: a distribution's that is sourced, or else the wheels."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from impact_setup.errors import SetupError

DISTRIBUTIONS = ("jazzy", "kilted", "lyrical")
WHEELS = "wheels"


@dataclass(frozen=True)
class RosSource:
    """The ROS 2 that the workspace is built on.

    Attributes:
        name: A distribution's name, or ``wheels``.
        prefixes: The sourced install prefixes, none for the wheels.
        python: The version that the distribution's rclpy is built for, such as ``3.12``; empty
            for the wheels, which exist for several.
    """

    name: str = WHEELS
    prefixes: tuple[str, ...] = ()
    python: str = ""

    @property
    def from_wheels(self) -> bool:
        """Whether ROS 2 comes from wheels."""
        return self.name == WHEELS

    def texts(self) -> list[str]:
        """Return what identifies this source in a stamp."""
        return [self.name, *self.prefixes, self.python]


def select_ros(environ: Mapping[str, str], root: Path) -> RosSource:
    """Choose the ROS 2 to build on from the environment's variables.

    The workspace's own install, which the user may have sourced, is no distribution.

    Args:
        environ: The variables of the calling shell.
        root: The repository's root.

    Raises:
        SetupError: A distribution is sourced that is not supported or has no rclpy.
    """
    prefixes = foreign_entries(environ.get("AMENT_PREFIX_PATH", ""), root)
    name = environ.get("ROS_DISTRO", "")
    if not name or not prefixes:
        return RosSource()
    if name not in DISTRIBUTIONS:
        raise SetupError(
            f"ROS 2 {name} is sourced; supported are {', '.join(DISTRIBUTIONS)}, or none "
            "(then it is installed from wheels): start from a terminal without it"
        )
    return RosSource(name, tuple(prefixes), rclpy_version(name, prefixes))


def foreign_entries(path: str, root: Path) -> list[str]:
    """Split a search path and leave out what lies in the checkout or is empty."""
    return [entry for entry in path.split(os.pathsep) if entry and not is_within(entry, [root])]


def is_within(entry: str, folders: Iterable[Path]) -> bool:
    """Say whether a path is one of some folders or lies in one, by whatever name it is called."""
    ways = [Path(entry), Path(os.path.realpath(entry))]
    return any(way.is_relative_to(folder) for way in ways for folder in folders)


def rclpy_version(name: str, prefixes: list[str]) -> str:
    """Return the Python version that the sourced rclpy is built for.

    Raises:
        SetupError: No prefix holds rclpy.
    """
    for prefix in prefixes:
        for folder in ("lib", "local/lib"):
            for found in sorted(Path(prefix, folder).glob("python3.*/*-packages/rclpy")):
                return found.parent.parent.name.removeprefix("python")
    raise SetupError(
        f"ROS 2 {name} is sourced, but rclpy is in none of {os.pathsep.join(prefixes)}: "
        f"install ros-{name}-rclpy"
    )
