# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --task`: options that a task replaces, and the highest safe speed of a humanoid's palms."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from impact_cli.options.impact_options import GivenImpact, read_robot
from impact_cli.plans.several_plan import SeveralPlan
from impact_qp.body.grab_balance import grab_margin
from impact_qp.body.grab_phases import box_arrivals
from impact_qp.limits.impact_limits.registry import AUTO
from impact_qp.whole_body.planning import JOINT_LOAD, READINGS, arrival_speed
from impact_robots import ArmDynamics, load_robot
from impact_robots.exceptions import UsageError
from impact_robots.task.box_task import BoxTask
from impact_robots.task.find import Task, find_task
from impact_robots.task.hit_task import HitTask
from impact_robots.task.palm_task import PalmTask

_OF_ANY = {  # entry of a hit or box task, by the option that it replaces
    "joint_ranges": "joint_ranges",
    "peak_factor": "peak_factor",
    "duration": "impact_duration",
}
_OF_A_HIT = _OF_ANY | {
    "tilt": "tilt",
    "seed": "seed",
    "friction": "friction",
    "restitution": "restitution",
    "stiffness": "stiffness",
    "mode": "impact_limits",
    "normal": "contact_normal",
}
_MOVED = {  # options that the next release removes, and their replacements
    **{option: f"{entry} of a task file" for option, entry in _OF_ANY.items()},
    "tilt": "tilt of a task file [rad]",
    "seed": "seed of a task file",
    "object_mass": "ranges: mass of a task file",
    "object_velocity": "ranges: velocity of a task file",
    "composite": "composite of a contact in the robot's YAML",
    "b_theta": "apparent_motor_inertia in the robot's YAML",
    "b_rho": "reflected_motor_inertia in the robot's YAML",
}
_OF_A_TASK = (  # options that a humanoid's task defines
    *("urdf", "contact", "payload", "b_theta", "b_rho", "composite", "q", "normal", "friction"),
    *("restitution", "stiffness", "material", "interface", "optimize", "tilt", "yaml"),
    *("joint_ranges", "others", "robot"),
)


def add_task_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`given_task`."""
    add = parser.add_argument
    add("--task", metavar="FILE", help="YAML of a hit, a push or a grab, or a shipped task's name")
    add("--cell", metavar="FILE", help="YAML of which robots stand where (default: the task's)")


def given_task(arguments: argparse.Namespace) -> Task | None:
    """Return the task of the options, None without one.

    Raises:
        UsageError: a cell without a task, or a task beside a scenario.
        TaskError: there is no such task, or an entry is wrong.
    """
    if arguments.task is None:
        if arguments.cell is not None:
            raise UsageError("--cell: only with --task")
        return None
    if arguments.scenario is not None:
        raise UsageError("--task: not with --scenario, which contains one")
    return find_task(arguments.task, arguments.cell or "")


def hide_moved(parser: argparse.ArgumentParser) -> None:
    """Hide the options that the next release removes from the help."""
    for action in parser._actions:
        if action.dest in _MOVED:
            action.help = argparse.SUPPRESS


def warn_of_moved(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Print the replacement of each deprecated option that is given."""
    for name, place in _MOVED.items():
        if getattr(arguments, name) != parser.get_default(name):
            option = name.replace("_", "-")
            print(f"impact: --{option} is deprecated: use {place}", file=sys.stderr)


def fill_options(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser, task: HitTask | BoxTask
) -> None:
    """Set options that are not given to the values of a task.

    Args:
        arguments: of `plan`, to change.
        parser: their parser.
        task: a hit, or a task with a box.

    Raises:
        RobotError: the robot cannot be loaded, or cannot reach the contact point.
    """
    for option, entry in (_OF_A_HIT if isinstance(task, HitTask) else _OF_ANY).items():
        said = getattr(task, entry)
        if said is not None and getattr(arguments, option) == parser.get_default(option):
            setattr(arguments, option, np.degrees(said) if option == "tilt" else said)
    if isinstance(task, HitTask):
        arguments.robot = arguments.robot or task.robot or None
        if arguments.q is None:
            arguments.q = tuple(task.pose(read_robot(arguments)).tolist())


def palms_plan(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser, task: PalmTask
) -> SeveralPlan:
    """Return the highest safe speed of a humanoid's palms at the box of a task.

    Args:
        arguments: of `plan`.
        parser: their parser.
        task: the grab.

    Raises:
        UsageError: an option that the task defines, or an unsuitable limit.
        ImpactError: the robot cannot reach the box, the grab makes it fall, or its YAML lacks
            required fields.
    """
    _refuse(arguments, parser, _OF_A_TASK)
    reading = arguments.mode if arguments.mode != AUTO else task.impact_limits
    if reading not in (*READINGS, JOINT_LOAD):
        choices = ", ".join((*READINGS, JOINT_LOAD))
        raise UsageError(f"--impact-limits: for palms expected one of {choices}, got {reading}")
    robot = load_robot(task.robot)
    robot.require_no_loops("plan")
    task = replace(task, impact_limits=reading)
    arrivals = box_arrivals(task, robot)
    q = task.grabbing(robot)
    state = ArmDynamics(robot, "all").state(q, np.zeros(robot.nv))
    impact = GivenImpact(robot, state.at(arrivals[0].frame), arrivals[0].contact)
    margin = grab_margin(robot, task, arrivals)
    bound = arrival_speed(robot, q, arrivals, reading)
    return SeveralPlan(impact, arrivals, reading, bound, margin)


def _refuse(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser, options: Sequence[str]
) -> None:
    """Refuse options that the task defines.

    Raises:
        UsageError: one is given.
    """
    for name in options:
        if getattr(arguments, name) != parser.get_default(name):
            option = "and" if name == "others" else name.replace("_", "-")
            raise UsageError(f"--{option}: not with a humanoid's task")
