# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Where joint velocities after an impact lie, for a model and coefficients that are not certain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from impact_predictor.prediction.model_error import (
    MODEL_ERROR,
    ModelError,
    inertia_variations,
    joint_impulse_effects,
    place_variations,
)
from impact_predictor.prediction.predict import map_inertia
from impact_predictor.prediction.robot_contacts import RobotContact, checked_state, contact_results
from impact_robots import PointState, Robot, Surface
from impact_robots.exceptions import OutOfRangeError

INERTIA_MARGIN = MODEL_ERROR.inertia


class VelocityInterval(NamedTuple):
    """Joint velocities after an impact within given uncertainty."""

    low: np.ndarray  # shape (n,) [rad/s]
    high: np.ndarray  # shape (n,) [rad/s]


def velocity_interval(
    state: PointState,
    surface: Surface,
    robot: Robot,
    *,
    inertia_margin: float = INERTIA_MARGIN,
    inertia: str = "M+B_theta",
    law: str = "coulomb",
) -> VelocityInterval:
    """Return where each joint's velocity after an impact lies, for 95 % of arms like this one.

    Friction and restitution are moved to both ends of their ranges alone, and the changes of each
    joint are added up: these may be bounds. What is wrong with the model is independent, so its
    changes are added as squares: the inertia of each link and each motor, the contact point, the
    normal, and what joint friction does during the contact
    (:class:`~impact_predictor.prediction.model_error.ModelError`).
    Where contact mode changes between the ends, or two parameters act together, this is no bound;
    doc/models/trust.md says how often it held.

    Args:
        state: dynamics of the arm right before the impact.
        surface: that its contact point hits.
        robot: the arm.
        inertia_margin: relative uncertainty of each link's and motor's inertia, 0 to below 1 [-];
            0: the model is exact in everything.
        inertia: name of the inertia of the impact map, one of ``robot.motor_inertias``.
        law: of friction, one of :data:`FRICTION_LAWS`.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: the margin is none, or the state is not finite.
        UnknownNameError: no such model or law.
    """
    contacts = [RobotContact(state, surface)]
    return contacts_interval(
        contacts, robot, inertia=inertia, law=law, inertia_margin=inertia_margin
    )


def contacts_interval(
    contacts: Sequence[RobotContact],
    robot: Robot,
    *,
    inertia: str = "M+B_theta",
    law: str = "coulomb",
    inertia_margin: float = INERTIA_MARGIN,
) -> VelocityInterval:
    """Return :func:`velocity_interval` of an impact at all of these points.

    Args:
        contacts: at least one, all in the same state.
        robot: the arm.
        inertia: name of the inertia of the impact map, one of ``robot.motor_inertias``.
        law: of friction, one of :data:`FRICTION_LAWS`; several points: "coulomb".
        inertia_margin: relative uncertainty of each link's and motor's inertia, 0 to below 1 [-];
            0: the model is exact in everything.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: no contact, the margin or the state is none, or a law that solves one
            point alone.
        UnknownNameError: no such model or law.
        UnsolvedImpactError: no impulses were found.
    """
    if not 0.0 <= inertia_margin < 1.0:
        raise OutOfRangeError("inertia_margin", "a number from 0 to below 1", inertia_margin)
    state = checked_state(contacts, law)
    M_x, middle = map_inertia(state, robot, inertia), [_middle(each) for each in contacts]

    def after(inertia: np.ndarray, moved: Sequence[RobotContact]) -> np.ndarray:
        return contact_results(moved, inertia, law)[0].dq_after

    nominal = after(M_x, middle)
    low, high = np.zeros_like(nominal), np.zeros_like(nominal)
    for ends in _coefficient_ends(contacts, middle):
        changes = np.array([after(M_x, end) for end in ends]) - nominal
        low += np.minimum(changes.min(axis=0), 0.0)
        high += np.maximum(changes.max(axis=0), 0.0)
    if inertia_margin > 0.0:
        error = MODEL_ERROR._replace(inertia=inertia_margin)
        varied = [after(each, middle) for each in inertia_variations(state, robot, inertia, error)]
        varied += [after(M_x, each) for each in _place_ends(middle, error)]
        impulses = joint_impulse_effects(M_x, error)[robot.nv - robot.dof :]
        changes = np.vstack([np.array(varied) - nominal, impulses])
        spread = np.sqrt((changes**2).sum(axis=0))
        low, high = low - spread, high + spread
    return VelocityInterval(nominal + low, nominal + high)


def _middle(contact: RobotContact) -> RobotContact:
    """Return the contact with coefficients in the middle of their ranges."""
    return _assumed(contact, *contact.surface.middle)


def _assumed(contact: RobotContact, mu: float, e: float) -> RobotContact:
    """Return the contact with these coefficients."""
    surface = replace(contact.surface, friction=(mu, mu), restitution=(e, e))
    return contact._replace(surface=surface)


def _coefficient_ends(
    contacts: Sequence[RobotContact], middle: Sequence[RobotContact]
) -> Iterator[tuple[list[RobotContact], list[RobotContact]]]:
    """Yield all contacts with one coefficient of one at its two ends."""
    for i, contact in enumerate(contacts):
        surface, (mu, e) = contact.surface, contact.surface.middle
        if surface.friction[0] < surface.friction[1]:
            ends = [_assumed(contact, end, e) for end in surface.friction]
            yield _with(middle, i, ends[0]), _with(middle, i, ends[1])
        if surface.restitution[0] < surface.restitution[1]:
            ends = [_assumed(contact, mu, end) for end in surface.restitution]
            yield _with(middle, i, ends[0]), _with(middle, i, ends[1])


def _place_ends(
    contacts: Sequence[RobotContact], error: ModelError
) -> Iterator[list[RobotContact]]:
    """Yield all contacts with one of them moved or its surface tilted."""
    for i, contact in enumerate(contacts):
        for state, surface in place_variations(contact.state, contact.surface, error):
            yield _with(contacts, i, contact._replace(state=state, surface=surface))


def _with(contacts: Sequence[RobotContact], i: int, contact: RobotContact) -> list[RobotContact]:
    """Return the contacts with the i-th one replaced."""
    return [*contacts[:i], contact, *contacts[i + 1 :]]
