# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The cost of a program: the weighted squares of the tasks' residuals."""

from __future__ import annotations

from impact_robots.compiling.array_kinds import Matrix, ToMatrix, ToVector, Vector
from impact_robots.compiling.compiled import compiled


@compiled
def write_cost(
    A: Matrix,
    b: Vector,
    weights: Vector,
    regularisation: float,
    H: ToMatrix,
    c: ToVector,
) -> None:
    r"""Write H and c of :math:`\tfrac12\sum_r w_r (A_r x - b_r)^2 + \tfrac12\epsilon\,x^T x`.

    Args:
        A: rows of the residuals, shape (r, n).
        b: shape (r,).
        weights: w, shape (r,).
        regularisation: epsilon.
        H: written, shape (n, n).
        c: written, shape (n,).
    """
    H[:], c[:] = 0.0, 0.0
    for r in range(len(b)):
        for i in range(len(c)):
            weighed = weights[r] * A[r, i]
            if weighed == 0.0:  # most entries of a posture's rows
                continue
            c[i] -= weighed * b[r]
            for j in range(i + 1):
                H[i, j] += weighed * A[r, j]
    for i in range(len(c)):
        H[i, i] += regularisation
        for j in range(i):
            H[j, i] = H[i, j]
