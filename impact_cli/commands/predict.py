# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `predict`: predicts an impact with every model, side by side."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from impact_cli.command_names import COMMANDS
from impact_cli.options.impact_options import (
    GivenImpact,
    add_impact_options,
    read_impact,
    read_robot,
)
from impact_cli.options.number_options import number
from impact_cli.reports.object_report import object_json, object_text
from impact_cli.reports.predict_report import MapAnswer, as_json, as_text
from impact_predictor import (
    FRICTION_LAWS,
    INVERSE_INERTIAS,
    named_inverse_inertia,
    predict,
    velocity_interval,
)
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.prediction.object_file import read_object_question
from impact_predictor.prediction.object_question import object_answers
from impact_predictor.prediction.velocity_interval import INERTIA_MARGIN

if TYPE_CHECKING:
    from impact_predictor.prediction.predicted_load import PredictedLoad

_EPILOG = """examples:
  impact predict --robot panda --speed 0.2 --friction 0.3
  impact predict --q 0.2,0,0.56,-1.59,-1.76,2.57,-2.02 --normal -1,0,0 --speed 0.2 \\
      --friction 0.2,0.4 --restitution 0,0.3 --json
  impact predict --speed 0.1 --material steel
  impact predict --robot my_arm.yaml --speed 0.02 --stiffness 1e4,2e4 --held-joints
  impact predict --object grab.yaml --robot panda --model M+B_theta
  impact predict --urdf my_arm.urdf --contact tool0 --normal 0,0,1 --b-theta 0.2

Vectors are SI numbers in the joint order of the robot, separated by commas. Friction and
restitution are a number or low,high; a range widens the interval of each velocity. Joint loads are
those of a flexible-joint model over the ranges of friction, restitution and stiffness.
Exit status: 0 done, 1 failed, 2 wrong usage.
"""


_OBJECT = (
    "YAML of arms with flat plates and the object that they hit (doc/simultaneous_impacts.md):"
    " velocities after the impact, with the corners of the plates as contacts and with plates and"
    " object as one mechanism; besides, only the options of the robot, --model and --json are used"
)


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "predict",
        help=COMMANDS["predict"],
        description="Predict an impact: effective mass by every inverse inertia, joint velocities "
        "after it by every impact map, and the caveats of each.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_impact_options(parser)
    parser.add_argument(
        "--model",
        default="all",
        help="all, an inverse inertia (em, gm, crb, flex) or an impact map (M, M+B_theta, M+B_rho)",
    )
    laws = "; ".join(f"{law.name}: {law.description}" for law in FRICTION_LAWS.values())
    parser.add_argument("--friction-law", choices=FRICTION_LAWS, default="coulomb", help=laws)
    parser.add_argument(
        "--inertia-margin",
        type=number,
        default=INERTIA_MARGIN,
        metavar="R",
        help="relative uncertainty of the inertia of each link and motor; 0: the model is exact"
        f" (default: {INERTIA_MARGIN})",
    )
    parser.add_argument(
        "--joint-ranges",
        choices=("announced", "nominal"),
        default="announced",
        help="joint loads over the YAML's ranges of joint stiffness, damping and motor inertia, or"
        " for its nominal values (default: announced)",
    )
    parser.add_argument(
        "--held-joints",
        action="store_true",
        help="lock joints at rest whose load stays below coulomb_friction of the robot's YAML",
    )
    parser.add_argument("--object", type=Path, metavar="FILE", help=_OBJECT)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Predict an impact, and print the prediction."""
    if arguments.object is not None:
        return _predict_object(arguments)
    impact = read_impact(arguments, anywhere=True)  # with a flag
    load = _load(impact, arguments.joint_ranges)
    if arguments.held_joints:
        impact = _with_held_joints(impact, arguments.joint_ranges)
    inertias, maps = _chosen(impact, arguments.model)
    state, rotation = impact.state, impact.surface.rotation
    models = [named_inverse_inertia(state, rotation, name) for name in inertias]
    answers = [
        _answer(impact, name, arguments.friction_law, arguments.inertia_margin) for name in maps
    ]
    write = as_json if arguments.json else as_text
    print(write(impact, models, answers, load))
    return 0


def _with_held_joints(impact: GivenImpact, joints: str) -> GivenImpact:
    """Return the impact of a robot whose held joints are locked."""
    from impact_predictor.prediction.predicted_load import held_joints  # compiled: loads slowly

    robot = impact.robot
    held = held_joints([impact.contact], robot, joints=joints)
    names = tuple(robot.joint_names[joint] for joint in held.nonzero()[0])
    return replace(impact, robot=robot.with_held_joints(held), held=names)


def _predict_object(arguments: argparse.Namespace) -> int:
    """Predict the impact of arms on an object, and print the prediction."""
    robot = read_robot(arguments)
    question = read_object_question(arguments.object, robot.dof)
    inertias = () if arguments.model == "all" else (arguments.model,)
    answers = object_answers(question, robot, inertias)
    print((object_json if arguments.json else object_text)(question, robot, answers))
    return 0


def _load(impact: GivenImpact, joints: str) -> PredictedLoad:
    """Return the joint loads, which are the same for all models."""
    from impact_predictor.prediction.predicted_load import predicted_load  # compiled: loads slowly

    return predicted_load([impact.contact], impact.robot, joints=joints)


def _chosen(impact: GivenImpact, model: str) -> tuple[list[str], list[str]]:
    """Return the selected inverse inertias and impact maps."""
    inertias, maps = list(INVERSE_INERTIAS), list(impact.robot.motor_inertias)
    if model == "all":
        return inertias, maps
    if model not in (*inertias, *maps):
        raise UnknownNameError("--model", model, ["all", *inertias, *maps])
    return [name for name in inertias if name == model], [name for name in maps if name == model]


def _answer(impact: GivenImpact, model: str, law: str, margin: float) -> MapAnswer:
    """Return the prediction of one impact map."""
    given = impact.state, impact.surface, impact.robot
    low, high = velocity_interval(*given, inertia=model, law=law, inertia_margin=margin)
    return MapAnswer(predict(*given, inertia=model, law=law), low, high)
