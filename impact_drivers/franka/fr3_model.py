# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka Research 3 as a robot of the suite, by its maker's URDF."""

from __future__ import annotations

from pathlib import Path

from impact_drivers.exceptions import DriverError
from impact_robots.loader import load_robot
from impact_robots.robot import Robot

NAME = "fr3"
PREFIX = "fr3_"  # of joints and links everywhere but in that URDF


def load_fr3(robot: str = NAME) -> Robot:
    """Return the FR3 by its maker's URDF, which the package franky-sim brings along.

    Args:
        robot: name of the suite's, or path of a YAML with another tool.

    Raises:
        DriverError: that package is not installed.
        RobotError: the YAML cannot be used.
    """
    try:
        import franky_sim.urdf
    except ImportError:
        raise DriverError(
            "FR3: its URDF is in the package franky-sim, which is not installed"
        ) from None
    path = Path(franky_sim.urdf.URDF_PATH)
    return load_robot(robot, urdf=path, joint_prefix="")
