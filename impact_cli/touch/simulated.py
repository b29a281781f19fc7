# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A touch of the simulated arm: options, and what is printed of it."""

from __future__ import annotations

import argparse
from math import inf, nan
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text, plain
from impact_cli.options.number_options import number, positive, seed
from impact_cli.plans.person_plan import person_task, posed_arm
from impact_predictor.people.aim import aim
from impact_predictor.people.loop import SERVO
from impact_predictor.people.person_task import PersonTask
from impact_qp.goals.goal import BAD_GOAL, NOT_FEASIBLE
from impact_qp.interface import INTERFACES
from impact_qp.touch.touch_goal import EFFORTS, HOLD, RETRACT, THENS, TouchGoal
from impact_robots.exceptions import UsageError
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_sim.driver.sensors import NO_NOISE, PANDA_NOISE
from impact_trials.in_process.touch_trial import (
    POSITION_GAIN,
    TORQUE,
    VELOCITY_GAIN,
    TouchCase,
    TouchTrial,
    run_touch,
    servoed,
)


def add_motion_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a touch that is carried out."""
    moved = parser.add_argument_group("without --plan: the simulated arm moves")
    add = moved.add_argument
    add(
        "--interface",
        choices=tuple(INTERFACES),
        help="what the arm is sent (default: position if the task's control is a servo, or torque)",
    )
    add(
        "--rate",
        type=positive,
        default=125.0,
        metavar="HZ",
        help="of states and commands, torque: 1000 (default: 125)",
    )
    add("--speed", type=positive, metavar="V", help="[m/s] (default: as the promise allows)")
    add(
        "--distance",
        type=positive,
        default=0.05,
        metavar="M",
        help="limit of the motion [m] (default: 0.05)",
    )
    add("--timeout", type=positive, metavar="S", help="[s] (default: by distance and speed)")
    add(
        "--then",
        nargs="+",
        default=[HOLD],
        metavar="WHAT",
        help="after contact: hold, retract MM, or release (default: hold)",
    )
    add(
        "--effort",
        choices=EFFORTS,
        default=EFFORTS[0],
        help="what the arm measures: joint torque sensors, currents, or positions alone",
    )
    add("--wall", type=positive, metavar="K", help="stiffness of the wall (default: --stiffness)")
    add("--gap", type=positive, default=0.01, metavar="M", help="to the wall [m] (default: 0.01)")
    add("--no-wall", action="store_true", help="there is nothing to touch")
    add("--seed", type=seed, default=0, help="of the sensors' noise (default: 0)")
    add("--no-noise", action="store_true", help="sensors without noise")


def simulated_touch(arguments: argparse.Namespace) -> int:
    """Carry out a touch of the simulated arm and print it; 0 if it ended by contact or distance.

    Raises:
        UsageError: an option does not fit, or the force cannot be promised.
        ImpactError: the robot's YAML lacks fields.
    """
    task = person_task(arguments)
    robot, q = posed_arm(arguments, task)
    case = _case(arguments, task, robot, q)
    trial = run_touch(case)
    if trial.end.code in (BAD_GOAL, NOT_FEASIBLE):
        raise UsageError(f"touch: {trial.end.message}")
    document = _document(case, trial)
    print(json_text(document) if arguments.json else _text(document))
    return 0 if trial.end.success else 1


def _case(
    arguments: argparse.Namespace, task: PersonTask, robot: Robot, q: np.ndarray
) -> TouchCase:
    """Return what is to be done."""
    direction = task.direction or (1.0, 0.0, 0.0)
    control = task.control
    serves = control is not None and control.text("kind") == SERVO
    interface = arguments.interface or ("position" if serves else TORQUE)
    if interface != TORQUE and (serves or robot.servo_stiffness is None):
        gains = POSITION_GAIN, VELOCITY_GAIN
        if serves and control is not None:
            task.loop(aim(robot, q, direction))  # checks the gains
            gains = control.number("position_gain"), control.number("velocity_gain")
        robot = servoed(robot, *gains)
    then, retract = _then(arguments.then)
    goal = TouchGoal(
        tuple(direction),
        arguments.force,
        arguments.stiffness,
        nan if arguments.speed is None else arguments.speed,
        arguments.distance,
        nan if arguments.timeout is None else arguments.timeout,
        then,
        retract,
        arguments.effort,
    )
    return TouchCase(
        robot,
        tuple(q),
        goal,
        interface,
        1000.0 if interface == TORQUE else arguments.rate,
        arguments.wall or arguments.stiffness,
        inf if arguments.no_wall else arguments.gap,
        noise=NO_NOISE if arguments.no_noise else PANDA_NOISE,
        seed=arguments.seed,
    )


def _then(words: list[str]) -> tuple[str, float]:
    """Return what follows contact, and the distance of "retract" [m].

    Raises:
        UsageError: not one of the choices.
    """
    name, *rest = words
    if name not in THENS or len(rest) != (name == RETRACT):
        raise UsageError(f"--then: expected hold, retract MM or release, got {' '.join(words)}")
    if not rest:
        return name, 0.0
    try:
        return name, 1e-3 * number(rest[0])
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--then retract: {error}") from None


def _document(case: TouchCase, trial: TouchTrial) -> dict[str, Any]:
    """Return what happened; unknown numbers are null."""
    result, goal = trial.result, case.goal
    assert result is not None  # it was not refused
    document = {
        "robot": case.robot.name,
        "interface": case.interface,
        "rate_hz": case.rate,
        "direction": goal.unit,
        "force_n": goal.force,
        "stiffness_npm": goal.stiffness,
        "code": trial.end.code,
        "message": trial.end.message,
        "triggered": result.triggered,
        "signal": result.signal,
        "speed_mps": result.speed,
        "promised_force_n": result.promised,
        "detection_force_n": result.detection,
        "travelled_m": result.travelled,
        "contact_position_m": _place(result.contact),
        "contact_rotation": None if result.contact is None else result.contact.rotation,
        "position_before_m": _place(result.before),
        "q_before": None if result.before is None else result.before.q,
        "peak_estimated_n": result.peak_force,
        "peak_source": result.peak_source,
        "peak_force_n": trial.peak,
        "held_force_n": trial.held,
        "detected_after_s": trial.detected_after,
        "duration_s": trial.duration,
    }
    found: dict[str, Any] = plain(document)
    return found


def _place(point: PointState | None) -> np.ndarray | None:
    return None if point is None else point.position


def _text(document: dict[str, Any]) -> str:
    along = ", ".join(f"{each:g}" for each in np.round(document["direction"], 3))
    lines = [
        f"{document['robot']}, {document['interface']} interface at {document['rate_hz']:g} Hz,"
        f" moves along ({along}) until contact",
        f"  below {document['force_n']:g} N on at most {document['stiffness_npm']:g} N/m:"
        f" {1e3 * document['speed_mps']:.1f} mm/s promise {document['promised_force_n']:.1f} N",
        f"  {document['message']}, after {1e3 * document['travelled_m']:.1f} mm",
    ]
    if document["peak_force_n"] is not None:
        late = document["detected_after_s"]
        when = "" if late is None else f", detected after {1e3 * late:.1f} ms"
        known = document["peak_estimated_n"]
        guess = "" if known is None else f" (the arm: {known:.1f} N, {document['peak_source']})"
        lines.append(
            f"  peak {document['peak_force_n']:.1f} N{guess}{when};"
            f" at the end {document['held_force_n']:.1f} N"
        )
    return "\n".join(lines)
