# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `export`: an arm and a wall for other simulators, or recorded impacts as tables."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from impact_analysis.present.plain import json_text
from impact_bags.windows.files import LIBRARIES
from impact_cli.command_names import COMMANDS
from impact_cli.demo.demo_scenario import HAMMER_NAIL
from impact_cli.options.number_options import number
from impact_cli.strikes.strike_export import (
    add_strike_export_options,
    exported_strike,
    strike_entries,
    strike_line,
)
from impact_cli.window_export import (
    add_window_options,
    check_window_options,
    write_files,
    write_windows,
)
from impact_robots.description.loader import load_robot
from impact_robots.exceptions import UsageError
from impact_sim.export.arm_mjcf import ExportedArm
from impact_sim.export.gazebo_files import gazebo_files
from impact_sim.export.mjcf_files import APPROACH_SPEED, mjcf_files
from impact_sim.export.strike_scene import StrikeScene
from impact_sim.scenario_choice import find
from impact_sim.scenarios import Scenario

_EPILOG = """examples:
  impact export mjcf --scenario qp_panda_demo --out wall
  impact export mjcf --scenario qp_panda_demo --flexible --out wall_flexible
  impact export mjcf --robot fr3 --urdf fr3.urdf --out fr3
  impact export mjcf --scenario hammer_nail --flexible --out nail
  impact export mjcf --tool hammer.yaml --target nail.yaml --flexible --out mine
  impact export gazebo --scenario qp_panda_demo --out gazebo
  impact export hdf5 trials --out windows
  impact export parquet bag --robot fr3 --normal=-1,0,0 --out windows

mjcf: scene.xml for MuJoCo, robot.urdf and controllers.yaml for ros2_control with the package
mujoco_ros2_control. robot.urdf names scene.xml by its absolute path. Read doc/mujoco.md first.
gazebo: world.sdf, and robot.urdf and controllers.yaml for gz_ros2_control. Gazebo does not model
motor inertia: an arm hits with the inertia of its links alone. Read doc/gazebo.md first.
hdf5, parquet: what was measured around each impact of recordings, as tables; analyze reads them.
Needs the package h5py or pyarrow. Read doc/windows.md first.
Exit status: 0 done, 1 the files cannot be written or MuJoCo refuses the model, 2 wrong usage or
no impact in any recording.
"""
_LOOP = "motors without a torque loop: motor inertia B_rho instead of B_theta"
_SPEED = "approach speed at which the wall reproduces the scenario's contact law [m/s]"


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "export",
        help=COMMANDS["export"],
        description="Write an arm with its motor inertia, and the wall of a scenario, for another"
        " simulator; or the contact windows of recordings as tables.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "format",
        choices=("mjcf", "gazebo", *LIBRARIES),
        help="format of MuJoCo or of Gazebo; or of contact windows",
    )
    add("bags", metavar="BAG", type=Path, nargs="*", help="hdf5, parquet: recordings, or folders")
    add("--out", type=Path, metavar="DIR", required=True, help="new or empty folder")
    add(
        "--robot",
        help="name of a robot, or its YAML (default: the scenario's, the YAML beside the"
        " recording, or panda)",
    )
    add("--urdf", metavar="PATH", help="URDF that replaces the robot's own")
    add(
        "--scenario",
        metavar="S",
        help="name or YAML of the scenario that defines the wall and the initial configuration",
    )
    add("--flexible", action="store_true", help="motors and springs instead of rigid joints")
    add("--no-torque-loop", action="store_false", dest="torque_loop", help=_LOOP)
    add("--speed", type=number, metavar="V", help=f"{_SPEED} (default: {APPROACH_SPEED})")
    add_strike_export_options(parser)
    add_window_options(add)
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Write the files and print their names.

    Raises:
        ImpactError: the folder is not empty, robot or scenario cannot be exported, or the files
            cannot be written.
    """
    folder, speed = arguments.out, _speed(arguments)
    _check(folder)
    check_window_options(arguments)
    if arguments.format in LIBRARIES:
        return write_windows(arguments)
    scenario = _scenario(arguments)
    robot = load_robot(arguments.robot or _own_robot(scenario), urdf=arguments.urdf)
    strike = exported_strike(arguments, robot)
    if arguments.format == "gazebo":
        files = gazebo_files(folder, robot, _wanted(arguments, scenario), speed)
        motors: dict[str, Any] = {"flexible": False, "motor_inertia_kgm2": [0.0] * robot.dof}
    else:
        joints = {"flexible": arguments.flexible, "torque_loop": arguments.torque_loop}
        arm = ExportedArm(robot, **joints) if strike is None else strike.arm(**joints)
        files = mjcf_files(folder, arm, strike or scenario, speed)
        motors = {"flexible": arm.flexible, "torque_loop": arm.torque_loop}
        motors["motor_inertia_kgm2"] = arm.motor_inertia.tolist()
    write_files(folder, files)
    document = {
        "format": arguments.format,
        "robot": robot.name,
        "scenario": arguments.scenario if scenario is None else scenario.name,
        **({} if strike is None else strike_entries(strike)),
        **motors,
        "driver_compensates_gravity": robot.driver_compensates_gravity,
        "output_dir": str(folder),
        "files": list(files),
    }
    print(json_text(document) if arguments.json else _as_text(document, strike))
    return 0


def _wanted(arguments: argparse.Namespace, scenario: Scenario | None) -> Scenario:
    """Return the scenario, which Gazebo requires.

    Raises:
        UsageError: there is none, or an option of flexible joints or motors is given.
    """
    if scenario is None:
        raise UsageError("export gazebo: expected --scenario")
    if arguments.flexible or not arguments.torque_loop:
        option = "--flexible" if arguments.flexible else "--no-torque-loop"
        raise UsageError(f"{option}: expected the format mjcf, Gazebo models no motor inertia")
    return scenario


def _scenario(arguments: argparse.Namespace) -> Scenario | None:
    """Return the scenario with a wall; None: none, or that with a nail.

    Raises:
        ScenarioError: there is no such scenario.
    """
    of_nail = arguments.scenario == HAMMER_NAIL and arguments.format == "mjcf"
    if arguments.scenario is None or of_nail:
        return None
    return find(arguments.scenario, Scenario)


def _own_robot(scenario: Scenario | None) -> str:
    return "panda" if scenario is None else scenario.robot


def _speed(arguments: argparse.Namespace) -> float:
    """Return the speed at which the wall reproduces the scenario's contact law.

    Raises:
        UsageError: it is not positive, or there is no wall.
    """
    if arguments.speed is None:
        return APPROACH_SPEED
    if not arguments.speed > 0.0:
        raise UsageError(f"--speed: expected a number > 0, got {arguments.speed:g}")
    if arguments.scenario is None and arguments.tool is None:
        raise UsageError("--speed: expected --scenario as well, which defines the wall")
    return float(arguments.speed)


def _check(folder: Path) -> None:
    """Refuse a folder that is not empty.

    Raises:
        UsageError: the folder is not empty, not a folder, or cannot be used.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"--out: expected a folder, {folder} is not one")
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"--out: expected a new or empty folder, {folder} has files in it")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"--out: cannot use {folder}: {reason}") from None


def _as_text(document: dict[str, Any], strike: StrikeScene | None) -> str:
    """Return one line about the model and the list of files."""
    inertia = "no motor inertia"
    if document["format"] == "mjcf":
        inertia = f"motor inertia {'B_theta' if document['torque_loop'] else 'B_rho'}"
    joints = "motors and springs" if document["flexible"] else "rigid joints"
    scenario = document["scenario"]
    wall = "no wall" if scenario is None else f"the wall of {scenario}"
    if strike is not None:
        wall = strike_line(strike)
    files = [f"  {Path(document['output_dir']) / name}" for name in document["files"]]
    return "\n".join([f"{document['robot']}: {joints}, {inertia}; {wall}", *files])
