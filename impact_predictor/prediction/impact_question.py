# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A request for a prediction, and its result. Needs no ROS."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from impact_predictor.exceptions import NoImpulseError, PredictionError, UnsolvedImpactError
from impact_predictor.prediction.prediction import Prediction
from impact_predictor.prediction.robot_contacts import RobotContact, predict_contacts
from impact_predictor.prediction.velocity_interval import (
    INERTIA_MARGIN,
    VelocityInterval,
    contacts_interval,
)
from impact_predictor.sets.polytope import Polytope
from impact_predictor.sets.robot_sets import robot_sets
from impact_robots import OutOfRangeError, Robot

if TYPE_CHECKING:
    from impact_predictor.prediction.predicted_load import PredictedLoad


class ImpactQuestion(NamedTuple):
    """An impact at one or more points of a robot at once."""

    contacts: tuple[RobotContact, ...]  # predicted in the middle of their ranges
    law: str = "coulomb"
    inverse_inertia: str = "crb"  # behind the effective masses
    inertia_margin: float = INERTIA_MARGIN  # relative uncertainty, 0 to below 1 [-]
    joint_ranges: str = ""  # over which the load of each joint is wanted; empty: it is not


class ImpactAnswer(NamedTuple):
    """Prediction by one impact map."""

    predictions: tuple[Prediction, ...]  # one per contact
    interval: VelocityInterval | None  # of the joint velocities after; None: no uncertainty


def answer(question: ImpactQuestion, robot: Robot, inertia: str) -> ImpactAnswer:
    """Return the prediction by the impact map ``model``.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: no contact, a state that is not finite, or a law that solves one point
            alone.
        UnknownNameError: no such model, law or inverse inertia.
        UnsolvedImpactError: no impulses were found.
    """
    predictions = predict_contacts(
        question.contacts,
        robot,
        inertia=inertia,
        law=question.law,
        inverse_inertia=question.inverse_inertia,
    )
    return ImpactAnswer(predictions, _interval(question, robot, inertia))


def joint_loads(question: ImpactQuestion, robot: Robot) -> PredictedLoad | None:
    """Return the load of each joint; None if not requested.

    Raises:
        UnknownNameError: no such ranges of the joints.
    """
    if not question.joint_ranges:
        return None
    from impact_predictor.prediction.predicted_load import predicted_load  # compiled: loads slowly

    return predicted_load(question.contacts, robot, joints=question.joint_ranges)


def impulse_sets(question: ImpactQuestion, robot: Robot) -> tuple[Polytope | None, ...]:
    """Return the set of possible impulses of each single contact; None if undefined.

    That is without approach, or where friction leaves the set unbounded. Friction is the highest
    of its range.
    """
    return tuple(_impulse_set(each, question.inverse_inertia, robot) for each in question.contacts)


def _impulse_set(contact: RobotContact, inverse_inertia: str, robot: Robot) -> Polytope | None:
    """Return the impulses possible at one contact."""
    try:
        (impulses,) = robot_sets(
            contact.state,
            contact.surface,
            robot,
            inverse_inertia=inverse_inertia,
            names=("impulse",),
        )
    except (PredictionError, OutOfRangeError, np.linalg.LinAlgError):
        return None
    return impulses


def _interval(question: ImpactQuestion, robot: Robot, inertia: str) -> VelocityInterval | None:
    """Return the velocities within the uncertainty; NaN if there is no solution at some end."""
    exact = all(each.surface.is_exact for each in question.contacts)
    if exact and question.inertia_margin == 0.0:
        return None
    try:
        return contacts_interval(
            question.contacts,
            robot,
            inertia=inertia,
            law=question.law,
            inertia_margin=question.inertia_margin,
        )
    except (NoImpulseError, UnsolvedImpactError):
        unknown = np.full(robot.nv, np.nan)
        return VelocityInterval(unknown, unknown)
