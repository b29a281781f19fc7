# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The program of an approach, built and solved in one compiled function.

The tasks of :class:`~impact_qp.control.approach.ApproachTasks`, the boxes of joints and torques,
and one row on the approach speed, in this order: what
:class:`~impact_qp.build.ProgramBuilder` builds of the same, which the tests hold it against.
"""

from __future__ import annotations

from math import inf

import numpy as np

from impact_qp.compiled.approach_row import NO_EFFECT, approach_row, fall
from impact_qp.compiled.binding_rows import minimum_near
from impact_qp.compiled.cost import write_cost
from impact_qp.compiled.joint_box import joint_box, write_box
from impact_qp.compiled.loads import AHEAD, velocity_ahead
from impact_qp.compiled.task_rows import write_orientation, write_posture, write_velocity
from impact_qp.compiled.torque_box import torque_box, torques_of, write_torque_rows
from impact_qp.compiled.worst_speed import NO_ROW, worst_speed
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
    several,
)


@compiled(
    several((INTEGER, TRUTH, NUMBER, INTEGER, NUMBER, NUMBER)),
    *(VECTOR, VECTOR, MATRIX, VECTOR, VECTOR),
    *(MATRIX, VECTOR, VECTOR, MATRIX, VECTOR),
    *(VECTOR, MATRIX, NUMBER),
    *(VECTOR, VECTOR, NUMBER),
    *(MATRIX, VECTOR, NUMBER, NUMBER),
    *(VECTOR, NUMBER, NUMBER),
    *(VECTOR, NUMBER),
    *(VECTOR, MATRIX, NUMBER),
    *(VECTOR, NUMBER, VECTOR, VECTOR, TRUTH, VECTOR),
    *(TRUTH, VECTOR, NUMBER, VECTOR, NUMBER),
    *(MATRIX, NUMBER, VECTOR, VECTOR, NUMBER, NUMBER, NUMBER),
    *(INTEGERS, NUMBER, INTEGER, TO_INTEGERS),
    *(TO_VECTOR, TO_VECTOR, TO_VECTOR),
)
def standard_minimum(
    q: np.ndarray,
    dq: np.ndarray,
    M: np.ndarray,
    bias: np.ndarray,
    g: np.ndarray,
    J: np.ndarray,
    twist: np.ndarray,
    drift: np.ndarray,
    rotation: np.ndarray,
    position: np.ndarray,
    com: np.ndarray,
    rotational_inertia: np.ndarray,
    mass: float,
    velocity: np.ndarray,
    feedforward: np.ndarray,
    gain: float,
    orientation: np.ndarray,
    turning_feedforward: np.ndarray,
    turning_stiffness: float,
    turning_damping: float,
    posture: np.ndarray,
    posture_stiffness: float,
    posture_damping: float,
    weights: np.ndarray,
    regularisation: float,
    previous: np.ndarray,
    joint_limits: np.ndarray,
    dt: float,
    sent: np.ndarray,
    share: float,
    torque_step: np.ndarray,
    most_torque: np.ndarray,
    adds_gravity: bool,
    motor_inertia: np.ndarray,
    limited: bool,
    normal: np.ndarray,
    preview: float,
    unexplained: np.ndarray,
    speed: float,
    directions: np.ndarray,
    restitution: float,
    impulsive_torque: np.ndarray,
    most_velocity: np.ndarray,
    share_used: float,
    before: float,
    period: float,
    guess: np.ndarray,
    kept: float,
    tries: int,
    binding: np.ndarray,
    ddq: np.ndarray,
    torque: np.ndarray,
    links: np.ndarray,
) -> tuple[int, bool, float, int, float, float]:
    """Write accelerations and their torques; return how many rows bind, -1: nothing was found.

    And whether they are those of the guess; the bound on the approach speed [m/s] with its row, as
    :func:`.worst_speed` does; speed of the contact point a preview ahead, and of it that along the
    normal, as :func:`.velocity_ahead` does [m/s].

    Args:
        q: of the arm, as this and the next four of a ``RobotState``.
        dq: see there.
        M: see there.
        bias: h there.
        g: see there.
        J: of the contact point, as this and the next four of a ``PointState``.
        twist: see there.
        drift: see there.
        rotation: see there.
        position: see there.
        com: of the composite body, as this and the next two of a ``RobotState``.
        rotational_inertia: see there.
        mass: see there.
        velocity: reference of the ``VelocityTask``, shape (3,) [m/s].
        feedforward: its rate, shape (3,) [m/s^2].
        gain: of that task [1/s].
        orientation: reference of the ``OrientationTask``, shape (3, 3).
        turning_feedforward: its acceleration that is known of, shape (3,) [rad/s^2].
        turning_stiffness: of that task [1/s^2].
        turning_damping: of that task [1/s].
        posture: reference of the ``PostureTask``, shape (n,) [rad].
        posture_stiffness: of that task [1/s^2].
        posture_damping: of that task [1/s].
        weights: of the 6 + n rows of these tasks.
        regularisation: of the cost.
        previous: as this and the next two of :func:`.joint_box`.
        joint_limits: see there.
        dt: see there.
        sent: torques beyond gravity of the last cycle, shape (n,) [N.m]; NaN: not known.
        share: of a period that has gone by since [-].
        torque_step: of a whole period, as this and the next two of :func:`.torque_box`.
        most_torque: see there.
        adds_gravity: see there.
        motor_inertia: shape (n,) [kg.m^2].
        limited: there is a row on the approach speed; else nothing before ``guess`` counts.
        normal: as this and the next two of :func:`.approach_row`.
        preview: see there.
        unexplained: see there.
        speed: of approach that is allowed at the end of the preview, may be infinite; where
            there are ``directions`` it is worked out instead [m/s].
        directions: as this and the next four of :func:`.worst_speed`; none: shape (3, 0).
        restitution: see there.
        impulsive_torque: see there.
        most_velocity: see there.
        share_used: see there.
        before: bound of the last cycle, NaN: not known [m/s].
        period: since then, as of :func:`.fall` [s].
        guess: as this and the next three of :func:`.minimum_near`.
        kept: see there.
        tries: see there.
        binding: see there.
        ddq: written, shape (n,) [rad/s^2].
        torque: written, within its limits, shape (n,) [N.m].
        links: written, their share of it, as of :func:`.torques_of`, shape (n,) [N.m].
    """
    n = len(q)
    A, b = np.empty((6 + n, n)), np.empty(6 + n)
    write_velocity(J, twist, drift, velocity, feedforward, gain, A[:3], b[:3])
    turning = turning_feedforward, turning_stiffness, turning_damping
    write_orientation(J, twist, drift, rotation, orientation, *turning, A[3:6], b[3:6])
    write_posture(q, dq, posture, posture_stiffness, posture_damping, A[6:], b[6:])
    H, c = np.empty((n, n)), np.empty(n)
    write_cost(A, b, weights, regularisation, H, c)
    G, h = np.empty((4 * n + limited, n)), np.empty(4 * n + limited)
    box = joint_box(q, dq, previous, joint_limits, dt)
    write_box(box, G[: 2 * n], h[: 2 * n])
    box = torque_box(g, sent, share * torque_step, most_torque, adds_gravity)
    write_torque_rows(M, motor_inertia, bias, box, G[2 * n : 4 * n], h[2 * n : 4 * n])
    bound, row = speed, NO_ROW
    if directions.shape[1] > 0:
        body = position, com, rotational_inertia, mass
        announced = normal, directions, restitution, impulsive_torque, most_velocity, share_used
        bound, row = worst_speed(J, M, motor_inertia, dq, *body, *announced)
        speed = bound + fall(bound - before, period, preview)
    if limited:
        gradient, offset = approach_row(normal, J, twist, drift, preview, unexplained)
        G[4 * n], h[4 * n] = -gradient, speed + offset
        if speed == inf:
            G[4 * n], h[4 * n] = 0.0, NO_EFFECT
    ddq[:], count = minimum_near(H, c, G, h, guess, kept, tries, binding)
    torque[:], links[:] = torques_of(M, motor_inertia, bias, ddq, box)
    as_guessed = count == len(guess)
    for j in range(count):
        as_guessed = as_guessed and binding[j] == guess[j]
    ahead, size = velocity_ahead(J, twist, drift, ddq, AHEAD)
    towards = ahead[0] * normal[0] + ahead[1] * normal[1] + ahead[2] * normal[2]
    return count, as_guessed, bound, row, size, towards
