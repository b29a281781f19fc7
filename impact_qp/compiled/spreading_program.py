# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The program of an arm that spreads its references, built and solved in one compiled function.

The tasks and limits of :class:`~impact_qp.spreading.program.SpreadingProgram` in its order, as
:class:`~impact_qp.program.build.ProgramBuilder` builds them; tests compare both.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from impact_qp.compiled.approach_row import NO_EFFECT, approach_row
from impact_qp.compiled.binding_rows import minimum_near
from impact_qp.compiled.cost import write_cost
from impact_qp.compiled.records import SpreadArrays, SpreadProgram, SpreadReferenceState
from impact_qp.compiled.task_rows import rotation_vector
from impact_qp.compiled.torque_box import write_torque_rows
from impact_robots.compiling.array_kinds import Block, Integers, Matrix, NewVector, Vector
from impact_robots.compiling.compiled import compiled, part
from impact_robots.compiling.plain_numbers import ArmNumbers, PointNumbers
from impact_robots.compiling.small_algebra import solved
from impact_robots.state.packed_state import records_in


@part
def _write_feedback(
    arm: ArmNumbers, point: PointNumbers, wanted: SpreadReferenceState, feedback: np.ndarray
) -> None:
    """Write the feedback of position, orientation and first joint, shape (7,)."""
    stiffness, position, velocity = wanted.stiffness, wanted.position, wanted.velocity
    at, twist = point.position, point.twist
    damping = 2.0 * wanted.fade * np.sqrt(stiffness)
    turn = rotation_vector(wanted.orientation, point.rotation)
    for i in range(3):
        feedback[i] = stiffness[0] * (position[i] - at[i]) + damping[0] * (velocity[i] - twist[i])
        feedback[3 + i] = stiffness[1] * turn[i] - damping[1] * twist[3 + i]
    first = position[3] - arm.q[0], velocity[3] - arm.dq[0]
    feedback[6] = stiffness[2] * first[0] + damping[2] * first[1]


@part
def _pushing(
    M: np.ndarray, motor_inertia: np.ndarray, J: np.ndarray, wrench: np.ndarray
) -> np.ndarray:
    """Return (M + B)^-1 J^T f, shape (n,) [rad/s^2], zero where nothing is pushed."""
    n = len(M)
    inertia, torque, any_force = M.copy(), np.zeros((n, 1)), False
    for row in range(6):
        any_force = any_force or wrench[row] != 0.0
        for i in range(n):
            torque[i, 0] += J[row, i] * wrench[row]
    for i in range(n):
        inertia[i, i] += motor_inertia[i]
    return solved(inertia, torque)[:, 0].copy() if any_force else torque[:, 0].copy()


@part
def _write_one_cycle(
    q: np.ndarray, dq: np.ndarray, limits: np.ndarray, dt: float, G: np.ndarray, h: np.ndarray
) -> None:
    """Write the 4 n rows of :class:`~impact_qp.limits.one_cycle.OneCycleLimit` over zeros."""
    n, square = len(q), 0.5 * dt**2
    for i in range(n):
        way = q[i] + dt * dq[i]
        G[i, i], G[n + i, i], G[2 * n + i, i], G[3 * n + i, i] = 1.0, -1.0, 1.0, -1.0
        h[i], h[n + i] = (limits[1, i] - way) / square, (way - limits[0, i]) / square
        h[2 * n + i], h[3 * n + i] = (limits[2, i] - dq[i]) / dt, (limits[2, i] + dq[i]) / dt


@part
def _write_braking(
    q: np.ndarray, dq: np.ndarray, figures: np.ndarray, preview: float, G: np.ndarray, h: np.ndarray
) -> None:
    """Write the 2 n rows of :class:`~impact_qp.limits.braking.BrakingLimit` over zeros."""
    n = len(q)
    for i in range(n):
        G[i, i], G[n + i, i] = 1.0, -1.0
        h[i] = (sqrt(figures[2, i] * max(figures[1, i] - q[i], 0.0)) - dq[i]) / preview
        h[n + i] = (sqrt(figures[2, i] * max(q[i] - figures[0, i], 0.0)) + dq[i]) / preview


@compiled
def joint_velocity(J: Matrix, linear: Vector, first: float, damping: float) -> NewVector:
    """Return the joint velocities that move a point without rotation, shape (n,) [rad/s].

    Args:
        J: of the point, shape (6, n).
        linear: velocity of the point, shape (3,) [m/s].
        first: velocity of the first joint [rad/s].
        damping: of the least squares, near singular configurations.
    """
    n = J.shape[1]
    square, wanted = np.zeros((n, n)), np.zeros((n, 1))
    square[0, 0], wanted[0, 0] = 1.0, first
    for i in range(n):
        square[i, i] += damping
        for row in range(3):
            wanted[i, 0] += J[row, i] * linear[row]
        for row in range(6):
            for j in range(i + 1):
                square[i, j] += J[row, i] * J[row, j]
    return solved(square, wanted)[:, 0].copy()


@compiled
def spreading_minimum(
    state: Block,
    wanted: SpreadReferenceState,
    program: SpreadProgram,
    guess: Integers,
    solution: SpreadArrays,
) -> int:
    """Write accelerations; return how many rows bind, -1: no minimum was found.

    Args:
        state: block of a :class:`.PackedState`.
        wanted: by the tasks.
        program: that is built in each cycle.
        guess: numbers of the rows that might bind, shape (k,).
        solution: written.
    """
    n = len(solution.ddq)
    arm, point = records_in(state, n)
    q, dq, M, J = arm.q, arm.dq, arm.M, point.J
    motor_inertia, acceleration, dt = program.motor_inertia, wanted.acceleration, program.dt
    _write_feedback(arm, point, wanted, solution.feedback)
    added = _pushing(M, motor_inertia, J, wanted.wrench)
    A, b = np.zeros((7, n)), wanted.feedforward + solution.feedback
    A[6, 0] = 1.0
    for row in range(6):
        for i in range(n):
            A[row, i] = J[row, i]
        if row < 3:
            b[row] += acceleration[row]
        b[row] -= point.drift[row]
    b[6] += acceleration[3]
    for row in range(7):
        for i in range(n):
            b[row] += A[row, i] * added[i]
    H, c = np.empty((n, n)), np.empty(n)
    write_cost(A, b, program.weights, program.regularisation, H, c)
    G, h = np.zeros((8 * n + 1, n)), np.full(8 * n + 1, NO_EFFECT)
    _write_one_cycle(q, dq, program.joint_limits, dt, G[: 4 * n], h[: 4 * n])
    boxes, ends = slice(4 * n, 6 * n), slice(6 * n, 8 * n)
    write_torque_rows(M, motor_inertia, arm.h, program.torques, G[boxes], h[boxes])
    _write_braking(q, dq, program.braking, program.braking_preview, G[ends], h[ends])
    if wanted.capped:
        cap = program.cap
        G[8 * n], previewed = approach_row(
            cap.normal, J, point.twist, point.drift, cap.time, cap.unexplained
        )
        h[8 * n] = program.speed - previewed
    tolerance, tries = program.tolerance, program.tries
    solution.ddq[:], count = minimum_near(H, c, G, h, guess, tolerance, tries, solution.binding)
    velocity = wanted.velocity
    solution.joint_velocity[:] = joint_velocity(J, velocity[:3], velocity[3], program.singular)
    return count
