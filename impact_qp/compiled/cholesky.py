# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Small symmetric systems, compiled into what calls it."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np

from impact_robots.compiled import part

REGULAR = 1e-13  # share of a diagonal entry that is left of it, with what is before it taken off


@part
def _root(pivot: float, diagonal: float) -> float:
    return sqrt(pivot) if pivot > REGULAR * diagonal else nan


@part
def solved(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return X with A X = B by Cholesky's factor; NaN unless A is positive definite.

    Args:
        A: symmetric, of which the lower triangle is read, shape (n, n).
        B: shape (n, m).
    """
    L, X = A.copy(), B.copy()
    for i in range(len(A)):
        for j in range(i + 1):
            for k in range(j):
                L[i, j] -= L[i, k] * L[j, k]
            L[i, j] = _root(L[i, i], A[i, i]) if i == j else L[i, j] / L[j, j]
    for column in range(X.shape[1]):
        x = X[:, column]
        for i in range(len(A)):
            for k in range(i):
                x[i] -= L[i, k] * x[k]
            x[i] /= L[i, i]
        for i in range(len(A) - 1, -1, -1):
            for k in range(i + 1, len(A)):
                x[i] -= L[k, i] * x[k]
            x[i] /= L[i, i]
    return X
