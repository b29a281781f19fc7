# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The program of an arm that spreads its references, built and solved in one compiled function.

The tasks and limits of :class:`~impact_qp.spreading.program.SpreadingProgram` in its order: what
:class:`~impact_qp.build.ProgramBuilder` builds of them, which the tests hold it against.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from impact_qp.compiled.approach_row import NO_EFFECT, approach_row
from impact_qp.compiled.binding_rows import minimum_near
from impact_qp.compiled.cholesky import solved
from impact_qp.compiled.cost import write_cost
from impact_qp.compiled.motion_step import joint_velocity as velocity_of_joints
from impact_qp.compiled.task_rows import rotation_vector
from impact_qp.compiled.torque_box import write_torque_rows
from impact_robots.compiled import (
    INTEGER,
    INTEGERS,
    MATRIX,
    NUMBER,
    TO_INTEGERS,
    TO_VECTOR,
    TRUTH,
    VECTOR,
    compiled,
    part,
)


@part
def _write_feedback(
    arm: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    position: np.ndarray,
    velocity: np.ndarray,
    orientation: np.ndarray,
    stiffness: np.ndarray,
    fade: float,
    feedback: np.ndarray,
) -> None:
    """Write the feedback of position, orientation and first joint, shape (7,)."""
    q, dq, twist, rotation, at = arm
    damping = 2.0 * fade * np.sqrt(stiffness)
    turn = rotation_vector(orientation, rotation)
    for i in range(3):
        feedback[i] = stiffness[0] * (position[i] - at[i]) + damping[0] * (velocity[i] - twist[i])
        feedback[3 + i] = stiffness[1] * turn[i] - damping[1] * twist[3 + i]
    feedback[6] = stiffness[2] * (position[3] - q[0]) + damping[2] * (velocity[3] - dq[0])


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
    """Write the 4 n rows of :class:`~impact_qp.limits.one_cycle.OneCycleLimit`."""
    n, square = len(q), 0.5 * dt**2
    G[:] = 0.0
    for i in range(n):
        way = q[i] + dt * dq[i]
        G[i, i], G[n + i, i], G[2 * n + i, i], G[3 * n + i, i] = 1.0, -1.0, 1.0, -1.0
        h[i], h[n + i] = (limits[1, i] - way) / square, (way - limits[0, i]) / square
        h[2 * n + i], h[3 * n + i] = (limits[2, i] - dq[i]) / dt, (limits[2, i] + dq[i]) / dt


@part
def _write_braking(
    q: np.ndarray, dq: np.ndarray, figures: np.ndarray, preview: float, G: np.ndarray, h: np.ndarray
) -> None:
    """Write the 2 n rows of :class:`~impact_qp.limits.braking.BrakingLimit`."""
    n = len(q)
    G[:] = 0.0
    for i in range(n):
        G[i, i], G[n + i, i] = 1.0, -1.0
        h[i] = (sqrt(figures[2, i] * max(figures[1, i] - q[i], 0.0)) - dq[i]) / preview
        h[n + i] = (sqrt(figures[2, i] * max(q[i] - figures[0, i], 0.0)) + dq[i]) / preview


@compiled(
    INTEGER,
    *(VECTOR, VECTOR, MATRIX, VECTOR),
    *(MATRIX, VECTOR, VECTOR, MATRIX, VECTOR),
    *(VECTOR, VECTOR, VECTOR, MATRIX, VECTOR),
    *(VECTOR, NUMBER, VECTOR, NUMBER),
    *(VECTOR, VECTOR, NUMBER),
    *(MATRIX, NUMBER, MATRIX, MATRIX, NUMBER),
    *(TRUTH, VECTOR, NUMBER, NUMBER),
    *(INTEGERS, NUMBER, INTEGER, TO_INTEGERS),
    *(TO_VECTOR, TO_VECTOR, TO_VECTOR),
)
def spreading_minimum(
    q: np.ndarray,
    dq: np.ndarray,
    M: np.ndarray,
    bias: np.ndarray,
    J: np.ndarray,
    twist: np.ndarray,
    drift: np.ndarray,
    rotation: np.ndarray,
    at: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    acceleration: np.ndarray,
    orientation: np.ndarray,
    feedforward: np.ndarray,
    stiffness: np.ndarray,
    fade: float,
    weights: np.ndarray,
    regularisation: float,
    wrench: np.ndarray,
    motor_inertia: np.ndarray,
    singular: float,
    joint_limits: np.ndarray,
    dt: float,
    torques: np.ndarray,
    braking: np.ndarray,
    braking_preview: float,
    capped: bool,
    into: np.ndarray,
    speed: float,
    preview: float,
    guess: np.ndarray,
    kept: float,
    tries: int,
    binding: np.ndarray,
    ddq: np.ndarray,
    feedback: np.ndarray,
    joint_velocity: np.ndarray,
) -> int:
    """Write accelerations; return how many rows bind, -1: no minimum was found.

    Args:
        q: of the arm, as this and the next three of a ``RobotState``.
        dq: see there.
        M: see there.
        bias: h there.
        J: of the contact point, as this and the next four of a ``PointState``.
        twist: see there.
        drift: see there.
        rotation: see there.
        at: position there.
        position: of the reference [p; xi], shape (4,) [m], [rad].
        velocity: of it, shape (4,).
        acceleration: of it, shape (4,).
        orientation: of the reference, shape (3, 3).
        feedforward: what is known of friction, of all tasks, shape (7,) [m/s^2], [rad/s^2].
        stiffness: of position, orientation and first joint, shape (3,) [1/s^2].
        fade: share of the velocity feedback [-].
        weights: of the 7 rows of the tasks.
        regularisation: of the cost.
        wrench: on the object, [force; moment], base axes, shape (6,).
        motor_inertia: shape (n,) [kg.m^2].
        singular: damping of :func:`.joint_velocity`.
        joint_limits: lowest and highest position, and velocity, shape (3, n).
        dt: control period [s].
        torques: least and highest, shape (2, n) [N.m].
        braking: figures of the ``BrakingLimit``, shape (3, n).
        braking_preview: its preview [s].
        capped: the approach speed is limited; else the next three do not count.
        into: what is to be hit, base axes, unit, shape (3,).
        speed: highest along it [m/s].
        preview: of that [s].
        guess: as this and the next three of :func:`.minimum_near`.
        kept: see there.
        tries: see there.
        binding: see there.
        ddq: written, shape (n,) [rad/s^2].
        feedback: written, of all tasks, shape (7,) [m/s^2], [rad/s^2].
        joint_velocity: written, of an arm that moves as the reference, shape (n,) [rad/s].
    """
    n = len(q)
    arm = q, dq, twist, rotation, at
    _write_feedback(arm, position, velocity, orientation, stiffness, fade, feedback)
    added = _pushing(M, motor_inertia, J, wrench)
    A, b = np.zeros((7, n)), feedforward + feedback
    A[:6], A[6, 0] = J, 1.0
    b[:3] += acceleration[:3]
    b[:6] -= drift
    b[6] += acceleration[3]
    for row in range(7):
        for i in range(n):
            b[row] += A[row, i] * added[i]
    H, c = np.empty((n, n)), np.empty(n)
    write_cost(A, b, weights, regularisation, H, c)
    G, h = np.zeros((8 * n + 1, n)), np.full(8 * n + 1, NO_EFFECT)
    _write_one_cycle(q, dq, joint_limits, dt, G[: 4 * n], h[: 4 * n])
    write_torque_rows(M, motor_inertia, bias, torques, G[4 * n : 6 * n], h[4 * n : 6 * n])
    _write_braking(q, dq, braking, braking_preview, G[6 * n : 8 * n], h[6 * n : 8 * n])
    if capped:
        G[8 * n], previewed = approach_row(into, J, twist, drift, preview, np.zeros(n))
        h[8 * n] = speed - previewed
    ddq[:], count = minimum_near(H, c, G, h, guess, kept, tries, binding)
    joint_velocity[:] = velocity_of_joints(J, velocity[:3], velocity[3], singular)
    return count
