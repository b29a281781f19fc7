# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction coefficient from measured joint velocities before and after impacts.

Rey Arias 2024, section IV-C: full reference in doc/theory.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.identification.contact_estimate import half_interval
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.laws.impact_map import map_state
from impact_robots import PointState
from impact_robots.exceptions import OutOfRangeError

GRID = 41  # coefficients that are tried before the search, so that it ends in the lowest valley


class MeasuredImpact(NamedTuple):
    """One impact of a robot."""

    state: PointState  # right before it
    rotation: np.ndarray  # R_Op of the surface, shape (3, 3)
    dq_after: np.ndarray  # gross joint velocities after it, shape (n,) [rad/s]


class FrictionEstimate(NamedTuple):
    """The coefficient that explains impacts best."""

    friction: float  # [-]
    low: float  # 95 % confidence, from the curvature of the error [-]
    high: float  # [-]
    rms: float  # of the prediction error of all joints [rad/s]
    at_bound: bool  # the best is an end of the range: no minimum was found


def prediction_error(
    impacts: Sequence[MeasuredImpact],
    motor_inertia: np.ndarray,
    friction: float,
    *,
    restitution: float = 0.0,
    law: str = "coulomb",
) -> np.ndarray:
    """Return predicted minus measured velocities after, shape (k, n) [rad/s]; Rey Arias 2024 (18).

    Args:
        impacts: k of them, of one robot.
        motor_inertia: diagonal of B, shape (n,) [kg.m^2].
        friction: coefficient mu >= 0 [-].
        restitution: coefficient e, 0 to 1 [-].
        law: of friction, one of :data:`FRICTION_LAWS`.

    Raises:
        OutOfRangeError: a coefficient is out of its range.
        UnknownNameError: there is no such law.
    """
    errors = []
    for state, rotation, dq_after in impacts:
        M_x, J = state.M + np.diag(motor_inertia), contact_jacobian(state, rotation)
        result = map_state(M_x, J, state.dq, friction=friction, restitution=restitution, law=law)
        errors.append(result.dq_after - dq_after)
    return np.array(errors)


def identify_friction(
    impacts: Sequence[MeasuredImpact],
    motor_inertia: np.ndarray,
    *,
    restitution: float = 0.0,
    law: str = "coulomb",
    largest: float = 1.0,
) -> FrictionEstimate:
    """Return the coefficient with the least squared prediction error; Rey Arias 2024 IV-C.

    Args:
        impacts: at least one, of one robot.
        motor_inertia: diagonal of B, shape (n,) [kg.m^2].
        restitution: coefficient e, 0 to 1 [-].
        law: of friction, one of :data:`FRICTION_LAWS`.
        largest: coefficient that is tried, > 0 [-].

    Raises:
        OutOfRangeError: no impacts, or a value out of its range.
        UnknownNameError: there is no such law.
    """
    from scipy.optimize import minimize_scalar  # loads slowly

    if not impacts or not 0.0 < largest < inf:
        raise OutOfRangeError("impacts, largest", "at least one, and above 0", largest)

    def cost(mu: float) -> float:
        error = prediction_error(impacts, motor_inertia, mu, restitution=restitution, law=law)
        return float(np.nansum(error**2)) if np.isfinite(error).all() else inf

    tried = np.linspace(0.0, largest, GRID)
    best = tried[int(np.argmin([cost(mu) for mu in tried]))]
    step = tried[1]
    span = (max(0.0, best - step), min(largest, best + step))
    found = float(minimize_scalar(cost, bounds=span, method="bounded").x)
    friction = min((found, float(best)), key=cost)
    count = len(impacts) * len(motor_inertia)
    half = _half_width(cost, friction, step / 4, count)
    edge = 1e-3 * largest
    return FrictionEstimate(
        friction,
        max(0.0, friction - half),
        friction + half,
        sqrt(cost(friction) / count),
        not edge < friction < largest - edge,
    )


def _half_width(cost: Callable[[float], float], mu: float, step: float, count: int) -> float:
    """Return half of the 95 % interval; infinite where the error has no curvature."""
    lower = max(0.0, mu - step)
    curvature = (cost(lower + 2 * step) - 2 * cost(lower + step) + cost(lower)) / step**2
    if not curvature > 0.0 or count < 2:
        return inf
    degrees = count - 1
    return half_interval(degrees) * sqrt(2 * cost(mu) / degrees / curvature)
