# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The rows that keep the impulses of several arrivals within bounds."""

from __future__ import annotations

import numpy as np

from impact_qp.compiled.worst_speed import LEAST, normal_mobility
from impact_robots.compiling.array_kinds import Matrix, NewMatrix, Vector
from impact_robots.compiling.compiled import compiled

SAME = 1e-9  # relative; a row exceeded by no more is redundant


@compiled
def unit_impulses(
    lever: Vector,
    rotational_inertia: Matrix,
    mass: float,
    rotation: Matrix,
    normal: Vector,
    K: Matrix,
    restitution: float,
) -> NewMatrix:
    """Return (1 + c) K_j/(z^T W K_j), W of a free rigid body, contact axes, shape (3, N).

    Infinite if an impulse is unbounded.

    Args:
        lever: from the body's centre of mass to the point, base axes, shape (3,) [m].
        rotational_inertia: about the centre of mass, base axes, shape (3, 3) [kg.m^2].
        mass: [kg].
        rotation: from contact to base axes, shape (3, 3).
        normal: base axes, shape (3,).
        K: directions in contact axes, shape (3, N).
        restitution: c.
    """
    mobility = normal_mobility(lever, rotational_inertia, mass, normal)
    response, found = np.zeros(3), np.empty(K.shape)
    for i in range(3):
        for j in range(3):
            response[i] += rotation[j, i] * mobility[j]
    for j in range(K.shape[1]):
        per_force = response[0] * K[0, j] + response[1] * K[1, j] + response[2] * K[2, j]
        size = (1.0 + restitution) / per_force if per_force > LEAST / mass else np.inf
        for i in range(3):
            found[i, j] = K[i, j] * size if K[i, j] != 0.0 else 0.0
    return found


@compiled
def common_speed(loads: Matrix, limits: Vector) -> tuple[float, int]:
    """Return the highest speed [m/s] that all arrivals may have, and the row that sets it, or -1.

    Args:
        loads: of each of k arrivals on each row at 1 m/s, shape (m, k).
        limits: of the summed loads, shape (m,).
    """
    speed, row = np.inf, -1
    for i in range(len(limits)):
        together = 0.0
        for a in range(loads.shape[1]):
            together += loads[i, a]
        if together > 0.0 and limits[i] / together < speed:
            speed, row = limits[i] / together, i
    return speed, row


@compiled
def worst_both_ways(rows: Matrix, impulses: Matrix) -> NewMatrix:
    """Return the largest effects of arrivals' impulses, or of none, on rows of both signs.

    Args:
        rows: of each arrival's impulse in turn, shape (m, 3 k).
        impulses: of each arrival in turn, shape (3 k, N).

    Returns:
        shape (2 m, k): first those of the rows, then those of their negatives.
    """
    m, k = rows.shape[0], rows.shape[1] // 3
    worst = np.zeros((2 * m, k))
    for i in range(m):
        for a in range(k):
            for j in range(impulses.shape[1]):
                effect = 0.0
                for axis in range(3 * a, 3 * a + 3):
                    effect += rows[i, axis] * impulses[axis, j]
                worst[i, a] = max(worst[i, a], effect)
                worst[m + i, a] = max(worst[m + i, a], -effect)
    return worst


@compiled
def binding_rows(loads: Matrix, limits: Vector) -> NewMatrix:
    """Return c and d of the rows c s <= d that bound approach speeds s, shape (r, k + 1), in m/s.

    Equivalent to sum of loads_ia max(0, s_a) <= limits_i for all i: one row for each arrival, and
    for each set of arrivals those that the speeds allowed alone would exceed.

    Args:
        loads: of each of k arrivals on each row at 1 m/s, at least 0, shape (m, k).
        limits: of the summed loads, shape (m,).
    """
    m, k = loads.shape
    found, count = np.zeros(((2**k - 1 - k) * m + k, k + 1)), 0
    alone = np.full(k, np.inf)
    for a in range(k):
        for i in range(m):
            if loads[i, a] > 0.0:
                alone[a] = min(alone[a], limits[i] / loads[i, a])
        if alone[a] < np.inf:
            found[count, a], found[count, k] = 1.0, alone[a]
            count += 1
    for group in range(1, 2**k):
        if group & (group - 1) == 0:
            continue
        for i in range(m):
            total, at_most = 0.0, 0.0
            for a in range(k):
                if group >> a & 1:
                    if not loads[i, a] > 0.0:
                        total = np.nan
                    total += loads[i, a]
                    at_most += loads[i, a] * alone[a]
            if total > 0.0 and at_most > limits[i] + SAME * abs(limits[i]):
                for a in range(k):
                    found[count, a] = loads[i, a] / total if group >> a & 1 else 0.0
                found[count, k] = limits[i] / total
                count += 1
    return found[:count].copy()
