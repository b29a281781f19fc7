# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `touch`: move until contact below a force, or plan how fast that may be."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from impact_analysis.present.plain import json_text
from impact_cli.command_names import COMMANDS
from impact_cli.options.impact_options import read_robot
from impact_cli.options.number_options import numbers, positive
from impact_cli.plans.case_file import Case, figures, read_cases, vector
from impact_cli.plans.person_plan import person_task, posed_arm
from impact_cli.touch.simulated import add_motion_options, simulated_touch
from impact_predictor.people.aim import Aim, aim
from impact_predictor.people.loop import ArmLoop, Reaction, impedance, servo, servo_of
from impact_predictor.people.push import Push
from impact_predictor.people.touch import touch_force, touch_speed, touch_speed_simulated
from impact_robots.exceptions import UsageError
from impact_robots.robot import Robot

CASES = "C"  # of several lists in a file of cases
CASE_FORCE = 20.0  # for which the speed of a case is computed [N]
# a torque arm of a case that does not say its own: N.m/rad, N.m.s/rad
_KP, _DP = (600.0,) * 4 + (250.0, 150.0, 50.0), (50.0,) * 4 + (30.0, 25.0, 15.0)
_EPILOG = """examples:
  impact touch --force 20 --stiffness 1e5
  impact touch --interface position --rate 125 --effort none --then retract 20
  impact touch --plan --task touch.yaml --force 20 --stiffness 1e5
  impact touch --plan --case FILE --json

The simulated arm moves until contact with a wall. It is as fast as the promise allows: a ceiling of
the force, which no simulated case exceeded, stays below --force. The task file gives robot, pose,
direction and control.
--plan: nothing moves. Prints that speed for the reaction of the task file, and the speed at which
the simulated peak is at most --force. With --case FILE (JSON) cases are computed again.
Exit status: 0 done, with contact or without; 1 it did not end; 2 wrong usage, or a force that
cannot be promised.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "touch",
        help=COMMANDS["touch"],
        description="Move the simulated arm until contact, below a force; or plan how fast.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--plan", action="store_true", help="compute; nothing moves")
    add(
        "--task",
        type=Path,
        metavar="FILE",
        help="YAML of the arm: pose, direction, control, reaction",
    )
    add("--force", type=positive, default=20.0, metavar="N", help="to stay below [N] (default: 20)")
    add(
        "--stiffness",
        type=positive,
        default=1e5,
        metavar="K",
        help="of the contact, at most [N/m] (default: 1e5)",
    )
    add("--robot", help="name of a robot, or its YAML (default: the task's, or panda)")
    add(
        "--q",
        type=numbers,
        metavar="Q,..",
        help="joint positions [rad] (default: the task's, or the stance)",
    )
    add(
        "--case", type=Path, metavar="FILE", help="JSON of cases, to print again with their answers"
    )
    add("--json", action="store_true", help="one JSON document on standard output")
    add_motion_options(parser)
    parser.set_defaults(run=run, urdf=None, contact="", payload=None)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Move the simulated arm until contact, or compute the speed of a touch, and print it.

    Raises:
        UsageError: an entry that is needed is missing, or does not fit.
        ImpactError: the force cannot be promised, or the robot's YAML lacks fields.
    """
    if arguments.case is not None and not arguments.plan:
        raise UsageError("--case: expected with --plan")
    if arguments.case is not None:
        cases, robot = read_cases(arguments.case, CASES), read_robot(arguments)
        print(json_text(cases.printed([_answer(case, robot) for case in cases.entries])))
        return 0
    if not arguments.plan:
        return simulated_touch(arguments)
    push = _push(arguments)
    speed, simulated = (
        touch_speed(push, arguments.force),
        touch_speed_simulated(push, arguments.force),
    )
    forces = touch_force(push, speed)
    document = {
        "robot": push.aim.robot.name,
        "force_N": arguments.force,
        "stiffness_npm": arguments.stiffness,
        "speed_mps": speed,
        "speed_simulated_mps": simulated,
        **forces._asdict(),
    }
    print(json_text(document) if arguments.json else _text(document))
    return 0


def _text(document: dict[str, Any]) -> str:
    trigger = document["trig_s"]
    seen = (
        "not detected: distance and stall stop it"
        if trigger is None
        else f"detected after {1e3 * trigger:.1f} ms"
    )
    return "\n".join(
        [
            f"{document['robot']}, until contact, at most {document['force_N']:g} N on"
            f" {document['stiffness_npm']:g} N/m",
            f"  at most {1e3 * document['speed_mps']:.1f} mm/s by the ceiling"
            f" ({1e3 * document['speed_simulated_mps']:.1f} mm/s simulated)",
            f"  simulated at the first: peak {document['peak_sim_N']:.1f} N, {seen}",
        ]
    )


def _push(arguments: argparse.Namespace) -> Push:
    task = person_task(arguments)
    if task.reaction is None:
        raise UsageError("--task: expected a file with the arm's reaction, see doc/people.md")
    robot, q = posed_arm(arguments, task)
    to = aim(robot, q, task.direction or (1.0, 0.0, 0.0))
    return Push(to, task.loop(to) or servo_of(to), arguments.stiffness, reaction=task.reaction)


def _answer(case: Case, robot: Robot) -> dict[str, Any]:
    """Return the answers to a case."""
    to = aim(robot, vector(case, "q", robot.dof), vector(case, "u", 3))
    k, speed, force, lag = figures(case, "k", "v", "F_det_N", "lag_1ps")
    delay, brake, period = figures(case, "delay_s", "brake_mps2", "period_s")
    push = Push(to, _loop(case, to), k, reaction=Reaction(force, 1.0 / lag, delay, brake, period))
    promised = touch_speed(push, CASE_FORCE)
    return {**touch_force(push, speed)._asdict(), "v_for_20N_ceiling": promised}


def _loop(case: Case, to: Aim) -> ArmLoop:
    """Return the loop of a case: a servo, or the impedance of a torque arm."""
    if case.get("arm") == "position":
        return servo(to, *figures(case, "Kv", "wv"))
    n, gains = to.robot.dof, {"Kp": _KP, "Dp": _DP, **case}
    return impedance(to, vector(gains, "Kp", n), vector(gains, "Dp", n))
