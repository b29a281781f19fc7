# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest safe speed of arms that hit a box: `plan --task`, `plan --scenario`."""

from __future__ import annotations

import argparse
from typing import Any

from impact_cli.options.number_options import bounds, numbers
from impact_cli.plans.object_plan_report import ObjectPlan
from impact_predictor.exceptions import PredictionError
from impact_qp.arms.object_hits import box_hit
from impact_qp.limits.impact_limits.registry import AUTO
from impact_qp.object_speed import OBJECT_LIMITS, object_speeds
from impact_robots.exceptions import UsageError
from impact_robots.task.box_task import STILL, BoxRanges, BoxTask
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.scenario_choice import find

_BOX = ("object_mass", "object_velocity")  # options of tasks with a box only
_OF_ONE_ARM = (  # options that the task defines, or that do not apply to a box
    *("robot", "urdf", "contact", "payload", "b_theta", "b_rho", "composite", "q", "normal"),
    *("material", "interface", "optimize", "tilt", "seed"),
)


def add_object_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a box."""
    add = parser.add_argument
    add("--scenario", metavar="NAME", help="named scenario with a box, or its YAML")
    add("--object-mass", type=bounds, metavar="M", help=_MASS)
    add("--object-velocity", type=numbers, metavar="X,Y,Z", help=_VELOCITY)


_MASS = "mass of the box, or low,high [kg] (default: the task's range, or 1 to 1.3 times its mass)"
_VELOCITY = "velocity of the box before the impact, world axes [m/s] (default: at rest)"


def refuse_box_options(arguments: argparse.Namespace) -> None:
    """Refuse options of a box for a task without one.

    Raises:
        UsageError: one is given; named in the message.
    """
    for name in _BOX:
        if getattr(arguments, name) is not None:
            raise UsageError(
                f"--{name.replace('_', '-')}: only for a box, with --task or --scenario"
            )


def object_plan(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser, task: BoxTask
) -> ObjectPlan:
    """Return the highest safe speeds of the arms of a task with a box.

    Args:
        arguments: of `plan`.
        parser: their parser.
        task: the push or grab.

    Raises:
        UsageError: options that do not apply to a box.
        ImpactError: a range is invalid.
    """
    for name in _OF_ONE_ARM:
        if getattr(arguments, name) != parser.get_default(name):
            raise UsageError(f"--{name.replace('_', '-')}: not with a box")
    if arguments.others:
        raise UsageError("--and: not with a box")
    for robot in task.robots:
        robot.require("plan")
    mode = OBJECT_LIMITS[0] if arguments.mode == AUTO else arguments.mode
    if mode not in OBJECT_LIMITS:
        choices = ", ".join((AUTO, *OBJECT_LIMITS))
        raise UsageError(f"--impact-limits: with a box expected one of {choices}, got {mode}")
    hit = box_hit(task, _ranges(arguments))
    pulse = arguments.peak_factor, arguments.duration
    try:
        speeds = object_speeds(hit, mode, arguments.joint_ranges, pulse=pulse)
    except PredictionError as error:
        raise UsageError(f"--impact-limits {mode}: {error}; robust needs less") from None
    return ObjectPlan(task, hit, mode, arguments.joint_ranges, speeds)


def box_task(name: str) -> BoxTask:
    """Return the task of a scenario with a box.

    Raises:
        TaskError: there is none, or an entry is wrong.
    """
    return find(name, SpreadingScenario).task


def _ranges(arguments: argparse.Namespace) -> BoxRanges:
    """Return the ranges of the box.

    Raises:
        UsageError: not three numbers of a velocity.
    """
    velocity: Any = arguments.object_velocity or STILL
    if len(velocity) != len(STILL):
        raise UsageError(f"--object-velocity: expected three numbers, got {len(velocity)}")
    return BoxRanges(
        arguments.object_mass,
        arguments.friction,
        arguments.restitution,
        arguments.stiffness,
        velocity,
    )
