# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The minimum of a quadratic program from a guess of the rows that bind."""

from __future__ import annotations

import numpy as np

from impact_robots.compiling.array_kinds import Integers, Matrix, NewVector, ToIntegers, Vector
from impact_robots.compiling.compiled import compiled, part
from impact_robots.compiling.small_algebra import dot, row_dot, solved

CORRECTIONS = 3  # of multipliers that rounding errors have spoilt: rows may be nearly dependent


@part
def _minimum_with(
    H: np.ndarray, c: np.ndarray, G: np.ndarray, h: np.ndarray, rows: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the minimum on rows of G x = h and their multipliers; NaN if rows are dependent."""
    n, k = len(c), len(rows)
    right = np.empty((n, 1 + k))
    for i in range(n):
        right[i, 0] = -c[i]
        for j in range(k):
            right[i, 1 + j] = G[rows[j], i]
    moved = solved(H, right)  # by the cost alone, and by a unit multiplier of each row
    x, force = moved[:, 0].copy(), np.zeros(k)
    excess, yields = np.empty((k, 1)), np.empty((k, k))
    for j in range(k):
        for i in range(k):
            yields[j, i] = row_dot(G, rows[j], moved[:, 1 + i])
    for done in range(1 + CORRECTIONS):
        over = 0.0
        for j in range(k):
            excess[j, 0] = row_dot(G, rows[j], x) - h[rows[j]]
            over = max(over, abs(excess[j, 0]))
        if k == 0 or (done and over <= tolerance):
            break
        change = solved(yields, excess)[:, 0]
        force += change
        for j in range(k):
            for i in range(n):
                x[i] -= change[j] * moved[i, 1 + j]
    return x, force


@part
def _largest_excess(G: np.ndarray, h: np.ndarray, x: np.ndarray) -> float:
    """Return the largest excess of x over a row of G x <= h; NaN if it is not finite."""
    largest = -np.inf
    for i in range(len(h)):
        excess = row_dot(G, i, x) - h[i]
        if not abs(excess) < np.inf:
            return np.nan
        largest = max(largest, excess)
    return largest


@part
def _farthest_row(H: np.ndarray, G: np.ndarray, h: np.ndarray, x: np.ndarray) -> int:
    """Return the row of G x <= h beyond which x is farthest, by the metric of the cost."""
    per_row, row, farthest = solved(H, G.T), -1, 0.0
    for i in range(len(h)):
        excess, width = dot(G[i], x) - h[i], dot(G[i], per_row[:, i])
        if excess > 0.0 and excess * excess > farthest * width:
            row, farthest = i, excess * excess / width
    return row


@part
def _are_rows(rows: np.ndarray, h: np.ndarray) -> bool:
    good = True
    for j in range(len(rows)):
        good = good and 0 <= rows[j] < len(h)
    return good


@compiled
def minimum_on(
    H: Matrix, c: Vector, G: Matrix, h: Vector, rows: Integers, tolerance: float
) -> tuple[NewVector, bool]:
    r"""Return the minimum of :math:`\tfrac12 x^T H x + c^T x` on rows of :math:`G x = h`.

    Args:
        H: positive definite, shape (n, n).
        c: shape (n,).
        G: shape (m, n).
        h: shape (m,).
        rows: numbers of the rows that bind, shape (k,).
        tolerance: largest excess over any of the m rows.

    Returns:
        x, shape (n,); whether it is the minimum under all rows: multipliers >= 0, no row exceeded.
    """
    if not _are_rows(rows, h):
        return -c, False
    x, force = _minimum_with(H, c, G, h, rows, tolerance)
    for j in range(len(rows)):
        if not force[j] >= 0.0:
            return x, False
    return x, _largest_excess(G, h, x) <= tolerance


@compiled
def minimum_near(
    H: Matrix,
    c: Vector,
    G: Matrix,
    h: Vector,
    guess: Integers,
    tolerance: float,
    tries: int,
    binding: ToIntegers,
) -> tuple[NewVector, int]:
    r"""Return the minimum of :math:`\tfrac12 x^T H x + c^T x` under :math:`G x \le h`.

    From a guess of the active rows, one row after the other is removed because its multiplier is
    negative, or added because it is exceeded. A minimum that is found fulfils the optimality
    conditions; if none is found, the caller runs a solver.

    Args:
        H: as this and the next three of :func:`minimum_on`.
        c: see there.
        G: see there.
        h: see there.
        guess: numbers of the rows that might bind, shape (k,), k at most n.
        tolerance: largest excess over any row.
        tries: largest number of sets of rows.
        binding: written, numbers of the rows that bind, first in an array of n or more.

    Returns:
        x, shape (n,), and how many rows bind; -1: not found.
    """
    x, k = -c, len(guess)
    if not (k <= len(c) <= len(binding) and _are_rows(guess, h)):
        return x, -1
    for j in range(k):
        binding[j] = guess[j]
    for _ in range(tries):
        x, force = _minimum_with(H, c, G, h, binding[:k], tolerance)
        pulls = -1
        for j in range(k):
            if not abs(force[j]) < np.inf:
                return x, -1
            if force[j] < 0.0 and (pulls < 0 or force[j] < force[pulls]):
                pulls = j
        if pulls >= 0:
            for j in range(pulls, k - 1):
                binding[j] = binding[j + 1]
            k -= 1
            continue
        largest = _largest_excess(G, h, x)
        if largest <= tolerance:
            return x, k
        row = _farthest_row(H, G, h, x) if largest > tolerance and k < len(c) else -1
        if row < 0:
            return x, -1
        binding[k] = row
        k += 1
    return x, -1
