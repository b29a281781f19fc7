# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of the program of a standing robot: equations of motion, what its soles bear, its tasks."""

from __future__ import annotations

import numpy as np

from impact_robots.compiling.array_kinds import Matrix, ToMatrix, ToVector, Vector
from impact_robots.compiling.compiled import compiled, part
from impact_robots.compiling.plain_numbers import PointNumbers
from impact_robots.compiling.small_algebra import cross

BASE = 6  # rows of a floating base, the first ones


@compiled
def write_sole(
    rotation: Matrix,
    corners: Matrix,
    edges: Matrix,
    J: Matrix,
    wrench: ToMatrix,
    pushes: ToMatrix,
) -> None:
    """Write the maps from forces along the edges of friction pyramids at the corners of a sole.

    Args:
        rotation: of the sole, its axes in world axes, shape (3, 3).
        corners: in its own axes, from its origin, shape (c, 3) [m].
        edges: of the pyramid at each corner, world axes, shape (3, s).
        J: of its origin, world axes, shape (6, n).
        wrench: written, to force and moment about its origin, world axes, shape (6, c s); the edges
            of the first corner come first.
        pushes: written, to generalised forces, J^T of the same, shape (n, c s).
    """
    sides, lever = edges.shape[1], np.empty(3)
    for corner in range(len(corners)):
        for axis in range(3):
            lever[axis] = 0.0
            for own in range(3):
                lever[axis] += rotation[axis, own] * corners[corner, own]
        for side in range(sides):
            column = corner * sides + side
            moment = cross(lever, edges[:, side])
            for axis in range(3):
                wrench[axis, column] = edges[axis, side]
                wrench[3 + axis, column] = moment[axis]
    for i in range(J.shape[1]):
        for column in range(wrench.shape[1]):
            pushes[i, column] = 0.0
        for row in range(6):
            if J[row, i] != 0.0:  # most joints do not move a sole
                for column in range(wrench.shape[1]):
                    pushes[i, column] += J[row, i] * wrench[row, column]


@part
def _write_row(
    M: np.ndarray,
    motors: np.ndarray,
    pushes: np.ndarray,
    row: int,
    G: np.ndarray,
    E: np.ndarray,
    to: int,
) -> None:
    """Write a row of (M + B) qddot - J^T F, of qddot and of the forces along edges."""
    for j in range(len(M)):
        G[to, j] = M[row, j]
    G[to, row] += motors[row]
    for j in range(pushes.shape[1]):
        E[to, j] = -pushes[row, j]


@compiled
def write_motor_rows(
    M: Matrix,
    motors: Vector,
    bias: Vector,
    pushes: Matrix,
    highest: Vector,
    G: ToMatrix,
    E: ToMatrix,
    h: ToVector,
) -> None:
    """Write the rows of :class:`~impact_qp.whole_body.standing.StandingLimit`.

    Args:
        M: mass matrix, shape (nv, nv) [kg.m^2].
        motors: diagonal of B, shape (nv,) [kg.m^2].
        bias: h minus the effect of forces elsewhere, shape (nv,) [N.m].
        pushes: of all soles, see :func:`write_sole`, shape (nv, ny).
        highest: torques of the n motors, the last rows, shape (n,) [N.m].
        G: written, shape (2 n, nv).
        E: written, shape (2 n, ny).
        h: written, shape (2 n,).
    """
    n = len(highest)
    for i in range(n):
        row = BASE + i
        _write_row(M, motors, pushes, row, G, E, i)
        for j in range(G.shape[1]):
            G[n + i, j] = -G[i, j]
        for j in range(E.shape[1]):
            E[n + i, j] = -E[i, j]
        h[i], h[n + i] = highest[i] - bias[row], highest[i] + bias[row]


@compiled
def write_base_rows(
    M: Matrix,
    motors: Vector,
    bias: Vector,
    pushes: Matrix,
    A: ToMatrix,
    E: ToMatrix,
    b: ToVector,
) -> None:
    """Write the equalities of the base, six rows; arguments as of :func:`write_motor_rows`."""
    for row in range(BASE):
        _write_row(M, motors, pushes, row, A, E, row)
        b[row] = -bias[row]


@compiled
def write_still_rows(
    J: Matrix, twist: Vector, drift: Vector, damping: float, A: ToMatrix, b: ToVector
) -> None:
    """Write the six equalities of a sole without acceleration, but for damping of its velocity.

    Args:
        J: of its origin, shape (6, n).
        twist: of it, shape (6,) [m/s; rad/s].
        drift: Jdot qdot of it, shape (6,) [m/s^2; rad/s^2].
        damping: [1/s].
        A: written, shape (6, n).
        b: written, shape (6,).
    """
    for row in range(6):
        for j in range(A.shape[1]):
            A[row, j] = J[row, j]
        b[row] = -drift[row] - damping * twist[row]


@compiled
def write_along(
    point: PointNumbers,
    axes: Matrix,
    position: Vector,
    velocity: Vector,
    stiffness: float,
    damping: float,
    A: ToMatrix,
    b: ToVector,
) -> None:
    """Write A (k, n) and b (k,) of tasks of a point along unit axes, shape (k, 3).

    :class:`~impact_qp.whole_body.AcrossPositionTask`, and without stiffness
    :class:`~impact_qp.whole_body.AxialVelocityTask`.
    """
    twist, drift, J = point.twist, point.drift, point.J
    for row in range(len(axes)):
        x, y, z = axes[row, 0], axes[row, 1], axes[row, 2]
        for j in range(A.shape[1]):
            A[row, j] = x * J[0, j] + y * J[1, j] + z * J[2, j]
        b[row] = 0.0
        for i in range(3):
            wanted = stiffness * (position[i] - point.position[i]) - drift[i]
            b[row] += axes[row, i] * (wanted + damping * (velocity[i] - twist[i]))


@compiled
def write_com(
    A_G: Matrix,
    mass: float,
    dq: Vector,
    wanted: Vector,
    damping: float,
    A: ToMatrix,
    b: ToVector,
) -> None:
    """Write A (3, n) and b (3,) of :class:`~impact_qp.whole_body.ComTask`.

    ``wanted``, shape (3,) [m/s^2], is the acceleration without damping, less that of the drift.
    """
    for i in range(3):
        velocity = 0.0
        for j in range(A.shape[1]):
            A[i, j] = A_G[i, j] / mass
            velocity += A[i, j] * dq[j]
        b[i] = wanted[i] - damping * velocity
