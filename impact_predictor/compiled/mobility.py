# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What impulses at contact points change, compiled, for one impact and for many at once."""

from __future__ import annotations

from math import sqrt

import numpy as np

from impact_predictor.symmetric3 import Matrix
from impact_robots.compiled import (
    MATRIX,
    NEW_MATRIX,
    NEW_TENSOR,
    NEW_VECTOR,
    NUMBER,
    TENSOR,
    TRUTH,
    VECTOR,
    compiled,
    part,
    several,
)

_ROWS = several((several((NUMBER,) * 3),) * 3)
_SWEEPS = 10  # of Jacobi's rotations at most; six are enough


@part
def _factor(A: np.ndarray, L: np.ndarray) -> bool:
    """Write L and D of A = L D L^T, (n, n), into L, D on its diagonal; tell whether D > 0."""
    positive = True
    for i in range(len(A)):
        for j in range(i + 1):
            left = A[i, j]
            for k in range(j):
                left -= L[i, k] * L[j, k] * L[k, k]
            L[i, j] = left if i == j else left / L[j, j]
        positive = positive and L[i, i] > 0.0
    return positive


@part
def _solve(L: np.ndarray, x: np.ndarray) -> None:
    """Solve L D L^T x = b, shape (n,), in place."""
    n = len(x)
    for i in range(n):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
    for i in range(n - 1, -1, -1):
        x[i] /= L[i, i]
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]


@part
def _move(
    M_x: np.ndarray,
    J: np.ndarray,
    dq: np.ndarray,
    effect: np.ndarray,
    G: np.ndarray,
    velocity: np.ndarray,
) -> bool:
    """Write J M_x^-1, J M_x^-1 J^T and J dq; tell whether M_x is positive definite."""
    L = np.empty(M_x.shape)
    positive = _factor(M_x, L)
    effect[:], G[:], velocity[:] = J, 0.0, 0.0
    for i in range(3):
        _solve(L, effect[i])
        for k in range(len(dq)):
            velocity[i] += J[i, k] * dq[k]
            for j in range(3):
                G[i, j] += effect[i, k] * J[j, k]
    return positive


@compiled(several((NUMBER, NUMBER)), MATRIX)
def squared_singular_values(J: np.ndarray) -> tuple[float, float]:
    """Return the square of the least and of the largest singular value of J, shape (3, n).

    They are eigenvalues of J J^T, by Jacobi's rotations.
    """
    A = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(J.shape[1]):
                A[i, j] += J[i, k] * J[j, k]
    for _ in range(_SWEEPS):
        if A[0, 1] == 0.0 and A[0, 2] == 0.0 and A[1, 2] == 0.0:
            break
        for i in range(2):
            for j in range(i + 1, 3):
                if A[i, j] == 0.0:
                    continue
                ratio = (A[j, j] - A[i, i]) / (2 * A[i, j])
                t = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + sqrt(ratio * ratio + 1))
                c = 1 / sqrt(t * t + 1)
                s, k, between = t * c, 3 - i - j, A[i, j]
                A[i, i] -= t * between
                A[j, j] += t * between
                A[i, j] = A[j, i] = 0.0
                one, other = A[k, i], A[k, j]
                A[k, i] = A[i, k] = c * one - s * other
                A[k, j] = A[j, k] = s * one + c * other
    return min(A[0, 0], A[1, 1], A[2, 2]), max(A[0, 0], A[1, 1], A[2, 2])


@compiled(several((NEW_MATRIX, _ROWS, NEW_VECTOR, TRUTH)), MATRIX, MATRIX, VECTOR)
def mobility(
    M_x: np.ndarray, J: np.ndarray, dq: np.ndarray
) -> tuple[np.ndarray, Matrix, np.ndarray, bool]:
    """Return the first row of :func:`mobilities`, and whether M_x is positive definite."""
    effect, G, velocity = np.empty(J.shape), np.empty((3, 3)), np.empty(3)
    positive = _move(M_x, J, dq, effect, G, velocity)
    rows = (
        (G[0, 0], G[0, 1], G[0, 2]),
        (G[1, 0], G[1, 1], G[1, 2]),
        (G[2, 0], G[2, 1], G[2, 2]),
    )
    return effect, rows, velocity, positive


@compiled(several((NEW_TENSOR, NEW_TENSOR, NEW_MATRIX)), TENSOR, TENSOR, MATRIX)
def mobilities(
    M_x: np.ndarray, J: np.ndarray, dq: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the effect of impulses on joints and contact points, and the points' velocities.

    Args:
        M_x: M + B, symmetric, positive definite, shape (k, n, n) [kg.m^2].
        J: linear Jacobians of the contact points in p, shape (k, 3, n).
        dq: joint velocities before, shape (k, n) or of all (1, n) [rad/s].

    Returns:
        J M_x^-1, whose row i is what a unit impulse along axis i adds to the joint velocities,
        shape (k, 3, n); Delassus matrices J M_x^-1 J^T, shape (k, 3, 3) [1/kg]; velocities J dq,
        shape (k, 3) [m/s].
    """
    k = len(J)
    effect, G, velocity = np.empty(J.shape), np.empty((k, 3, 3)), np.empty((k, 3))
    for i in range(k):
        _move(M_x[i], J[i], dq[i % len(dq)], effect[i], G[i], velocity[i])
    return effect, G, velocity


@compiled(NEW_MATRIX, MATRIX)
def inverse(A: np.ndarray) -> np.ndarray:
    """Return the inverse of A, symmetric, positive definite, shape (n, n)."""
    L, found = np.empty(A.shape), np.eye(len(A))
    _factor(A, L)
    for row in found:
        _solve(L, row)
    return found
