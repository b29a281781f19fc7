# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Coulomb's law of a few contacts at once, compiled: for many small impacts, such as of corners.

The law is that of ``multicontact.simultaneous_impact``, whose solver is for any system. Here each
contact in turn is solved exactly, the others' impulses given, until none changes.
"""

from __future__ import annotations

import numpy as np

from impact_predictor.compiled.coulomb import contact_impulse
from impact_predictor.symmetric3 import Rows
from impact_robots.compiling.array_kinds import Matrix, NewVector, Vector
from impact_robots.compiling.compiled import compiled, part

_ROUNDS = 500
_SETTLED = 1e-11  # change of the impulses over the largest one


@part
def block(G: np.ndarray, i: int) -> Rows:
    """Return the rows of a contact's own block of a Delassus matrix."""
    a = 3 * i
    return (
        (G[a, a], G[a, a + 1], G[a, a + 2]),
        (G[a + 1, a], G[a + 1, a + 1], G[a + 1, a + 2]),
        (G[a + 2, a], G[a + 2, a + 1], G[a + 2, a + 2]),
    )


@compiled
def several_impulses(G: Matrix, free: Vector, mu: float) -> NewVector:
    """Return the impulses at k contacts, each in its own axes p, shape (3k,) [N.s].

    Args:
        G: Delassus matrix, shape (3k, 3k) [1/kg].
        free: velocities that no impulse would leave, restitution included, shape (3k,) [m/s].
        mu: friction of all [-].
    """
    k = len(free) // 3
    impulses = np.zeros(3 * k)
    for _ in range(_ROUNDS):
        change, largest = 0.0, 0.0
        for i in range(k):
            u = np.empty(3)
            for a in range(3):
                u[a] = free[3 * i + a]
                for j in range(3 * k):
                    if j // 3 != i:
                        u[a] += G[3 * i + a, j] * impulses[j]
            x, y, z = 0.0, 0.0, 0.0
            if u[2] < 0.0:
                (x, y, z), _how = contact_impulse(block(G, i), (u[0], u[1], u[2]), mu, 0.0, True)
            was = impulses[3 * i : 3 * i + 3]
            change = max(change, abs(x - was[0]) + abs(y - was[1]) + abs(z - was[2]))
            was[0], was[1], was[2] = x, y, z
            largest = max(largest, z)
        if change <= _SETTLED * largest:
            break
    return impulses
