# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Rigid impact map: joint velocities right after an impact from those right before it.

Rey Arias 2024: full reference in doc/theory.md. The configuration does not change during the
impact, and no force but the contact's matters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.impact_result import ContactMode, Flag, ImpactMapResult
from impact_predictor.inertia.jacobian import jacobian_condition
from impact_predictor.laws.friction_law import FRICTION_LAWS
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, friction_coefficient, restitution_coefficient

ENERGY_ROUNDING = 1e-12  # fraction of the kinetic energy below which a gain is none
_APPROACHING, _ENERGY_GAIN = int(Flag.APPROACHING), int(Flag.ENERGY_GAIN)


def impact_map(
    M: ArrayLike,
    motor_inertia: ArrayLike | None,
    J: ArrayLike,
    dq: ArrayLike,
    *,
    friction: float = 0.0,
    restitution: float = 0.0,
    law: str = "coulomb",
) -> ImpactMapResult:
    """Return the result of an impact at one contact point; Rey Arias 2024 (10)-(17).

    qdot^+ = qdot^- + (M + B)^-1 J^T iota with J_N qdot^+ = -e J_N qdot^-. A point that does not
    approach has no impact: velocities stay. Sticking, sliding and jamming are in mode and flags.

    Args:
        M: mass matrix, symmetric, shape (n, n) [kg.m^2].
        motor_inertia: diagonal of B, shape (n,) [kg.m^2]; none: zero.
        J: linear Jacobian of the contact point in contact axes p, shape (3, n).
        dq: joint velocities before, shape (n,) [rad/s].
        friction: coefficient mu >= 0 [-].
        restitution: Newton's coefficient e of the normal velocity, 0 to 1 [-].
        law: of friction, one of :data:`FRICTION_LAWS`.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: an argument is out of its range, of the wrong shape or not finite.
        UnknownNameError: there is no such friction law.
    """
    n = np.size(dq)
    if n == 0:
        raise OutOfRangeError("dq", "at least one joint", dq)
    M_x = finite_array(M, (n, n), "M")
    if motor_inertia is not None:
        M_x = M_x + np.diag(finite_array(motor_inertia, (n,), "motor_inertia"))
    return map_state(
        M_x,
        finite_array(J, (3, n), "J"),
        finite_array(dq, (n,), "dq").copy(),
        friction=friction,
        restitution=restitution,
        law=law,
    )


def map_state(
    M_x: np.ndarray,
    J: np.ndarray,
    dq: np.ndarray,
    *,
    friction: float,
    restitution: float,
    law: str,
) -> ImpactMapResult:
    """Return :func:`impact_map` of M_x = M + B and arrays that fit and are finite.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: friction or restitution out of range, or M_x not positive definite.
        UnknownNameError: there is no such friction law.
    """
    friction, restitution = friction_coefficient(friction), restitution_coefficient(restitution)
    solve = FRICTION_LAWS.named(law).solve
    effect, G, velocity, definite = _mobility()(M_x, J, dq)
    condition, flags = jacobian_condition(J)
    if velocity[2] >= 0.0:
        none = np.zeros(3)
        after = velocity.copy()
        still = ContactMode.NONE
        return ImpactMapResult(dq, none, still, velocity, after, 0.0, Flag(flags), condition)
    if not definite:
        raise OutOfRangeError("M", "a positive definite matrix", M_x)
    iota, mode, more = solve(G, tuple(velocity.tolist()), friction, restitution)
    impulse = np.array(iota)
    dq_after = dq + impulse.dot(effect)  # dot is twice as fast as @ at this size
    velocity_after = J.dot(dq_after)
    gain = float(impulse.dot(velocity + velocity_after)) / 2
    flags |= _APPROACHING | more
    if gain > 0.0 and gain > ENERGY_ROUNDING * float(dq @ M_x @ dq):
        flags |= _ENERGY_GAIN
    return ImpactMapResult(
        dq_after, impulse, mode, velocity, velocity_after, gain, Flag(flags), condition
    )


def contact_impulse(
    W: np.ndarray, velocity: np.ndarray, *, friction: float, restitution: float, law: str
) -> np.ndarray:
    """Return the impulse on the robot in p by a friction law on any inverse inertia, (3,) [N.s].

    The map's own W is J (M + B)^-1 J^T; models of the contact point alone have others.

    Args:
        W: inverse inertia in p, symmetric, shape (3, 3) [1/kg].
        velocity: of the contact point in p, z component negative, shape (3,) [m/s].
        friction: coefficient mu >= 0 [-].
        restitution: coefficient e; one that was measured may be below 0 or above 1 [-].
        law: of friction, one of :data:`FRICTION_LAWS`.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: friction out of range.
        UnknownNameError: there is no such friction law.
    """
    solve = FRICTION_LAWS.named(law).solve
    rows, v = np.asarray(W, dtype=float).tolist(), tuple(np.asarray(velocity, dtype=float).tolist())
    return np.array(solve(rows, v, friction_coefficient(friction), restitution)[0])


@cache
def _mobility() -> Callable[..., Any]:
    from impact_predictor.compiled.mobility import mobility  # loads slowly

    function: Callable[..., Any] = mobility
    return function
