# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Where joint velocities after an impact lie, for a model and coefficients that are not certain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_predictor.laws.friction_law import FRICTION_LAWS
from impact_predictor.laws.impact_maps import map_many
from impact_predictor.prediction.model_error import (
    MODEL_ERROR,
    ModelError,
    inertia_variations,
    joint_impulse_effects,
    place_variations,
)
from impact_predictor.prediction.predict import map_inertia
from impact_predictor.prediction.robot_contacts import (
    RobotContact,
    checked_state,
    contact_results,
    contacts_jacobian,
    middle_coefficients,
)
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
    joint are added up: these may be bounds. Errors of the model are independent, so its
    changes are added as squares: the inertia of each link and each motor, the contact point, the
    normal, and joint friction during the contact
    (:class:`~impact_predictor.prediction.model_error.ModelError`).
    Where contact mode changes between the ends, or two parameters act together, this is no bound;
    see doc/models/trust.md for its measured coverage.

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
        OutOfRangeError: the margin is invalid, or the state is not finite.
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
        OutOfRangeError: no contact, the margin or the state is invalid, or a law that solves one
            point alone.
        UnknownNameError: no such model or law.
        UnsolvedImpactError: no impulses were found.
    """
    if not 0.0 <= inertia_margin < 1.0:
        raise OutOfRangeError("inertia_margin", "a number from 0 to below 1", inertia_margin)
    state = checked_state(contacts, law)
    M_x, J = map_inertia(state, robot, inertia), contacts_jacobian(contacts)
    middle = middle_coefficients(contacts)
    ends = _coefficient_ends(contacts, middle)
    error = MODEL_ERROR._replace(inertia=inertia_margin)
    varied, places = np.empty((0, *M_x.shape)), np.empty((0, *J.shape))
    if inertia_margin > 0.0:
        varied = inertia_variations(state, robot, inertia, error)
        places = _place_ends(contacts, J, error)
    after = _velocities_after(_cases(M_x, J, middle, ends, varied, places), state.dq, law)
    effects = np.empty((0, len(M_x)))
    if inertia_margin > 0.0:
        effects = joint_impulse_effects(M_x, error)[robot.nv - robot.dof :]
    from impact_predictor.compiled.velocity_bounds import velocity_bounds  # loads slowly

    return VelocityInterval(*velocity_bounds(after, len(ends), effects))


class _Cases(NamedTuple):
    """An impact of k contacts as it may be, c times."""

    M_x: np.ndarray  # M + B, shape (c, n, n) [kg.m^2]
    J: np.ndarray  # of all contacts, shape (c, 3k, n)
    coefficients: np.ndarray  # friction and restitution of each, shape (c, k, 2) [-]


def _cases(
    M_x: np.ndarray,
    J: np.ndarray,
    middle: np.ndarray,
    ends: np.ndarray,
    varied: np.ndarray,
    places: np.ndarray,
) -> _Cases:
    """Return the case in the middle, and then with other coefficients, inertias or Jacobians."""
    first, count = 1 + len(ends), 1 + len(ends) + len(varied) + len(places)
    cases = _Cases(*(np.repeat(each[None], count, axis=0) for each in (M_x, J, middle)))
    cases.coefficients[1:first] = ends
    cases.M_x[first : first + len(varied)] = varied
    cases.J[first + len(varied) :] = places
    return cases


def _velocities_after(cases: _Cases, dq: np.ndarray, law: str) -> np.ndarray:
    """Return the joint velocities after each impact, a row each [rad/s]."""
    M_x, J, coefficients = cases
    if coefficients.shape[1] > 1:
        results = [contact_results(*each, dq, law) for each in zip(*cases, strict=True)]
        return np.array([each[0].dq_after for each in results])
    return map_many(M_x, J, dq, coefficients[:, 0], FRICTION_LAWS.named(law)).dq_after


def _coefficient_ends(contacts: Sequence[RobotContact], middle: np.ndarray) -> np.ndarray:
    """Return the coefficients with one of them at its lower and then its upper end, (2m, k, 2)."""
    moved = []
    for i, contact in enumerate(contacts):
        for j, ends in enumerate((contact.surface.friction, contact.surface.restitution)):
            for end in ends if ends[0] < ends[1] else ():
                moved.append(middle.copy())
                moved[-1][i, j] = end
    return np.array(moved).reshape(-1, *middle.shape)


def _place_ends(contacts: Sequence[RobotContact], J: np.ndarray, error: ModelError) -> np.ndarray:
    """Return J of all contacts, with one of them moved or its surface tilted, (5k, 3k, n)."""
    moved = [place_variations(each.state, each.surface, error) for each in contacts]
    ends = np.repeat(J[None], sum(map(len, moved)), axis=0)
    for i, each in enumerate(moved):
        ends[i * len(each) : (i + 1) * len(each), 3 * i : 3 * i + 3] = each
    return ends
