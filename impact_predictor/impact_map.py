# SPDX-License-Identifier: Apache-2.0
"""Rigid impact map: joint velocities right after an impact from those right before it.

P1 is Rey Arias, Weekers, Morganti, Padois, Saccon, RA-L 2024. The configuration does not change
during the impact, and no force but the contact's matters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.checks import (
    finite_array,
    friction_coefficient,
    restitution_coefficient,
)
from impact_predictor.coulomb import coulomb_impulse
from impact_predictor.exceptions import OutOfRangeError, UnknownNameError
from impact_predictor.impact_result import ContactMode, Flag, ImpactMapResult
from impact_predictor.sliding import sliding_impulse

FRICTION_LAWS = ("coulomb", "sliding")
SINGULAR = 1e-3  # smallest singular value of a contact Jacobian that counts as full rank [m]


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
    """Return what an impact at one contact point does; P1 (10)-(17).

    qdot^+ = qdot^- + (M + B)^-1 J^T iota with J_N qdot^+ = -e J_N qdot^-. A point that does not
    approach has no impact: velocities stay. Sticking, sliding and jamming are in mode and flags.

    Args:
        M: mass matrix, shape (n, n) [kg.m^2].
        motor_inertia: diagonal of B, shape (n,) [kg.m^2]; none: zero.
        J: linear Jacobian of the contact point in contact axes p, shape (3, n).
        dq: joint velocities before, shape (n,) [rad/s].
        friction: coefficient mu >= 0 [-].
        restitution: Newton's coefficient e of the normal velocity, 0 to 1 [-].
        law: "coulomb" (stick or slip, friction opposes the slip after the impact) or "sliding"
            (as published, friction opposes the slip before the impact).

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: an argument is out of its range, of the wrong shape or not finite.
        UnknownNameError: there is no such friction law.
    """
    M_x, J, dq = _checked(M, motor_inertia, J, dq)
    friction, restitution = friction_coefficient(friction), restitution_coefficient(restitution)
    if law not in FRICTION_LAWS:
        raise UnknownNameError("friction law", law, FRICTION_LAWS)
    velocity = J @ dq
    regular = len(dq) >= 3 and np.linalg.svd(J, compute_uv=False)[-1] > SINGULAR
    flags = Flag.NONE if regular else Flag.SINGULAR_JACOBIAN
    if velocity[2] >= 0.0:
        return ImpactMapResult(
            dq, np.zeros(3), ContactMode.NONE, velocity, velocity.copy(), 0.0, flags
        )
    effect = np.linalg.solve(M_x, J.T)
    impulse, mode, more = _impulse(J @ effect, velocity, friction, restitution, law)
    dq_after = dq + effect @ impulse
    gain = float((dq_after + dq) @ M_x @ (dq_after - dq)) / 2
    flags |= Flag.APPROACHING | more
    if gain > 1e-12 * float(dq @ M_x @ dq):
        flags |= Flag.ENERGY_GAIN
    return ImpactMapResult(dq_after, impulse, mode, velocity, J @ dq_after, gain, flags)


def _checked(
    M: ArrayLike, motor_inertia: ArrayLike | None, J: ArrayLike, dq: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return M + B, J and a copy of dq, of matching shapes."""
    n = np.size(dq)
    if n == 0:
        raise OutOfRangeError("dq", "at least one joint", dq)
    M_x = finite_array(M, (n, n), "M")
    if motor_inertia is not None:
        M_x = M_x + np.diag(finite_array(motor_inertia, (n,), "motor_inertia"))
    return M_x, finite_array(J, (3, n), "J"), finite_array(dq, (n,), "dq").copy()


def _impulse(
    G: np.ndarray, velocity: np.ndarray, friction: float, restitution: float, law: str
) -> tuple[np.ndarray, ContactMode, Flag]:
    """Return impulse in p, mode and flags by the friction ``law``."""
    if law == "sliding":
        return sliding_impulse(G, velocity, friction, restitution)
    impulse, sticks = coulomb_impulse(G, velocity, friction, restitution)
    return impulse, ContactMode.STICK if sticks else ContactMode.SLIDE, Flag.NONE
