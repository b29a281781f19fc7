# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact laws of a body's corners on a plane, compiled: velocities after from those before.

The body has mass 1, which cancels in velocities. A rounded corner is a sphere. Axes are the
contact's, z out of the plane; velocities are those of the tracked origin, and angular ones.
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np

from impact_predictor.compiled.contact_springs import Springs, spring_impulses
from impact_predictor.compiled.coulomb import contact_impulse
from impact_predictor.compiled.several_contacts import block, several_impulses
from impact_predictor.compiled.slip_path import slip_path
from impact_robots.compiling.compiled import cached

COULOMB, POISSON, PATH, SPRINGS = range(4)  # kinds of laws
TOLERANCE = 0.006  # of a corner above the lowest one that still takes part [m]


class BodyShape(NamedTuple):
    """A body's geometry in its own axes, from the tracked origin; its inertia per mass."""

    centre: np.ndarray  # of mass, shape (3,) [m]
    inertia: np.ndarray  # about it, diagonal, shape (3,) [m^2]
    corners: np.ndarray  # shape (K, 3) [m]
    insets: np.ndarray  # how corners move inwards with their radius, shape (K, 3) [-]
    rounding: float  # radius [m]


class CornerLaw(NamedTuple):
    """A law and its coefficients."""

    kind: int  # COULOMB, POISSON, PATH (at one corner) or SPRINGS
    tolerance: float  # of the corners that take part; negative: the lowest alone [m]
    friction: float  # [-]
    restitution: float  # [-]
    initial: float = 0.0  # fraction of the slip before, added to that after for friction [-]
    ratio: float = 1.0  # of springs, tangential over normal stiffness [-]
    compression: float = 0.0  # time that mass 1 takes to be stopped by one spring [s]; 0: no gaps


@cached()
def low_corners(shape: BodyShape, R: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Return levers (k, 3) and gaps (k,) of the corners that take part, the lowest first [m]."""
    K = len(shape.corners)
    levers, height = np.empty((K, 3)), np.empty(K)
    for i in range(K):
        at = shape.corners[i] + shape.rounding * shape.insets[i]
        for a in range(3):
            levers[i, a] = np.sum(R[a] * (at - shape.centre))
        height[i] = np.sum(R[2] * at) - shape.rounding
        levers[i, 2] -= shape.rounding
    order = np.argsort(height)
    k = 1
    while k < K and height[order[k]] - height[order[0]] <= tolerance:
        k += 1
    return levers[order[:k]], height[order[:k]] - height[order[0]]


@cached()
def delassus(levers: np.ndarray, turning: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return J (3k, 6) of contacts with levers (k, 3), M^-1 J^T (6, 3k) and G (3k, 3k).

    Args:
        levers: from the centre of mass, shape (k, 3) [m].
        turning: inverse of the rotational inertia per mass in contact axes, shape (3, 3) [1/m^2].
    """
    k = len(levers)
    J, effect = np.zeros((3 * k, 6)), np.empty((6, 3 * k))
    for i in range(k):
        x, y, z = levers[i]
        for a in range(3):
            J[3 * i + a, a] = 1.0
        J[3 * i, 4], J[3 * i, 5] = z, -y
        J[3 * i + 1, 3], J[3 * i + 1, 5] = -z, x
        J[3 * i + 2, 3], J[3 * i + 2, 4] = y, -x
    effect[:3] = J[:, :3].T
    effect[3:] = turning @ np.ascontiguousarray(J[:, 3:].T)
    return J, effect, J @ effect


@cached()
def law_impulses(law: CornerLaw, G: np.ndarray, u: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """Return the impulses per mass (3k,) of contacts with velocities u (3k,) before [m/s]."""
    mu, e = law.friction, law.restitution
    if law.kind == SPRINGS:
        if law.compression > 0.0:
            stiffness = (pi / 2 / law.compression) ** 2
            return spring_impulses(G, u, gaps, Springs(mu, e, law.ratio, stiffness), 40)
        return spring_impulses(G, u, 0.0 * gaps, Springs(mu, e, law.ratio, 1.0), 40)
    if law.kind == PATH:
        none, rows, v = (0.0, 0.0, 0.0), block(G, 0), (u[0], u[1], u[2])
        (x, y, z), _how = contact_impulse(rows, (0.0, 0.0, -1.0), mu, 0.0, True)
        along = (x / z, y / z, 1.0)
        found, _still = slip_path(rows, v, mu, along, none, 0.0, False)
        found, _still = slip_path(rows, v, mu, along, found, (1.0 + e) * found[2], True)
        return np.array([found[0], found[1], found[2]])
    free = u.copy()
    for i in range(len(gaps)):
        n = 3 * i + 2
        free[n - 2] *= 1.0 + law.initial
        free[n - 1] *= 1.0 + law.initial
        if law.kind == COULOMB:
            free[n] += e * min(u[n], 0.0)
    impulses = several_impulses(G, free, mu)
    return impulses * (1.0 + e) if law.kind == POISSON else impulses


@cached()
def velocities_after(
    shape: BodyShape, law: CornerLaw, rotation: np.ndarray, before: np.ndarray
) -> np.ndarray:
    """Return velocities after N impacts, shape (N, 6) [m/s, rad/s].

    Args:
        shape: of the body.
        law: of its corners.
        rotation: from body to contact axes, shape (N, 3, 3).
        before: velocities before, shape (N, 6).
    """
    after = before.copy()
    for t in range(len(before)):
        R, w = rotation[t], before[t, 3:]
        to_centre = R @ shape.centre
        levers, gaps = low_corners(shape, R, law.tolerance)
        turning = (R / shape.inertia) @ np.ascontiguousarray(R.T)
        J, effect, G = delassus(levers, turning)
        velocity = before[t].copy()
        velocity[:3] += np.cross(w, to_centre)
        u = J @ velocity
        if u[2] >= 0.0 and law.kind == PATH:
            continue
        velocity += effect @ law_impulses(law, G, u, gaps)
        after[t, 3:] = velocity[3:]
        after[t, :3] = velocity[:3] - np.cross(velocity[3:], to_centre)
    return after
