# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --person`: the highest speed of an arm towards a person."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text
from impact_cli.options.impact_options import check_positions, read_robot, sized
from impact_cli.plans.case_file import Case, figures, needed, read_cases, vector
from impact_cli.plans.person_report import PersonPlan, PointPlan, person_document, person_text
from impact_predictor.joint_load.drive import can_load
from impact_predictor.people.aim import TOOL, Aim, aim
from impact_predictor.people.cautions import COASTS, FROM_MEMORY, PUSHES_ON, SHORT_PEAK, cautions
from impact_predictor.people.loop import ArmLoop, Reaction, coasting, impedance, servo
from impact_predictor.people.person_speed import PersonContact, person_speed
from impact_predictor.people.person_task import PersonTask, read_person_task
from impact_predictor.people.regions import BUILT_IN, region_named
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact
from impact_qp.planning import safe_speed
from impact_robots.exceptions import UsageError
from impact_robots.robot import Robot
from impact_robots.surface import USUAL_FRICTION

CASES = "A"  # of several lists in a file of cases
_PADDING = "pad_N_per_mm"  # of a case; 0: none
_SPRING = (1.0, 1.0)  # restitution of a contact without damping [-]
_SHORT = 2.0  # first peaks that come sooner than the motors take part [ms]


def add_person_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`person_plan`; the examples of `plan` describe them."""
    add = parser.add_argument
    add("--person", nargs="?", const="", metavar="REGION", help=argparse.SUPPRESS)
    add("--case", type=Path, metavar="FILE", help=argparse.SUPPRESS)


def person_plan(arguments: argparse.Namespace) -> int:
    """Print the highest speed towards a person; 1 if there is none.

    Raises:
        UsageError: an option is missing or does not fit.
        ImpactError: the region is refused, or the robot's YAML lacks fields.
    """
    if arguments.case is not None:
        return print_person_cases(arguments)
    plan = _planned(arguments)
    print(json_text(person_document(plan)) if arguments.json else person_text(plan))
    return 0 if all(each.speed > 0.0 for each in plan.points) else 1


def print_person_cases(arguments: argparse.Namespace) -> int:
    """Print the cases of a file with their answers; return the exit status."""
    cases, robot = read_cases(arguments.case, CASES), read_robot(arguments)
    answers = [_answer(case, robot) for case in cases.entries]
    print(json_text(cases.printed(answers)))
    return 0


def person_task(arguments: argparse.Namespace) -> PersonTask:
    """Return what the file of `--task` says of the arm and the person, the defaults without one.

    Raises:
        ImpactError: the file is missing or wrong.
    """
    return PersonTask() if arguments.task is None else read_person_task(Path(arguments.task))


def posed_arm(arguments: argparse.Namespace, task: PersonTask) -> tuple[Robot, np.ndarray]:
    """Return the arm and its joint positions, shape (n,) [rad]: by option, task, or the stance.

    Raises:
        ImpactError: an unsuitable robot, or positions of another size or outside the limits.
    """
    arguments.robot = arguments.robot or task.robot
    robot, given = read_robot(arguments), arguments.q or task.q
    robot.require_arm(arguments.command)
    if given is None:
        robot.require(f"{arguments.command} without --q", "stance")
    q = robot.stance if given is None else sized(given, robot.dof, "--q")
    check_positions(robot, q)
    return robot, q


def _planned(arguments: argparse.Namespace) -> PersonPlan:
    task = person_task(arguments)
    if not (arguments.person or task.region):
        raise UsageError(f"--person: expected one of {', '.join(BUILT_IN)}, or --case FILE")
    contact = task.contact(arguments.person)
    robot, q = posed_arm(arguments, task)
    direction = task.direction or tuple(0.0 - sized(arguments.normal, 3, "--normal"))
    known = robot, q, direction
    points = [
        point_plan(task, name, aim(*known, name), contact, arguments.interface)
        for name in task.points
    ]
    return PersonPlan(robot, q, np.array(direction), contact, points, said_of(task, points))


def said_of(task: PersonTask, points: Iterable[PointPlan]) -> list[str]:
    """Return all that is to be said with the speeds of some points."""
    more = [] if task.regions else [FROM_MEMORY]
    found = list(points)
    more += [each.caution for each in found if each.caution]
    if any(each.found.t_first_peak_ms < _SHORT for each in found):
        more.append(SHORT_PEAK)
    return cautions(task.points, *dict.fromkeys(more))


def point_plan(
    task: PersonTask, name: str, to: Aim, contact: PersonContact, interface: str
) -> PointPlan:
    """Return the speed of one point of the arm.

    Raises:
        ImpactError: an entry of the task is wrong, or the robot's YAML lacks fields.
    """
    loop = task.loop_or_usual(to, interface)
    caution = COASTS if task.control is None and not loop.pushes else ""
    if loop.pushes and task.reaction is None:
        caution = PUSHES_ON
    found = person_speed(to, contact, loop, task.reaction)
    caps = {
        f"person, {found.phase}": found.planned,
        "joint load": joint_load_speed(to, contact, interface),
        "joint speed": to.joint_speed_cap,
        "cap": task.cap,
    }
    return PointPlan(name, to.frame, found, caps, caution)


def joint_load_speed(to: Aim, contact: PersonContact, interface: str = "torque") -> float:
    """Return the speed of the limit joint_load, infinite if the joints are unknown [m/s].

    The person is taken as a wall that is the spring of the region: without damping, restitution 1.
    """
    if not can_load(to.robot):
        return inf
    robot, at = replace(to.robot, contact_frame=to.frame), to.state.at(to.frame)
    direction = at.J[:3] @ to.way
    normal = -direction / np.linalg.norm(direction)
    stiffness = contact.stiffness, contact.stiffness
    surface = Contact(at.position, normal, USUAL_FRICTION, _SPRING, stiffness=stiffness)
    limit = Plan(surface, "joint_load", interface=interface).impact_limit(robot, period=0.0)
    assert limit is not None  # joint_load is a limit
    return float(safe_speed(robot, limit, to.state.q).bound.speed)


def _answer(case: Case, robot: Robot) -> dict[str, Any]:
    """Return the answers to a case: without reserve and caps, which stand beside."""
    (name,), n = needed(case, "region"), robot.dof
    to = aim(robot, vector(case, "q", n), vector(case, "u", 3), str(case.get("point", TOOL)))
    padding = 1e3 * figures(case, _PADDING)[0] if case.get(_PADDING) else inf
    contact = PersonContact(region_named(str(name)), bool(case.get("clamped")), padding)
    control = case.get("control") or {}
    found = person_speed(to, contact, _loop(control, to), _reaction(control))._asdict()
    return {
        **{key: value for key, value in found.items() if value is not None},
        "joint_load_mps": joint_load_speed(to, contact),
        "joint_speed_mps": to.joint_speed_cap,
    }


def _loop(control: Case, to: Aim) -> ArmLoop:
    """Return the loop of a case's `control`."""
    if control.get("mode") is None:
        return coasting(to)
    if "Kp" in control:
        n = to.robot.dof
        return impedance(to, vector(control, "Kp", n), vector(control, "Dp", n))
    return servo(to, *figures(control, "Kv", "wv"))


def _reaction(control: Case) -> Reaction | None:
    """Return the reaction of a case's `control`, None if it has none."""
    if control.get("t_r") is None:
        return None
    force, lag, delay, brake = figures(control, "F_det", "lag_1ps", "t_r", "brake")
    return Reaction(force, 1.0 / lag, delay, brake)
