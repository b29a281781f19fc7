# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `plan`: the highest safe speed of an impact and a configuration that raises it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text, plain
from impact_bags.new_files import write_file
from impact_cli.command_names import COMMANDS
from impact_cli.options.cluster_option import add_cluster_option
from impact_cli.options.impact_options import (
    GivenImpact,
    add_impact_options,
    read_impact,
    read_robot,
)
from impact_cli.options.limit_options import (
    add_limit_options,
    check_limit_options,
    limit_of,
    read_plan,
    warn_of_exact_friction,
    words_of,
)
from impact_cli.options.number_options import seed
from impact_cli.options.outputs import refuse_inputs
from impact_cli.plans.case_file import kind_of, read_cases
from impact_cli.plans.object_plan import (
    add_object_options,
    box_task,
    object_plan,
    refuse_box_options,
)
from impact_cli.plans.object_plan_report import object_plan_document, object_plan_text
from impact_cli.plans.person_plan import add_person_options, person_plan, print_person_cases
from impact_cli.plans.plan_yaml import plan_yaml
from impact_cli.plans.reflex_case import reflex_cases
from impact_cli.plans.reflex_plan import EPILOG as REFLEX_EPILOG
from impact_cli.plans.reflex_plan import add_reflex_options, reflex_plan
from impact_cli.plans.several_plan import (
    SeveralPlan,
    add_several_options,
    concerns_several,
    several_document,
    several_plan,
    several_text,
)
from impact_cli.plans.task_plan import (
    add_task_options,
    fill_options,
    given_task,
    hide_moved,
    palms_plan,
    warn_of_moved,
)
from impact_cli.progress import Progress
from impact_cli.reports.load_report import cover_document, cover_lines
from impact_cli.reports.predict_report import coefficients
from impact_cli.strikes.strike_cases import strike_cases
from impact_cli.strikes.strike_command import add_strike_options, checked_strike
from impact_cli.strikes.strike_report import strike_document, strike_text
from impact_qp.control.plan import Plan
from impact_qp.planning import HitConfiguration, Search, bottoming_speed, safe_speed
from impact_robots import Robot
from impact_robots.exceptions import UsageError
from impact_robots.task.box_task import BoxTask
from impact_robots.task.hit_task import HitTask
from impact_robots.task.palm_task import PalmTask
from impact_robots.tools.tool import with_tool

_STANDARD_OUTPUT = "-"
CASE_KINDS = {"strike": "tool", "person": "region", "reflex": "vendor"}  # each by an own entry

_EPILOG = """examples:
  impact plan --robot panda --q 0.43,-0.61,0.18,-2.16,0.04,3.13,-0.73 --normal -1,0,0 \\
      --friction 0,0.279 --restitution 0,0.3
  impact plan --friction 0,0.279 --restitution 0,0.3 --stiffness 1e5,1e7 --impact-limits joint_load
  impact plan --friction 0,0.279 --restitution 0,0.3 --impact-limits robust --optimize --json
  impact plan --friction 0,0.279 --restitution 0,0.3 --yaml hit.yaml
  impact plan --robot hrp4 --contact left_palm --normal 0,1,0 --and right_palm:0,-1,0 \\
      --friction 0.79 --restitution 0,0.3
  impact plan --task push.yaml
  impact plan --task grab.yaml --cell cell.yaml --impact-limits robust
  impact plan --scenario rs_grab_catfood_case1
  impact plan --scenario mine.yaml --friction 0.3,0.9 --impact-limits robust --json
  impact plan --person chest --task near.yaml
  impact plan --tool hammer.yaml --target nail.yaml --q 0.21,0.05,-0.21,-2.38,0.02,2.43,0
  impact plan --reflex hits/gentle/bag --speed 0.1 --yaml thresholds.yaml

Nothing moves. The bound is that of the controller for an arm at rest; margin 2 % (joint_load) or
1 % (robust). joint_load: every impact along the normal within the ranges of surface and joints;
without --stiffness any stiffness. The other limits are as published: a friction pyramid of 8 facets
around the cone (existential: inside it), configured peak and duration of the force.
With --and, or a floating base: robust (the default), nominal or existential, around the cone, no
margin; the impulse of a contact may be zero.
--task reads the task from a file (doc/own_cell.md). For arms that push or grab a box, and with
--scenario: the highest speed of the plates, joint_load or robust; margin 5 % (joint_load), 1 %
(robust), 2 % of the joint velocities. For a humanoid: the speed of the palms, as with --and.
--person REGION: the highest speed towards a person (doc/people.md); --task gives pose, direction,
control and reaction of the arm, whether the region is clamped, and padding. With --case FILE (JSON)
in place of the region, cases are computed again. Not a certified safety function.
--tool FILE [--target FILE]: the highest safe strike with a tool (doc/hitting_hardest.md), at --q or
the pose of --task, whose file may say tool and target itself; --optimize: of the best pose with the
head at the same place.
--case FILE alone: the cases say what they are; strikes with a tool too.
--yaml writes contact point, normal, speed, joint names and limits.
Exit status: 0 done, 1 no speed is safe here, 2 wrong usage.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "plan",
        help=COMMANDS["plan"],
        description="Compute the highest approach speed at which an impact here respects the "
        "limits of the robot, and the limit that is reached first.",
        epilog=_EPILOG + REFLEX_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_impact_options(parser, moving=False)
    add_several_options(parser)
    add_task_options(parser)
    add_object_options(parser)
    add_person_options(parser)
    add_limit_options(parser)
    add_reflex_options(parser)
    add_strike_options(parser)
    add = parser.add_argument
    add("--optimize", action="store_true", help="search for a faster configuration, same point")
    add("--seed", type=seed, default=0, metavar="N", help="seed of the search (default: 0)")
    add_cluster_option(add, argparse.SUPPRESS)  # of --optimize: page "cluster"
    add("--json", action="store_true", help="one JSON document on standard output")
    add("--yaml", metavar="FILE", help="write the plan for other controllers; -: to stdout")
    hide_moved(parser)
    parser.set_defaults(run=lambda arguments: run(arguments, parser))
    return parser


def run(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Compute the bound and print it; return 1 if there is no safe speed."""
    given = argparse.Namespace(**vars(arguments))
    status = _run(arguments, parser)
    warn_of_moved(given, parser)
    return status


def _run(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Compute the bound and print it."""
    if arguments.dask and not arguments.optimize:
        raise UsageError("--dask: only with --optimize")
    if arguments.json and arguments.yaml == _STANDARD_OUTPUT:
        raise UsageError("--yaml: expected a file together with --json, got -")
    if arguments.tool is not None or arguments.target is not None:
        return _run_with_tool(arguments, parser)
    if arguments.person is not None:
        return person_plan(arguments)
    if arguments.reflex is not None:
        return reflex_plan(arguments, parser)
    if arguments.hit_speed is not None:
        raise UsageError("--speed: only with --reflex")
    if arguments.case is not None:
        return _print_cases(arguments)
    task = given_task(arguments)
    if isinstance(task, HitTask) and task.tool is not None:
        return _run_with_tool(arguments, parser)
    if arguments.scenario is not None:
        task = box_task(arguments.scenario)
    if isinstance(task, HitTask | BoxTask):
        fill_options(arguments, parser, task)
    check_limit_options(arguments)
    if isinstance(task, BoxTask):
        return _run_with_box(arguments, parser, task)
    refuse_box_options(arguments)
    if isinstance(task, PalmTask):
        return _print_several(arguments, palms_plan(arguments, parser, task))
    impact = read_impact(arguments)
    if concerns_several(arguments, impact):
        return _run_with_several(arguments, impact, parser)
    impact.robot.require("plan")
    plan = read_plan(arguments, impact.state.position, impact.surface, impact.robot)
    limit = limit_of(plan, impact.robot)
    here = safe_speed(impact.robot, limit, impact.state.q)
    warn_of_exact_friction(plan, impact.robot, here.q)
    best = None
    if arguments.optimize:
        from impact_trials.processes import in_order  # here, or on the cluster of --dask

        tilt = float(np.radians(arguments.tilt))
        work = (impact.robot, plan, here.q, tilt, arguments.seed)
        (best,) = in_order(_searched, [work], 1, "plan")
    bottoms = bottoming_speed(impact.robot, limit, here.q)
    document = plain(_document(impact, plan, here, best) | cover_document(impact.robot, bottoms))
    if arguments.yaml is not None:
        _write_yaml(arguments, plan_yaml(document, impact.robot, plan.interface))
    if arguments.json:
        print(json_text(document))
    elif arguments.yaml != _STANDARD_OUTPUT:
        print("\n".join([_as_text(impact, plan, here, best), *cover_lines(impact.robot, bottoms)]))
    return 0 if here.bound.speed > 0.0 else 1


def _searched(robot: Robot, plan: Plan, q: np.ndarray, tilt: float, seed: int) -> HitConfiguration:
    """Return the fastest configuration found for the same point."""
    search = Search(robot, limit_of(plan, robot), q, tilt=tilt, seed=seed)
    if not sys.stderr.isatty():
        return search.best()
    progress = Progress("best configuration")
    best = search.best(report=progress.update)
    progress.close(f"{best.bound.speed:.3g} m/s")
    return best


def _print_cases(arguments: argparse.Namespace) -> int:
    """Print the cases of a file whose kind no option says; return the exit status."""
    kind = kind_of(arguments.case, CASE_KINDS)
    if kind == "person":
        return print_person_cases(arguments)
    cases, robot = read_cases(arguments.case, ""), read_robot(arguments)
    answers = reflex_cases if kind == "reflex" else strike_cases
    print(json_text(answers(cases, robot)))
    return 0


def _run_with_tool(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Compute and print a strike with a tool; 1 if none is safe, or none does what is asked."""
    task = given_task(arguments)
    if isinstance(task, HitTask):
        arguments.robot = arguments.robot or task.robot or None
        if arguments.q is None:
            robot = read_robot(arguments)
            if task.tool is not None:
                robot = with_tool(robot, task.tool, task.tool.nominal.mass)
            arguments.q = tuple(task.pose(robot).tolist())
    elif task is not None:
        raise UsageError("--task: expected an arm that hits a surface beside --tool")
    strike = checked_strike(arguments, parser, task)
    document = plain(strike_document(strike))
    if arguments.yaml is not None:
        robot = strike.plan.striker.robot
        _write_yaml(arguments, plan_yaml(document, robot, arguments.interface))
    if arguments.json:
        print(json_text(document))
    elif arguments.yaml != _STANDARD_OUTPUT:
        print(strike_text(strike))
    return 0 if strike.safe else 1


def _run_with_box(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser, task: BoxTask
) -> int:
    """Compute and print the bound of a task with a box."""
    plan = object_plan(arguments, parser, task)
    document = plain(object_plan_document(plan))
    if arguments.yaml is not None:
        if len(kinds := task.cell.kinds) > 1:
            raise UsageError(f"--yaml: expected arms of one kind, got {', '.join(kinds)}")
        refuse_inputs("--yaml", arguments.yaml, task.cell.kinds)
        _write_yaml(arguments, plan_yaml(document, task.robots[0], arguments.interface))
    if arguments.json:
        print(json_text(document))
    elif arguments.yaml != _STANDARD_OUTPUT:
        print(object_plan_text(plan))
    return 0 if plan.is_safe else 1


def _run_with_several(
    arguments: argparse.Namespace, impact: GivenImpact, parser: argparse.ArgumentParser
) -> int:
    """Compute and print the bound of several contacts, or of a robot with a floating base."""
    return _print_several(arguments, several_plan(arguments, impact, parser))


def _print_several(arguments: argparse.Namespace, plan: SeveralPlan) -> int:
    """Print how fast several contacts may arrive; 1 if there is no safe speed."""
    if arguments.json:
        print(json_text(several_document(plan)))
    else:
        print(several_text(plan))
    return 0 if plan.bound.speed > 0.0 else 1


def _write_yaml(arguments: argparse.Namespace, text: str) -> None:
    """Write the file of ``--yaml``, or to standard output.

    Raises:
        UsageError: it is the robot's YAML, which a task may name.
        WriteError: the file cannot be written.
    """
    if arguments.yaml == _STANDARD_OUTPUT:
        print(text, end="")
        return
    refuse_inputs("--yaml", arguments.yaml, [arguments.robot])
    write_file(Path(arguments.yaml), text)


def _document(
    impact: GivenImpact, plan: Plan, here: HitConfiguration, best: HitConfiguration | None
) -> dict[str, Any]:
    """Return the document for JSON and YAML."""
    return {
        "robot": impact.robot.name,
        "mode": plan.impact_limits,
        "impact_limits": plan.impact_limits,
        "joint_ranges": plan.joint_ranges if plan.impact_limits == "joint_load" else None,
        "normal": impact.surface.normal,
        "friction": impact.surface.friction[1],
        "friction_low": impact.surface.friction[0],
        "restitution": impact.surface.restitution,
        "stiffness_npm": impact.surface.stiffness,
        "contact_point_m": impact.state.position,
        **_hit(here),
        **({} if best is None else {"best": {**_hit(best), "gain": _gain(here, best)}}),
    }


def _hit(hit: HitConfiguration) -> dict[str, Any]:
    return {
        "q_rad": hit.q,
        "speed_bound_mps": hit.bound.speed,
        "limit": hit.bound.name or None,
    }


def _gain(here: HitConfiguration, best: HitConfiguration) -> float | None:
    """Return the ratio of the two speeds, None if the first is not positive."""
    return best.bound.speed / here.bound.speed if here.bound.speed > 0.0 else None


def _as_text(
    impact: GivenImpact, plan: Plan, here: HitConfiguration, best: HitConfiguration | None
) -> str:
    """Return a few lines."""
    x, y, z = impact.state.position
    lines = [
        f"{impact.robot.name}, contact point at ({x:.3f}, {y:.3f}, {z:.3f}) m, {words_of(plan)}",
        f"  {coefficients(impact.surface)}",
        f"  highest safe speed {_text(here)}",
    ]
    if best is not None:
        gain = _gain(here, best)
        times = "" if gain is None else f", {gain:.2f} times as fast"
        q = ",".join(f"{value:.4f}" for value in best.q)
        lines += [f"  best configuration {_text(best)}{times}", f"    --q {q}"]
    return "\n".join(lines)


def _text(hit: HitConfiguration) -> str:
    if not np.isfinite(hit.bound.speed):
        return "unlimited: no limit is affected"
    return f"{hit.bound.speed:.4f} m/s, limited by {hit.bound.name}"
