# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads what a LearnSurface goal asks for. Needs no ROS to import."""

from __future__ import annotations

from typing import Any

from impact_predictor.exceptions import PredictionError
from impact_predictor.learning.harm import Ceiling
from impact_predictor.learning.learning_box import learning_box
from impact_qp.exceptions import ControlError
from impact_qp.learning.parameters import LearnerParameters
from impact_qp.learning.surface_learner import SurfaceLearner
from impact_qp.ros.goal_reader import given, place_of
from impact_robots.exceptions import OutOfRangeError, RobotError
from impact_robots.robot import Robot
from impact_robots.surface import ANY_STIFFNESS, Surface

MOST_HITS = 100
ANYTHING = {  # what is left open may be anything of
    "friction": (0.0, 1.0),
    "restitution": (0.0, 1.0),
    "stiffness": ANY_STIFFNESS,
    "exponent": (1.0, 1.5),
}


def learner_of(
    goal: Any, settings: LearnerParameters, robot: Robot, ceilings: tuple[Ceiling, ...] = ()
) -> SurfaceLearner:
    """Return who learns the surface of a LearnSurface goal.

    Args:
        goal: message.
        settings: of the node.
        robot: the arm.
        ceilings: that hits of goals before this one have set.

    Raises:
        ControlError: a number or the pose is not valid; says what was expected and got.
    """
    if not 1 <= goal.hits <= MOST_HITS:
        raise ControlError(f"hits: expected 1 to {MOST_HITS}, got {goal.hits}")
    ranges = {name: _range(goal, name) for name in ANYTHING}
    point, normal = place_of(goal.contact, robot)
    exponent = ranges.pop("exponent")
    try:
        surface = Surface(point, normal, **ranges)
        box = learning_box(robot, surface, exponent=exponent, torque_gain=settings.torque_gain)
    except (OutOfRangeError, RobotError, PredictionError) as error:
        raise ControlError(str(error)) from None
    target = _target(goal.target_speed, settings)
    return SurfaceLearner(box, goal.hits, target, settings.speed_ramp, ceilings)


def _range(goal: Any, name: str) -> tuple[float, float]:
    """Return a range of a goal; an end that is open is that of anything."""
    ends = [getattr(goal, f"{name}_{end}") for end in ("low", "high")]
    low, high = (
        each if given(each) else most for each, most in zip(ends, ANYTHING[name], strict=True)
    )
    if not low <= high:
        raise ControlError(f"{name}: expected low up to high, got {low:g} and {high:g}")
    return low, high


def _target(asked: float, settings: LearnerParameters) -> float:
    """Return the speed that is wanted [m/s]."""
    if not given(asked):
        return settings.speed_cap
    if not 0.0 < asked <= settings.speed_cap:
        raise ControlError(
            f"target_speed: expected above 0 up to speed_cap {settings.speed_cap:g} m/s,"
            f" got {asked:g}"
        )
    return float(asked)
