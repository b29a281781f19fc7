# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""All files of an arm in MuJoCo under ros2_control, as texts by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import yaml

from impact_sim.export.arm_mjcf import ExportedArm
from impact_sim.export.mjcf import mjcf_of, scenario_wall
from impact_sim.export.ros2_control import NOTHING, controllers, robot_description
from impact_sim.export.strike_scene import StrikeScene
from impact_sim.scenarios import Scenario

MJCF, URDF, CONTROLLERS = "scene.xml", "robot.urdf", "controllers.yaml"
APPROACH_SPEED = 0.1  # default speed at which the wall reproduces the scenario's law [m/s]


def mjcf_files(
    folder: Path,
    arm: ExportedArm,
    scene: Scenario | StrikeScene | None = None,
    approach_speed: float = APPROACH_SPEED,
    hardware: Mapping[str, str] = NOTHING,
) -> dict[str, str]:
    """Return the texts of all files by name.

    Args:
        folder: their folder.
        arm: rigid or flexible; of a tool's scene its own.
        scene: defines wall or nail and initial configuration; None: no wall, the stance.
        approach_speed: at which the wall reproduces the scene's law [m/s].
        hardware: further parameters of the hardware interface.

    Raises:
        RobotError: the stance is needed and missing, or the start of a strike is out of reach.
        ScenarioError: the scenario is not for this arm.
        SimulationError: MuJoCo cannot compile the model.
    """
    robot, wall = arm.robot, None
    if scene is None:
        robot.require("export without --scenario", "stance")
        start: np.ndarray = robot.stance
    elif isinstance(scene, StrikeScene):
        wall, start = scene.wall(arm, approach_speed), scene.start()
    else:
        wall, start = scenario_wall(arm, scene, approach_speed), scene.start(robot)
    has_wall = wall is not None
    settings = controllers(arm, wall=has_wall)
    return {
        MJCF: mjcf_of(arm, start, wall),
        URDF: robot_description(arm, folder / MJCF, wall=has_wall, hardware=hardware),
        CONTROLLERS: yaml.safe_dump(settings, sort_keys=False, default_flow_style=None),
    }
