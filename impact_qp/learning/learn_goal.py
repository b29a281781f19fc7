# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads a LearnSurface goal. Needs no ROS to import."""

from __future__ import annotations

from typing import Any

from impact_predictor.exceptions import PredictionError
from impact_predictor.learning.knowledge import Ceiling
from impact_predictor.learning.learning_box import learning_box
from impact_qp.exceptions import ControlError
from impact_qp.goals.goal_reader import given, place_of, speed_within
from impact_qp.learning.parameters import LearnerParameters
from impact_qp.learning.surface_learner import SurfaceLearner
from impact_robots.exceptions import OutOfRangeError, RobotError
from impact_robots.robot import Robot
from impact_robots.surface import ANY_STIFFNESS, Surface
from impact_ros.surface_message import said_or

MOST_HITS = 100
ANYTHING = {  # ranges of open fields
    "friction": (0.0, 1.0),
    "restitution": (0.0, 1.0),
    "stiffness": ANY_STIFFNESS,
    "exponent": (1.0, 1.5),
}


def learner_of(
    goal: Any, settings: LearnerParameters, robot: Robot, ceilings: tuple[Ceiling, ...] = ()
) -> SurfaceLearner:
    """Return the learner of a LearnSurface goal.

    Args:
        goal: message.
        settings: of the node.
        robot: the arm.
        ceilings: set by hits of earlier goals.

    Raises:
        ControlError: a number or the pose is not valid; names the expected and received value.
    """
    if not 1 <= goal.hits <= MOST_HITS:
        raise ControlError(f"hits: expected 1 to {MOST_HITS}, got {goal.hits}")
    ranges = {name: said_or(goal.surface, name, widest) for name, widest in ANYTHING.items()}
    point, normal = place_of(goal.contact, robot)
    exponent = ranges.pop("exponent")
    try:
        surface = Surface(point, normal, **ranges)
        box = learning_box(robot, surface, exponent=exponent, torque_gain=settings.torque_gain)
    except (OutOfRangeError, RobotError, PredictionError) as error:
        raise ControlError(str(error)) from None
    target = cap = settings.speed_cap
    if given(goal.target_speed):
        target = speed_within("target_speed", goal.target_speed, cap)
    return SurfaceLearner(box, goal.hits, target, settings.speed_ramp, ceilings)
