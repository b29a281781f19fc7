# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""All files of an arm and a wall in Gazebo under ros2_control, as texts by name."""

from __future__ import annotations

from pathlib import Path

import yaml

from impact_robots.robot import Robot
from impact_sim.export.gazebo_arm import gazebo_controllers, gazebo_urdf
from impact_sim.export.gazebo_world import gazebo_world
from impact_sim.export.mjcf_files import APPROACH_SPEED, CONTROLLERS, URDF
from impact_sim.scenarios import Scenario

WORLD = "world.sdf"


def gazebo_files(
    folder: Path, robot: Robot, scenario: Scenario, approach_speed: float = APPROACH_SPEED
) -> dict[str, str]:
    """Return the texts of all files by name.

    Args:
        folder: their folder.
        robot: the arm.
        scenario: defines the wall and the initial configuration.
        approach_speed: at which the wall has the restitution of the scenario's law [m/s].

    Raises:
        RobotError: a joint's limit of velocity or torque is not known.
        ScenarioError: the scenario is not for this arm.
    """
    world = gazebo_world(robot, scenario, approach_speed)
    start, settings = scenario.start(robot), gazebo_controllers(robot)
    return {
        WORLD: world,
        URDF: gazebo_urdf(robot, start, folder / CONTROLLERS, scenario.friction),
        CONTROLLERS: yaml.safe_dump(settings, sort_keys=False, default_flow_style=None),
    }
