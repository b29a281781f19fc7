# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Linear algebra of small vectors and symmetric matrices, compiled into what calls it."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np

from impact_robots.compiling.compiled import part

REGULAR = 1e-13  # smallest pivot, relative to its diagonal entry
_SWEEPS = 10  # of Jacobi's rotations, upper limit; six are enough


@part
def dot(a: np.ndarray, b: np.ndarray) -> float:
    """Return the scalar product."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@part
def row_dot(A: np.ndarray, row: int, b: np.ndarray) -> float:
    """Return the scalar product of a row; to count references to it would take longer."""
    total = 0.0
    for i in range(len(b)):
        total += A[row, i] * b[i]
    return total


@part
def column_dot(a: np.ndarray, B: np.ndarray, column: int) -> float:
    """Return the scalar product with a column, as :func:`row_dot`."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * B[i, column]
    return total


@part
def cross(a: np.ndarray, b: np.ndarray) -> tuple[float, float, float]:
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@part
def _root(pivot: float, diagonal: float) -> float:
    return sqrt(pivot) if pivot > REGULAR * diagonal else nan


@part
def factor(A: np.ndarray, L: np.ndarray) -> None:
    """Write Cholesky's factor of A = L L^T; NaN unless A is positive definite.

    Args:
        A: symmetric, of which the lower triangle is read, shape (n, n).
        L: written in its lower triangle, shape (n, n); may be A.
    """
    for i in range(len(A)):
        diagonal = A[i, i]
        for j in range(i + 1):
            left = A[i, j]
            for k in range(j):
                left -= L[i, k] * L[j, k]
            L[i, j] = _root(left, diagonal) if i == j else left / L[j, j]


@part
def forward(L: np.ndarray, x: np.ndarray) -> None:
    """Solve L x = b, shape (n,), in place."""
    for i in range(len(x)):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]


@part
def backward(L: np.ndarray, x: np.ndarray) -> None:
    """Solve L^T x = b, shape (n,), in place."""
    for i in range(len(x) - 1, -1, -1):
        for k in range(i + 1, len(x)):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@part
def solved(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return X with A X = B, shapes (n, n) and (n, m), as :func:`factor`; NaN where that is."""
    L, X = np.empty(A.shape), B.copy()
    factor(A, L)
    for column in range(X.shape[1]):
        x = X[:, column]
        forward(L, x)
        backward(L, x)
    return X


@part
def diagonalise(A: np.ndarray) -> None:
    """Turn a symmetric A, shape (3, 3), into its eigenvalues, by Jacobi's rotations."""
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
