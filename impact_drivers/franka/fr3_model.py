# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka Research 3 as a robot of the suite, by its maker's URDF."""

from __future__ import annotations

from pathlib import Path

from impact_drivers.exceptions import DriverError
from impact_robots.loader import load_robot
from impact_robots.robot import Robot

NAME = "fr3"


def load_fr3() -> Robot:
    """Return the FR3 by its maker's URDF, which the package franky-sim brings along.

    Raises:
        DriverError: that package is not installed.
    """
    try:
        import franky_sim.urdf
    except ImportError:
        raise DriverError(
            "FR3: its URDF is in the package franky-sim, which is not installed"
        ) from None
    path = Path(franky_sim.urdf.URDF_PATH)
    return load_robot(NAME, urdf=path, joint_prefix="")
