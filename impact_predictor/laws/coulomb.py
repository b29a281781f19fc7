# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""One contact with Coulomb's friction and Newton's restitution, solved exactly.

Unknown is the impulse iota, in contact axes p, that changes the velocity of the contact point from
v to v + G iota, with v_n^+ = -e v_n^- and one of

- stick: no slip after the impact, and |iota_T| <= mu iota_n,
- slide: slip s u after it with s >= 0, and iota_T = -mu iota_n u opposed to it.

With iota = iota_n (-mu u, 1), u = (cos a, sin a), restitution gives iota_n = -(1 + e) v_n/D(a),
D = G_nn - mu G_nT u. The slip is parallel to u where u x (D v_T + D G_T iota) vanishes: a
trigonometric polynomial of degree 2 in a, see ``slip_angles``. Plain floats throughout: for
three-vectors they are faster than arrays.
"""

from __future__ import annotations

from math import cos, hypot, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import NoImpulseError
from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.laws.friction_law import FRICTION_LAWS, Answer, FrictionLaw
from impact_predictor.laws.slip_angles import Coefficients, zeros
from impact_predictor.symmetric3 import Matrix, Vector, solve, times

_ROUNDING = 1e-7  # relative residual of a slip's direction that counts as zero
_REACHED = 1e-5  # relative residual of the velocity that counts as reached, near a singular G
_REGULAR = 1e-6  # det G over its largest entry cubed, from which G counts as regular
_AMBIGUOUS = int(Flag.AMBIGUOUS)


class ContactImpulse(NamedTuple):
    """Coulomb's answer for one contact."""

    impulse: Vector  # on the robot, in p [N.s]
    sticks: bool
    unique: bool  # no other sliding solution was found; not looked for where the contact sticks


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
    answer = solve_contact(rows, tuple(v), friction, restitution)
    return np.array(answer.impulse), answer.sticks


def solve_contact(G: Matrix, v: Vector, mu: float, e: float) -> ContactImpulse:
    """Return :func:`coulomb_impulse` of plain floats, and whether it is the only solution.

    Raises:
        NoImpulseError: there is no solution.
    """
    sticking = _stick(G, v, mu, e)
    if sticking is not None:
        return ContactImpulse(sticking, True, True)
    candidates = _slide(G, v, mu, e)
    if not candidates:
        raise NoImpulseError(np.array(G), np.array(v), mu)
    unique = len(candidates) == 1
    if not unique:
        candidates.sort(key=lambda iota: _energy(G, v, iota))
        unique = _distance(candidates[0], candidates[-1]) <= 1e-6 * hypot(*candidates[0])
    impulse = candidates[0]
    wx, wy, _ = _after(G, v, impulse)
    return ContactImpulse(impulse, hypot(wx, wy) <= 1e-12 * hypot(*v), unique)


def _stick(G: Matrix, v: Vector, mu: float, e: float) -> Vector | None:
    """Return the impulse that stops the slip, if it is inside the cone."""
    jump = (-v[0], -v[1], -(1 + e) * v[2])
    impulse = solve(G, jump, _REGULAR) or _solve_singular(G, jump)
    if impulse is None:
        return None
    x, y, z = impulse
    return impulse if hypot(x, y) <= mu * z + 1e-12 * hypot(x, y, z) else None


def _solve_singular(G: Matrix, jump: Vector) -> Vector | None:
    """Return the shortest iota with G iota = jump for a G that is close to losing rank."""
    matrix, b = np.array(G), np.array(jump)
    impulse = np.linalg.lstsq(matrix, b, rcond=1e-14)[0]
    reached = np.linalg.norm(matrix @ impulse - b) <= _REACHED * np.linalg.norm(b)
    x, y, z = impulse.tolist()
    return (x, y, z) if reached else None


def _slide(G: Matrix, v: Vector, mu: float, e: float) -> list[Vector]:
    """Return every impulse at the cone's edge that opposes the slip it leaves."""
    if mu == 0.0:
        return [(0.0, 0.0, -(1 + e) * v[2] / G[2][2])] if G[2][2] > 0.0 else []
    solutions = []
    gx, gy, gn = G[2]
    scale = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    for angle in _slip_angles(G, v, mu, e):
        ux, uy = cos(angle), sin(angle)
        per_normal = gn - mu * (gx * ux + gy * uy)
        if per_normal <= 0.0:
            continue
        normal = -(1 + e) * v[2] / per_normal
        impulse = (-mu * normal * ux, -mu * normal * uy, normal)
        wx, wy, _ = _after(G, v, impulse)
        size = _ROUNDING * max(scale, abs(wx - v[0]), abs(wy - v[1]))
        if abs(ux * wy - uy * wx) <= size and ux * wx + uy * wy >= -size:
            solutions.append(impulse)
    return solutions


def _slip_angles(G: Matrix, v: Vector, mu: float, e: float) -> list[float]:
    """Return the angles at which the slip left may be parallel to u."""
    vx, vy, vn = v
    gx, gy, gn = G[2]
    gxx, gxy, gyy = G[0][0], G[0][1], G[1][1]
    jump = -(1 + e) * vn
    k: Coefficients = (
        mu / 2 * (gy * vx - gx * vy),
        gn * vy + jump * gy,
        -gn * vx - jump * gx,
        -mu / 2 * (gx * vy + gy * vx + 2 * jump * gxy),
        mu / 2 * (gx * vx - gy * vy + jump * (gxx - gyy)),
    )
    largest = max(gxx, gyy, gn)
    if sum(map(abs, k)) <= 1e-13 * abs(jump) * largest:  # rank 1: no direction leaves a slip
        return [i * pi / 4 for i in range(8)]
    return zeros(k)


def _after(G: Matrix, v: Vector, impulse: Vector) -> Vector:
    """Return the velocity v + G iota."""
    x, y, z = times(G, impulse)
    return v[0] + x, v[1] + y, v[2] + z


def _energy(G: Matrix, v: Vector, impulse: Vector) -> float:
    """Return the kinetic energy that an impulse adds [J]."""
    w = _after(G, v, impulse)
    return sum(i * (a + b) for i, a, b in zip(impulse, v, w, strict=True)) / 2


def _distance(a: Vector, b: Vector) -> float:
    """Return the distance of two impulses [N.s]."""
    return hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _law(G: Matrix, v: Vector, mu: float, e: float) -> Answer:
    """Return impulse, mode and flags; see ``friction_law``."""
    impulse, sticks, unique = solve_contact(G, v, mu, e)
    mode = ContactMode.STICK if sticks else ContactMode.SLIDE
    return impulse, mode, 0 if unique else _AMBIGUOUS


FRICTION_LAWS.register(
    FrictionLaw("coulomb", _law, "stick or slip; friction opposes the slip after the impact")
)
