# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --tool FILE --target FILE`: the highest safe strike with a tool, here or anywhere."""

from __future__ import annotations

import argparse
from pathlib import Path

from impact_cli.options.impact_options import check_positions, read_robot, sized
from impact_cli.progress import Progress
from impact_cli.strikes.checked_strike import CheckedStrike
from impact_predictor.joint_load.drive import SERVO, drive_of
from impact_predictor.strike.strike_plan import StrikePlan, plan_strike
from impact_qp.strike.best_strike import BestStrike, best_strike
from impact_robots.description.joint_ranges import ANNOUNCED
from impact_robots.exceptions import ImpactError, UsageError
from impact_robots.task.hit_task import HitTask
from impact_robots.tools.strike_file import read_target, read_tool
from impact_robots.tools.target import Target
from impact_robots.tools.tool import Tool

_OF_FILES = (  # options that tool and target replace
    *("contact", "payload", "normal", "friction", "restitution", "stiffness", "material", "mode"),
    *("others", "scenario", "cell", "case", "person", "reflex", "hit_speed"),
)


def add_strike_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`checked_strike`; the epilog of `plan` describes them."""
    add = parser.add_argument
    add("--tool", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    add("--target", type=Path, metavar="FILE", help=argparse.SUPPRESS)


def checked_strike(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser, task: HitTask | None = None
) -> CheckedStrike:
    """Return the strike of the options, and what the full simulation says of it.

    Args:
        arguments: of `plan`.
        parser: their parser.
        task: of the options; its tool and target, unless options give them.

    Raises:
        UsageError: a file is missing, or an option does not go with a tool.
        ImpactError: an entry of the files is wrong, or the robot's YAML lacks fields.
    """
    from impact_trials.strikes.simulated_plan import simulate_plan  # loads slowly

    plan, best = _strike_plan(arguments, parser, task)
    if drive_of(plan.striker.robot, arguments.interface) == SERVO:
        return CheckedStrike(plan, best, None, "the simulated motors are commanded by torques")
    try:
        return CheckedStrike(plan, best, simulate_plan(plan), "")
    except ImpactError as error:
        return CheckedStrike(plan, best, None, str(error))


def _strike_plan(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser, task: HitTask | None
) -> tuple[StrikePlan, BestStrike | None]:
    """Return the strike of the options, and how it was found with `--optimize`."""
    tool, target = _tool_and_target(arguments, task)
    for name in _OF_FILES:
        if getattr(arguments, name) != parser.get_default(name):
            option = {"others": "and", "mode": "impact-limits", "hit_speed": "speed"}.get(
                name, name
            )
            raise UsageError(f"--{option}: not with --tool")
    robot = read_robot(arguments)
    robot.require("plan")
    q = robot.stance if arguments.q is None else sized(arguments.q, robot.dof, "--q")
    check_positions(robot, q)
    drive = drive_of(robot, arguments.interface)
    joints = arguments.joint_ranges or ANNOUNCED
    if not arguments.optimize:
        return plan_strike(robot, tool, target, q, drive=drive, joints=joints), None
    progress = Progress("best pose")
    best = best_strike(
        *(robot, tool, target, q),
        drive=drive,
        joints=joints,
        seed=arguments.seed,
        report=progress.update,
    )
    progress.close(f"of {best.reached} found")
    return best.plan, best


def _tool_and_target(arguments: argparse.Namespace, task: HitTask | None) -> tuple[Tool, Target]:
    """Return them from the options, or from the task.

    Raises:
        UsageError: a file is missing, or both say them.
        RobotError: an entry of the files is wrong.
    """
    given = arguments.tool is not None or arguments.target is not None
    if task is not None and task.tool is not None and task.target is not None:
        if given:
            raise UsageError("--tool: not with a task that says tool and target")
        return task.tool, task.target
    if arguments.tool is None:
        raise UsageError("--target: expected --tool FILE beside it")
    return read_tool(arguments.tool), read_target(arguments.target or arguments.tool)
