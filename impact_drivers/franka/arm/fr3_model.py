# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka Research 3 as a robot of the suite, by its maker's URDF."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import yaml

from impact_bags.new_files import write_file
from impact_drivers.exceptions import DriverError
from impact_robots.description.loader import load_robot, robot_path
from impact_robots.robot import Robot
from impact_robots.yaml_file import read_mapping

NAME = "fr3"
PREFIX = "fr3_"  # of joints and links everywhere but in that URDF


def load_fr3(robot: str = NAME) -> Robot:
    """Return the FR3 by its maker's URDF, from the package franky-sim.

    Args:
        robot: name of the suite's, or path of a YAML with another tool.

    Raises:
        DriverError: that package is not installed.
        RobotError: the YAML cannot be used.
    """
    return load_robot(robot, urdf=_urdf(), joint_prefix="")


def write_fr3(folder: Path, robot: str = NAME) -> Path:
    """Write the robot files for recordings of the loop; return the YAML, for ``--robot``.

    Its joints and links have the suite's names.

    Args:
        folder: to write YAML and URDF into.
        robot: name of the suite's, or path of a YAML with another tool.

    Raises:
        DriverError: the package with the URDF is not installed.
        RobotError: the YAML cannot be used.
    """
    path, urdf = folder / f"{NAME}.yaml", write_urdf(folder / f"{NAME}.urdf")
    mapping = read_mapping(robot_path(robot)) | {"urdf": urdf.name, "joint_prefix": PREFIX}
    write_file(path, yaml.safe_dump(mapping, sort_keys=False, default_flow_style=None))
    return path


def write_urdf(path: Path) -> Path:
    """Write the maker's URDF with the suite's names of joints and links.

    Args:
        path: of the file.

    Returns:
        the same.

    Raises:
        DriverError: the package with the URDF is not installed.
    """
    write_file(path, _prefixed(_urdf()))
    return path


def _prefixed(path: Path) -> str:
    """Return a URDF in which every joint and link has the prefix."""
    root = ElementTree.parse(path).getroot()
    for kind, name in (
        ("link", "name"),
        ("joint", "name"),
        ("*/parent", "link"),
        ("*/child", "link"),
    ):
        for element in root.findall(kind):
            element.set(name, PREFIX + element.attrib[name])
    return ElementTree.tostring(root, encoding="unicode")


def _urdf() -> Path:
    try:
        import franky_sim.urdf
    except ImportError:
        raise DriverError(
            "FR3: its URDF is in the package franky-sim, which is not installed"
        ) from None
    return Path(franky_sim.urdf.URDF_PATH)
