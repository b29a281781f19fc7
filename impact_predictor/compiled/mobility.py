# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Velocity changes by impulses at contact points, compiled, for one or many impacts."""

from __future__ import annotations

from math import isnan

import numpy as np

from impact_predictor.symmetric3 import Rows
from impact_robots.compiling.array_kinds import (
    Matrix,
    NewMatrix,
    NewTensor,
    NewVector,
    Tensor,
    Vector,
)
from impact_robots.compiling.compiled import compiled, part
from impact_robots.compiling.small_algebra import backward, diagonalise, factor, forward


@part
def _move(
    M_x: np.ndarray,
    J: np.ndarray,
    dq: np.ndarray,
    effect: np.ndarray,
    G: np.ndarray,
    velocity: np.ndarray,
) -> bool:
    """Write J M_x^-1, J M_x^-1 J^T and J dq; return whether M_x is positive definite."""
    L = np.empty(M_x.shape)
    factor(M_x, L)
    G[:], velocity[:] = 0.0, 0.0
    for i in range(3):
        for k in range(len(dq)):
            effect[i, k] = J[i, k]
        forward(L, effect[i])
        backward(L, effect[i])
        for k in range(len(dq)):
            velocity[i] += J[i, k] * dq[k]
            for j in range(3):
                G[i, j] += effect[i, k] * J[j, k]
    return not isnan(L[-1, -1])


@compiled
def squared_singular_values(J: Matrix) -> tuple[float, float]:
    """Return the square of the least and of the largest singular value of J, shape (3, n).

    They are eigenvalues of J J^T, by Jacobi's rotations.
    """
    A = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(J.shape[1]):
                A[i, j] += J[i, k] * J[j, k]
    diagonalise(A)
    return min(A[0, 0], A[1, 1], A[2, 2]), max(A[0, 0], A[1, 1], A[2, 2])


@compiled
def mobility(M_x: Matrix, J: Matrix, dq: Vector) -> tuple[NewMatrix, Rows, NewVector, bool]:
    """Return the first row of :func:`mobilities`, and whether M_x is positive definite."""
    effect, G, velocity = np.empty(J.shape), np.empty((3, 3)), np.empty(3)
    positive = _move(M_x, J, dq, effect, G, velocity)
    rows = (
        (G[0, 0], G[0, 1], G[0, 2]),
        (G[1, 0], G[1, 1], G[1, 2]),
        (G[2, 0], G[2, 1], G[2, 2]),
    )
    return effect, rows, velocity, positive


@compiled
def mobilities(M_x: Tensor, J: Tensor, dq: Matrix) -> tuple[NewTensor, NewTensor, NewMatrix]:
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


@compiled
def inverse(A: Matrix) -> NewMatrix:
    """Return the inverse of A, symmetric, positive definite, shape (n, n)."""
    L, found = np.empty(A.shape), np.eye(len(A))
    factor(A, L)
    for row in found:
        forward(L, row)
        backward(L, row)
    return found
