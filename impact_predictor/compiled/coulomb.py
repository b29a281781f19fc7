# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Coulomb's law of one contact, compiled; equations are in ``impact_predictor.laws.coulomb``."""

from __future__ import annotations

from math import cos, hypot, pi, sin, sqrt

import numpy as np

from impact_predictor import symmetric3
from impact_predictor.compiled.slip_angles import zeros
from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.symmetric3 import Rows, Triple
from impact_robots.compiling.array_kinds import Matrix, Tensor, ToIntegers, ToMatrix
from impact_robots.compiling.compiled import compiled, part

# Result bits; none set: a contact that slides in one direction only.
STICKS, SEVERAL, NOTHING_FOUND, SINGULAR = 1, 2, 4, 8

UNKNOWN, _STICK = int(ContactMode.UNKNOWN), int(ContactMode.STICK)
_SLIDE, _AMBIGUOUS = int(ContactMode.SLIDE), int(Flag.AMBIGUOUS)
_ROUNDING = 1e-7  # relative residual of a slip's direction that counts as zero
_REGULAR = 1e-6  # det G over its largest entry cubed, from which G counts as regular
_MOST = 8  # examined directions of sliding

_solve, _times = part(symmetric3.solve), part(symmetric3.times)


@part
def _after(G: Rows, v: Triple, impulse: Triple) -> Triple:
    """Return the velocity v + G iota."""
    x, y, z = _times(G, impulse)
    return v[0] + x, v[1] + y, v[2] + z


@part
def _slip_angles(G: Rows, v: Triple, mu: float, e: float, angles: np.ndarray) -> int:
    """Write the angles at which the slip left may be parallel to u; return how many."""
    vx, vy, vn = v
    gx, gy, gn = G[2]
    gxx, gxy, gyy = G[0][0], G[0][1], G[1][1]
    jump = -(1 + e) * vn
    k = (
        mu / 2 * (gy * vx - gx * vy),
        gn * vy + jump * gy,
        -gn * vx - jump * gx,
        -mu / 2 * (gx * vy + gy * vx + 2 * jump * gxy),
        mu / 2 * (gx * vx - gy * vy + jump * (gxx - gyy)),
    )
    size = abs(k[0]) + abs(k[1]) + abs(k[2]) + abs(k[3]) + abs(k[4])
    if size > 1e-13 * abs(jump) * max(gxx, gyy, gn):
        return zeros(k, angles)
    for i in range(_MOST):  # rank 1: no direction leaves a slip
        angles[i] = i * pi / 4
    return _MOST


@compiled
def slides(G: Rows, v: Triple, mu: float, e: float, found: ToMatrix) -> int:
    """Write every impulse at the cone's edge that opposes the slip it leaves; return how many.

    Args:
        G: Delassus matrix in p, three rows, of which the upper triangle and the last row are read.
        v: velocity of the contact point in p.
        mu: friction.
        e: restitution.
        found: written, shape (8, 3).
    """
    gx, gy, gn = G[2]
    if mu == 0.0:
        if gn > 0.0:
            found[0, 0], found[0, 1], found[0, 2] = 0.0, 0.0, -(1 + e) * v[2] / gn
        return 1 if gn > 0.0 else 0
    angles, count = np.empty(_MOST), 0
    scale = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    for angle in angles[: _slip_angles(G, v, mu, e, angles)]:
        ux, uy = cos(angle), sin(angle)
        per_normal = gn - mu * (gx * ux + gy * uy)
        if per_normal <= 0.0:
            continue
        normal = -(1 + e) * v[2] / per_normal
        impulse = (-mu * normal * ux, -mu * normal * uy, normal)
        wx, wy, _ = _after(G, v, impulse)
        size = _ROUNDING * max(scale, abs(wx - v[0]), abs(wy - v[1]))
        if abs(ux * wy - uy * wx) <= size and ux * wx + uy * wy >= -size:
            found[count, 0], found[count, 1], found[count, 2] = impulse
            count += 1
    return count


@compiled
def contact_impulse(G: Rows, v: Triple, mu: float, e: float, may_stick: bool) -> tuple[Triple, int]:
    """Return Coulomb's impulse on the robot in p [N.s], and the result bits.

    Args:
        G: Delassus matrix in p, three rows.
        v: velocity of the contact point in p, z component negative.
        mu: friction.
        e: restitution.
        may_stick: whether sticking is examined; else ``SINGULAR`` if it would have to be.
    """
    if may_stick:
        sticking = _solve(G, (-v[0], -v[1], -(1 + e) * v[2]), _REGULAR)
        if sticking is None:
            return (0.0, 0.0, 0.0), SINGULAR
        x, y, z = sticking
        if hypot(x, y) <= mu * z + 1e-12 * hypot(hypot(x, y), z):
            return (x, y, z), STICKS
    found = np.empty((_MOST, 3))
    count = slides(G, v, mu, e, found)
    if count == 0:
        return (0.0, 0.0, 0.0), NOTHING_FOUND
    least, most, first, last = np.inf, -np.inf, 0, 0  # energy that an impulse adds [J]
    for i in range(count):
        x, y, z = found[i]
        wx, wy, wz = _after(G, v, (x, y, z))
        energy = (x * (v[0] + wx) + y * (v[1] + wy) + z * (v[2] + wz)) / 2
        if energy < least:
            least, first = energy, i
        if energy >= most:
            most, last = energy, i
    x, y, z = found[first]
    apart = found[first] - found[last]
    size = sqrt(x * x + y * y + z * z)
    how = 0 if sqrt(np.sum(apart * apart)) <= 1e-6 * size else SEVERAL
    wx, wy, _ = _after(G, v, (x, y, z))
    if hypot(wx, wy) <= 1e-12 * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]):
        how |= STICKS
    return (x, y, z), how


@compiled
def contact_impulses(
    G: Tensor,
    v: Matrix,
    coefficients: Matrix,
    impulses: ToMatrix,
    modes: ToIntegers,
    flags: ToIntegers,
) -> int:
    """Write impulses, modes and flags of k contacts; return how many are left ``UNKNOWN``.

    Those require the full solver: ``SINGULAR``, or no solution was found.

    Args:
        G: Delassus matrices in p, shape (k, 3, 3).
        v: velocities of the contact points in p, z components negative, shape (k, 3).
        coefficients: friction and restitution, shape (k, 2).
        impulses: written, shape (k, 3).
        modes: written, of :class:`~impact_predictor.ContactMode`, shape (k,).
        flags: written, of :class:`~impact_predictor.Flag`, shape (k,).
    """
    left = 0
    for i in range(len(G)):
        g = G[i]
        rows = (
            (g[0, 0], g[0, 1], g[0, 2]),
            (g[1, 0], g[1, 1], g[1, 2]),
            (g[2, 0], g[2, 1], g[2, 2]),
        )
        mu, e = coefficients[i]
        impulse, how = contact_impulse(rows, (v[i, 0], v[i, 1], v[i, 2]), mu, e, True)
        impulses[i, 0], impulses[i, 1], impulses[i, 2] = impulse
        modes[i], flags[i] = _STICK if how & STICKS else _SLIDE, _AMBIGUOUS if how & SEVERAL else 0
        if how >= NOTHING_FOUND:
            modes[i] = UNKNOWN
            left += 1
    return left
