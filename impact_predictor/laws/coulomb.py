# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""One contact with Coulomb's friction and Newton's restitution, solved exactly.

Unknown is the impulse iota, in contact axes p, that changes the velocity of the contact point from
v to v + G iota, with v_n^+ = -e v_n^- and one of

- stick: no slip after the impact, and |iota_T| <= mu iota_n,
- slide: slip s u after it with s >= 0, and iota_T = -mu iota_n u opposed to it.

With iota = iota_n (-mu u, 1), u = (cos a, sin a), restitution gives iota_n = -(1 + e) v_n/D(a),
D = G_nn - mu G_nT u. The slip is parallel to u where u x (D v_T + D G_T iota) vanishes: a
trigonometric polynomial of degree 2 in a. All this is compiled (``impact_predictor/compiled``), but
for a G that is close to losing rank.
"""

from __future__ import annotations

from functools import cache
from math import hypot
from types import ModuleType

import numpy as np

from impact_predictor.exceptions import NoImpulseError
from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.laws.friction_law import FRICTION_LAWS, Answer, Answers, FrictionLaw
from impact_predictor.symmetric3 import Matrix, Triple

_REACHED = 1e-5  # relative residual of the velocity that counts as reached, near a singular G
_AMBIGUOUS = int(Flag.AMBIGUOUS)


def coulomb_impulse(
    G: np.ndarray, velocity: np.ndarray, friction: float, restitution: float = 0.0
) -> tuple[np.ndarray, bool]:
    """Return the impulse on the robot in p, shape (3,) [N.s], and whether the contact sticks.

    Where several solutions exist, sticking goes before sliding, and among directions of sliding
    the one that leaves the least energy.

    Args:
        G: Delassus matrix J M^-1 J^T in p, symmetric, positive semidefinite, shape (3, 3) [1/kg].
        velocity: of the contact point in p, z component negative, shape (3,) [m/s].
        friction: coefficient mu >= 0 [-].
        restitution: coefficient e, 0 to 1 [-].

    Raises:
        NoImpulseError: there is no solution, which cannot be for a positive definite G.
    """
    rows, v = np.asarray(G, dtype=float).tolist(), np.asarray(velocity, dtype=float).tolist()
    impulse, mode, _ = solve_contact(rows, tuple(v), friction, restitution)
    return np.array(impulse), mode is ContactMode.STICK


def solve_contact(G: Matrix, v: Triple, mu: float, e: float) -> Answer:
    """Return impulse, mode and flags of :func:`coulomb_impulse`; see ``friction_law``.

    ``AMBIGUOUS`` where the contact slides and another solution was found; none is searched where it
    sticks.

    Raises:
        NoImpulseError: there is no solution.
    """
    law, rows = _compiled(), tuple(map(tuple, G))
    impulse, how = law.contact_impulse(rows, v, mu, e, True)
    if how == law.SINGULAR:
        sticking = _stick_singular(rows, v, mu, e)
        if sticking is not None:
            return sticking, ContactMode.STICK, 0
        impulse, how = law.contact_impulse(rows, v, mu, e, False)
    if how == law.NOTHING_FOUND:
        raise NoImpulseError(np.array(G), np.array(v), mu)
    mode = ContactMode.STICK if how & law.STICKS else ContactMode.SLIDE
    return impulse, mode, _AMBIGUOUS if how & law.SEVERAL else 0


def _stick_singular(G: Matrix, v: Triple, mu: float, e: float) -> Triple | None:
    """Return the shortest impulse that stops the slip, if it is inside the cone.

    G is close to losing rank.
    """
    matrix, jump = np.array(G), -np.array([v[0], v[1], (1 + e) * v[2]])
    impulse = np.linalg.lstsq(matrix, jump, rcond=1e-14)[0]
    if np.linalg.norm(matrix @ impulse - jump) > _REACHED * np.linalg.norm(jump):
        return None
    x, y, z = impulse.tolist()
    return (x, y, z) if hypot(x, y) <= mu * z + 1e-12 * hypot(x, y, z) else None


def _many(G: np.ndarray, v: np.ndarray, coefficients: np.ndarray) -> Answers:
    """Return impulses, modes and flags; see ``friction_law``."""
    law, k = _compiled(), len(v)
    impulses, modes, flags = np.empty((k, 3)), np.empty(k, dtype=int), np.empty(k, dtype=int)
    if law.contact_impulses(G, v, coefficients, impulses, modes, flags):
        for i in np.flatnonzero(modes == law.UNKNOWN).tolist():
            mu, e = coefficients[i].tolist()
            impulses[i], modes[i], flags[i] = solve_contact(
                G[i].tolist(), tuple(v[i].tolist()), mu, e
            )
    return impulses, modes, flags


@cache
def _compiled() -> ModuleType:
    from impact_predictor.compiled import coulomb  # loads slowly

    return coulomb


FRICTION_LAWS.register(
    FrictionLaw(
        "coulomb", solve_contact, "stick or slip; friction opposes the slip after the impact", _many
    )
)
