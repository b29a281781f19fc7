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
    """Predict a simultaneous impact at all of these points, one prediction per point.

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
    state = checked_state(contacts, law)
    M_x, J = map_inertia(state, robot, inertia), contacts_jacobian(contacts)
    results = contact_results(M_x, J, middle_coefficients(contacts), state.dq, law)
    predictions = []
    for contact, result in zip(contacts, results, strict=True):
        state, surface, name = contact
        case = {"inertia": inertia, "law": law, "inverse_inertia": inverse_inertia}
        predictions.append(complete(result, state, surface, robot, name or state.frame, **case))
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
    M_x: np.ndarray, J: np.ndarray, coefficients: np.ndarray, dq: np.ndarray, law: str
) -> tuple[ImpactMapResult, ...]:
    """Return the impact map's prediction at each of k points.

    Args:
        M_x: M + B, shape (n, n) [kg.m^2].
        J: Jacobians of all points in their contact axes, shape (3k, n).
        coefficients: friction and restitution of each, shape (k, 2) [-].
        dq: velocities before, finite, shape (n,) [rad/s].
        law: of friction; several points: "coulomb".

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        UnsolvedImpactError: no impulses were found.
    """
    if len(coefficients) == 1:
        ((mu, e),) = coefficients.tolist()
        return (map_state(M_x, J, dq, friction=mu, restitution=e, law=law),)
    impact = simultaneous_impact(
        M_x, J, dq, friction=coefficients[:, 0], restitution=coefficients[:, 1]
    )
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
        for i in range(len(coefficients))
    )


def checked_state(contacts: Sequence[RobotContact], law: str) -> PointState:
    """Return the state common to all contacts.

    Raises:
        OutOfRangeError: no contact, a state that is not finite, or a law that solves one point
            alone.
        UnknownNameError: no such law.
    """
    if not contacts:
        raise OutOfRangeError("contacts", "at least one", "none")
    if len(contacts) > 1 and FRICTION_LAWS.named(law).name != LAW:
        raise OutOfRangeError("friction law", f"{LAW} for several contacts at once", law)
    check_finite(contacts[0].state)
    return contacts[0].state


def middle_coefficients(contacts: Sequence[RobotContact]) -> np.ndarray:
    """Return friction and restitution in the middle of their ranges, shape (k, 2) [-]."""
    return np.array([each.surface.middle for each in contacts])


def contacts_jacobian(contacts: Sequence[RobotContact]) -> np.ndarray:
    """Return the contacts' Jacobians below each other, shape (3k, n)."""
    jacobians = [contact_jacobian(each.state, each.surface.rotation) for each in contacts]
    return jacobians[0] if len(jacobians) == 1 else np.concatenate(jacobians)
