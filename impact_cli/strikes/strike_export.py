# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`export mjcf` of a tool and its target: of files, or of the scenario `hammer_nail`."""

from __future__ import annotations

import argparse
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from impact_cli.demo.demo_scenario import HAMMER_NAIL
from impact_cli.options.impact_options import sized
from impact_cli.options.number_options import numbers
from impact_predictor.strike.strike_case import NailCase, StopCase
from impact_predictor.strike.surface_cases import middle_surface
from impact_robots.exceptions import UsageError
from impact_robots.robot import Robot
from impact_robots.surface import middle
from impact_robots.tools.strike_file import read_target, read_tool
from impact_sim.export.strike_scene import StrikeScene
from impact_trials.strikes.hammer_nail import HammerNail

MJCF = "mjcf"


def add_strike_export_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`exported_strike`."""
    add = parser.add_argument
    add(
        "--tool",
        type=Path,
        metavar="FILE",
        help="mjcf: YAML of a tool that strikes (doc/hitting_hardest.md), the middle of its ranges",
    )
    add("--target", type=Path, metavar="FILE", help="YAML of its nail or wall (default: of --tool)")
    add(
        "--q",
        type=numbers,
        metavar="Q,..",
        help="with --tool: joint positions at the target [rad] (default: the stance)",
    )


def exported_strike(arguments: argparse.Namespace, robot: Robot) -> StrikeScene | None:
    """Return the tool and its target, None if the options ask for none.

    Raises:
        UsageError: options that do not go together, or positions of another arm.
        RobotError: an entry of the files is wrong, or the stance is needed and missing.
    """
    if arguments.scenario == HAMMER_NAIL and arguments.format == MJCF:
        _refuse(arguments, ("tool", "target", "q"), f"not with {HAMMER_NAIL}")
        world = HammerNail()
        if len(world.q) != robot.dof:
            raise UsageError(f"{HAMMER_NAIL}: expected an arm of 7 joints, got {robot.dof}")
        tool, q = world.tool, np.array(world.q)
        return StrikeScene(robot, tool, world.true_tool, world.true_nail, q, world.true_friction)
    if arguments.tool is None:
        _refuse(arguments, ("target", "q"), "expected --tool FILE beside it")
        return None
    if arguments.format != MJCF:
        raise UsageError("--tool: expected the format mjcf")
    _refuse(arguments, ("scenario",), "not with --tool")
    tool, target = read_tool(arguments.tool), read_target(arguments.target or arguments.tool)
    if arguments.q is None:
        robot.require("export without --q", "stance")
    q = robot.stance if arguments.q is None else sized(arguments.q, robot.dof, "--q")
    surface, friction = middle_surface(target), middle(target.friction)
    return StrikeScene(robot, tool, tool.nominal, surface, q, friction)


def strike_entries(scene: StrikeScene) -> dict[str, Any]:
    """Return what was exported, for the JSON document; null: the tool is rigid."""
    stiffness = scene.case.stiffness
    return {
        "tool": {
            "head_mass_kg": scene.case.mass,
            "handle_stiffness_npm": None if stiffness == inf else stiffness,
            "damping_ratio": scene.case.damping_ratio,
        },
        "target": {_kind(scene.target): scene.target._asdict()},
        "friction": scene.friction,
        "q_at_target_rad": scene.q.tolist(),
    }


def strike_line(scene: StrikeScene) -> str:
    """Return what was exported, in a few words."""
    handle, target = scene.case.stiffness, scene.target
    held = "rigid" if handle == inf else f"on {handle:g} N/m"
    figures = f"{target.stiffness:g} N/m"
    if isinstance(target, NailCase):
        figures = f"{target.resistance:g} N, {figures}"
    return f"head {scene.case.mass:g} kg, {held}; {_kind(target)} of {figures}"


def _kind(target: NailCase | StopCase) -> str:
    return "nail" if isinstance(target, NailCase) else "stop"


def _refuse(arguments: argparse.Namespace, names: tuple[str, ...], why: str) -> None:
    """Refuse options; raises UsageError that names one."""
    for name in names:
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name}: {why}")
