# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The rows of the published impact limit, on accelerations and on the parts of an impulse."""

from __future__ import annotations

import numpy as np

from impact_qp.compiled.approach_row import approach_row
from impact_qp.compiled.worst_speed import normal_mobility, velocity_jump
from impact_robots.compiled import (
    MATRIX,
    NUMBER,
    TO_MATRIX,
    TO_VECTOR,
    TRUTH,
    VECTOR,
    compiled,
)


@compiled(
    TRUTH,
    *(MATRIX, VECTOR, VECTOR, VECTOR),
    *(MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, NUMBER),
    *(VECTOR, NUMBER, VECTOR, NUMBER),
    *(MATRIX, NUMBER, NUMBER, NUMBER, VECTOR, VECTOR, NUMBER),
    *(TO_MATRIX, TO_MATRIX, TO_VECTOR),
)
def write_existential_rows(
    J: np.ndarray,
    twist: np.ndarray,
    drift: np.ndarray,
    position: np.ndarray,
    M: np.ndarray,
    motor_inertia: np.ndarray,
    dq: np.ndarray,
    com: np.ndarray,
    rotational_inertia: np.ndarray,
    mass: float,
    normal: np.ndarray,
    preview: float,
    unexplained: np.ndarray,
    gate: float,
    directions: np.ndarray,
    least: float,
    largest: float,
    factor: float,
    most_torque: np.ndarray,
    most_velocity: np.ndarray,
    kept: float,
    G: np.ndarray,
    E: np.ndarray,
    h: np.ndarray,
) -> bool:
    r"""Write the rows :math:`G \ddot q + E \lambda \le h` where the arm approaches.

    Both ends of :math:`z^T W K \lambda = -(1 + e) v_n`, :math:`\lambda \ge 0`, and
    :func:`~impact_qp.limits.effects.impact_rows` of :math:`\iota = K \lambda`, which the tests hold
    it against; Wang 2023 (33), (29), (30).

    Args:
        J: of the contact point, base axes, shape (6, n).
        twist: of that point, shape (6,) [m/s; rad/s].
        drift: Jdot qdot of it, shape (6,) [m/s^2; rad/s^2].
        position: of it, shape (3,) [m].
        M: mass matrix, shape (n, n) [kg.m^2].
        motor_inertia: diagonal of B_theta, shape (n,) [kg.m^2].
        dq: joint velocities, shape (n,) [rad/s].
        com: centre of mass of the composite body, shape (3,) [m].
        rotational_inertia: of that body about its centre of mass, shape (3, 3) [kg.m^2].
        mass: of that body [kg].
        normal: z, unit, base axes, shape (3,).
        preview: T_p [s].
        unexplained: accelerations beside qddot, shape (n,) [rad/s^2].
        gate: previewed approach speed, without qddot, up to which nothing is written [m/s].
        directions: K, base axes, normal parts of 1, shape (3, N).
        least: restitution at least [-].
        largest: and at most [-].
        factor: mean force factor a/delta_t [1/s].
        most_torque: impulsive torques, shape (n,) [N.m].
        most_velocity: of the joints, shape (n,) [rad/s].
        kept: share of the room for torques and velocities that may be used [-].
        G: written, shape (2 + N + 4 n, n).
        E: written, shape (2 + N + 4 n, N).
        h: written, shape (2 + N + 4 n,).

    Returns:
        False, and nothing is written, if the arm is not faster than ``gate``.
    """
    gradient, offset = approach_row(normal, J, twist, drift, preview, unexplained)
    if offset > -gate:
        return False
    n, N = len(dq), directions.shape[1]
    per_force = normal_mobility(position - com, rotational_inertia, mass, normal)
    jump = velocity_jump(J, M, motor_inertia)
    G[:], E[:], h[:] = 0.0, 0.0, 0.0
    for i in range(n):
        G[0, i], G[1, i] = (1.0 + largest) * gradient[i], -(1.0 + least) * gradient[i]
        torque, velocity = 2 + N + i, 2 + N + 2 * n + i
        h[torque] = h[torque + n] = kept * most_torque[i]
        h[velocity] = kept * (most_velocity[i] - dq[i])
        h[velocity + n] = kept * (most_velocity[i] + dq[i])
    h[0], h[1] = -(1.0 + largest) * offset, (1.0 + least) * offset
    for j in range(N):
        E[2 + j, j] = -1.0
        for axis in range(3):
            along = directions[axis, j]
            E[0, j] += per_force[axis] * along
            for i in range(n):
                E[2 + N + i, j] += factor * J[axis, i] * along
                E[2 + N + 2 * n + i, j] += jump[i, axis] * along
        E[1, j] = -E[0, j]
    for i in range(2 + N, 2 + N + n):
        E[i + n] = -E[i]
        E[i + 3 * n] = -E[i + 2 * n]
    return True
