# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predictions of a robot that hits with one point or with several at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_predictor.impact_result import ImpactMapResult
from impact_predictor.inertia.impulse_maps import mean_force_factor
from impact_predictor.inertia.jacobian import contact_jacobian, jacobian_condition
from impact_predictor.laws.friction_law import FRICTION_LAWS
from impact_predictor.laws.impact_map import map_state
from impact_predictor.multicontact.simultaneous_impact import LAW, simultaneous_impact
from impact_predictor.prediction.predict import check_finite, complete, map_inertia
from impact_predictor.prediction.prediction import Prediction
from impact_robots import PointState, Robot, Surface
from impact_robots.exceptions import OutOfRangeError


class RobotContact(NamedTuple):
    """A point of a robot that hits a surface."""

    state: PointState  # of the robot, at this point
    surface: Surface
    name: str = ""  # of the point; empty: its frame


def predict_contacts(
    contacts: Sequence[RobotContact],
    robot: Robot,
    *,
    inertia: str = "M+B_theta",
    law: str = "coulomb",
    inverse_inertia: str = "crb",
) -> tuple[Prediction, ...]:
    """Return what an impact at all of these points at once would do, one prediction per point.

    Friction and restitution are in the middle of their ranges. Joint velocities after the impact,
    their energy and the jumps of momentum are the same in all; several points are solved by
    :func:`~impact_predictor.simultaneous_impact`.

    Args:
        contacts: at least one, all in the same state.
        robot: the arm.
        inertia: name of the inertia of the impact map, one of ``robot.motor_inertias``.
        law: of friction, one of :data:`FRICTION_LAWS`; several points: "coulomb".
        inverse_inertia: model behind the effective masses.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: no contact, a state that is not finite, or a law that solves one point
            alone.
        UnknownNameError: no such model, law or inverse inertia.
        UnsolvedImpactError: no impulses were found.
    """
    M_x = map_inertia(checked_state(contacts, law), robot, inertia)
    results = contact_results(M_x, contacts, law, middle_coefficients(contacts))
    predictions = []
    for contact, result in zip(contacts, results, strict=True):
        state, surface, name = contact
        prediction = complete(
            result, state, surface, robot, inertia=inertia, law=law, inverse_inertia=inverse_inertia
        )
        predictions.append(prediction._replace(contact=name or state.frame))
    return tuple(predictions)


def impulsive_torque(
    contacts: Sequence[RobotContact], predictions: Sequence[Prediction]
) -> np.ndarray:
    r"""Return :math:`|(a/\delta t) J_v^T \iota|` of all contacts, shape (n,) [N.m].

    Joint torques as published (Wang 2023, section 6.1.3), with a = 3 and 18 ms.

    Args:
        contacts: that hit.
        predictions: of :func:`predict_contacts`, one per contact.
    """
    impulses = np.concatenate([each.impulse for each in predictions])
    return np.abs(mean_force_factor() * (contacts_jacobian(contacts).T @ impulses))


def contact_results(
    M_x: np.ndarray, contacts: Sequence[RobotContact], law: str, coefficients: np.ndarray
) -> tuple[ImpactMapResult, ...]:
    """Return what the impact map says at each point.

    Args:
        M_x: M + B, shape (n, n) [kg.m^2].
        contacts: that :func:`checked_state` has checked.
        law: of friction; several points: "coulomb".
        coefficients: friction and restitution of each, shape (k, 2) [-].

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        UnsolvedImpactError: no impulses were found.
    """
    dq = contacts[0].state.dq
    mu, e = coefficients.T
    solve = _map_one if len(contacts) == 1 else _map_many
    return solve(M_x, contacts_jacobian(contacts), dq, mu, e, law)


def checked_state(contacts: Sequence[RobotContact], law: str) -> PointState:
    """Return the state that all contacts share.

    Raises:
        OutOfRangeError: no contact, a state that is not finite, or a law that solves one point
            alone.
        UnknownNameError: no such law.
    """
    if not contacts:
        raise OutOfRangeError("contacts", "at least one", "none")
    if FRICTION_LAWS.named(law).name != LAW and len(contacts) > 1:
        raise OutOfRangeError("friction law", f"{LAW} for several contacts at once", law)
    check_finite(contacts[0].state)
    return contacts[0].state


def middle_coefficients(contacts: Sequence[RobotContact]) -> np.ndarray:
    """Return friction and restitution in the middle of their ranges, shape (k, 2) [-]."""
    return np.array([each.surface.middle for each in contacts])


def contacts_jacobian(contacts: Sequence[RobotContact]) -> np.ndarray:
    """Return the contacts' Jacobians below each other, shape (3k, n)."""
    return np.vstack([contact_jacobian(each.state, each.surface.rotation) for each in contacts])


def _map_one(
    M_x: np.ndarray, J: np.ndarray, dq: np.ndarray, mu: np.ndarray, e: np.ndarray, law: str
) -> tuple[ImpactMapResult, ...]:
    """Return the impact map of a single contact."""
    friction, restitution = float(mu[0]), float(e[0])
    return (map_state(M_x, J, dq, friction=friction, restitution=restitution, law=law),)


def _map_many(
    M_x: np.ndarray, J: np.ndarray, dq: np.ndarray, mu: np.ndarray, e: np.ndarray, law: str
) -> tuple[ImpactMapResult, ...]:
    """Return the impact map of several contacts, one result each."""
    impact = simultaneous_impact(M_x, J, dq, friction=mu, restitution=e)
    return tuple(
        ImpactMapResult(
            impact.v_after,
            impact.impulses[i],
            impact.modes[i],
            impact.velocities_before[i],
            impact.velocities_after[i],
            impact.energy_gain,
            impact.flags,
            jacobian_condition(J[3 * i : 3 * i + 3])[0],
        )
        for i in range(len(mu))
    )
