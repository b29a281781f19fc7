# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The four models of inverse inertia by name, each with the properties of its result.

Wang 2022: full reference in doc/theory.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.impact_result import Flag
from impact_predictor.inertia.inverse_inertia import (
    algebraic_mass,
    crb,
    effective_mass,
    flexible,
    generalized_momentum,
)
from impact_predictor.inertia.jacobian import contact_jacobian, jacobian_condition
from impact_robots import PointState, Robot

_RIGID = 1e-12  # z^T W z over the trace of W, below which the arm cannot move along the normal


class InverseInertia(NamedTuple):
    """An inverse inertia matrix in contact axes p."""

    name: str  # "em", "gm", "crb" or "flex"
    W: np.ndarray  # shape (3, 3) [1/kg], symmetric
    effective_mass: float  # along the normal [kg], infinite if the arm cannot move along it
    flags: Flag  # SINGULAR_JACOBIAN, RANK_DEFICIENT


def normal_impulse(mass: float, normal_velocity: float, restitution: float) -> tuple[float, float]:
    """Return the normal impulse at the end of compression and in total [N.s]; Wang 2022 (30)-(32).

    Valid when the tangential impulse is negligible; both are zero without approach.

    Args:
        mass: effective mass along the normal [kg].
        normal_velocity: v_n before the impact, negative in approach [m/s].
        restitution: coefficient e, 0 to 1 [-].
    """
    compression = mass * max(-normal_velocity, 0.0)
    return compression, (1 + restitution) * compression


def named_inverse_inertia(
    state: PointState, rotation: np.ndarray, name: str = "crb"
) -> InverseInertia:
    """Return the inverse inertia of the contact point by the model ``name``.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
        name: one of :data:`INVERSE_INERTIAS`.

    Raises:
        UnknownNameError: there is no such model.
    """
    if name not in INVERSE_INERTIAS:
        raise UnknownNameError("inverse inertia", name, INVERSE_INERTIAS)
    return INVERSE_INERTIAS[name](state, rotation)


def _from_matrix(name: str, W: np.ndarray, flags: Flag) -> InverseInertia:
    """Return a model's answer from its matrix."""
    W = (W + W.T) / 2
    gives_way = W[2, 2] > _RIGID * np.trace(W)
    return InverseInertia(name, W, float(1 / W[2, 2]) if gives_way else math.inf, flags)


def _crb(state: PointState, rotation: np.ndarray) -> InverseInertia:
    return _from_matrix("crb", crb(state, rotation), Flag.NONE)


def _gm(state: PointState, rotation: np.ndarray) -> InverseInertia:
    _, flags = jacobian_condition(contact_jacobian(state, rotation))
    return _from_matrix("gm", generalized_momentum(state, rotation), Flag(flags))


def _flex(state: PointState, rotation: np.ndarray) -> InverseInertia:
    _, flags = jacobian_condition(contact_jacobian(state, rotation))
    return _from_matrix("flex", flexible(state, rotation), Flag(flags))


def _em(state: PointState, rotation: np.ndarray) -> InverseInertia:
    """Return W = m_em^-1; the effective mass is z^T m_em z, as Wang 2022 uses it."""
    mass, rank = algebraic_mass(state, rotation)
    _, flags = jacobian_condition(contact_jacobian(state, rotation))
    if rank < 6:
        flags |= Flag.RANK_DEFICIENT
    smallest, _, largest = np.linalg.eigvalsh(mass).tolist()
    regular = smallest > _RIGID * largest
    W = np.linalg.inv(mass) if regular else np.linalg.pinv(mass, hermitian=True)
    return InverseInertia("em", (W + W.T) / 2, float(mass[2, 2]), Flag(flags))


INVERSE_INERTIAS: dict[str, Callable[[PointState, np.ndarray], InverseInertia]] = {
    "em": _em,
    "gm": _gm,
    "crb": _crb,
    "flex": _flex,
}


def inverse_inertias(
    state: PointState, robot: Robot, rotation: np.ndarray
) -> dict[str, np.ndarray]:
    """Return W in contact axes p by every model, shape (3, 3) each [1/kg].

    The four of Wang 2022, and those of M + B_theta and M + B_rho; that of M is "gm".

    Args:
        state: dynamics of the arm.
        robot: the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    published = {name: named_inverse_inertia(state, rotation, name).W for name in INVERSE_INERTIAS}
    with_motors = {
        name: generalized_momentum(state, rotation, motors)
        for name, motors in robot.motor_inertias.items()
        if name != "M"
    }
    return published | with_motors


def effective_masses(state: PointState, robot: Robot, rotation: np.ndarray) -> dict[str, float]:
    """Return the effective mass along the normal by every model [kg].

    The four of Wang 2022, and those of M + B_theta and M + B_rho; that of M is "gm".

    Args:
        state: dynamics of the arm.
        robot: the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    published = {
        name: named_inverse_inertia(state, rotation, name).effective_mass
        for name in INVERSE_INERTIAS
    }
    with_motors = {
        name: effective_mass(generalized_momentum(state, rotation, motors))
        for name, motors in robot.motor_inertias.items()
        if name != "M"
    }
    return published | with_motors
