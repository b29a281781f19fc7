# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The minimum of a quadratic program if a guess of the rows that bind is right."""

from __future__ import annotations

import numpy as np

from impact_qp.compiled.cholesky import solved
from impact_robots.compiled import (
    INTEGERS,
    MATRIX,
    NEW_VECTOR,
    NUMBER,
    TRUTH,
    VECTOR,
    compiled,
    part,
    several,
)

CORRECTIONS = 3  # of multipliers that rounding errors have spoilt: rows may be nearly dependent


@part
def _dot(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@compiled(several((NEW_VECTOR, TRUTH)), MATRIX, VECTOR, MATRIX, VECTOR, INTEGERS, NUMBER)
def minimum_on(
    H: np.ndarray, c: np.ndarray, G: np.ndarray, h: np.ndarray, rows: np.ndarray, kept: float
) -> tuple[np.ndarray, bool]:
    r"""Return the minimum of :math:`\tfrac12 x^T H x + c^T x` on rows of :math:`G x = h`.

    Args:
        H: positive definite, shape (n, n).
        c: shape (n,).
        G: shape (m, n).
        h: shape (m,).
        rows: numbers of the rows that bind, shape (k,).
        kept: by how much the minimum may exceed any of the m rows.

    Returns:
        x, shape (n,); whether it is that of all rows: no multiplier pulls, no row is exceeded.
    """
    n, k = len(c), len(rows)
    right = np.empty((n, 1 + k))
    right[:, 0] = -c
    for j in range(k):
        if not 0 <= rows[j] < len(h):
            return right[:, 0].copy(), False
        right[:, 1 + j] = G[rows[j]]
    moved = solved(H, right)  # by the cost alone, and by a unit multiplier of each row
    x = moved[:, 0].copy()
    if k:
        force, excess, yields = np.zeros((k, 1)), np.empty((k, 1)), np.empty((k, k))
        for j in range(k):
            for i in range(k):
                yields[j, i] = _dot(G[rows[j]], moved[:, 1 + i])
        for done in range(1 + CORRECTIONS):
            over = 0.0
            for j in range(k):
                excess[j, 0] = _dot(G[rows[j]], x) - h[rows[j]]
                over = max(over, abs(excess[j, 0]))
            if done and over <= kept:
                break
            change = solved(yields, excess)
            for j in range(k):
                force[j, 0] += change[j, 0]
                x -= change[j, 0] * moved[:, 1 + j]
        for j in range(k):
            if not force[j, 0] >= 0.0:
                return x, False
    for i in range(len(h)):
        if not (_dot(G[i], x) - h[i] <= kept and abs(h[i]) < np.inf):
            return x, False
    return x, bool(np.isfinite(x).all())
