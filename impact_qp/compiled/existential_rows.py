# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The rows of the published impact limit, on accelerations and on the parts of an impulse."""

from __future__ import annotations

from impact_qp.compiled.approach_row import approach_row
from impact_qp.compiled.records import Announced, ImpulseRows, Preview
from impact_qp.compiled.worst_speed import normal_mobility, velocity_jump
from impact_robots.compiling.array_kinds import Vector
from impact_robots.compiling.compiled import compiled
from impact_robots.compiling.plain_numbers import ArmNumbers, PointNumbers


@compiled
def write_existential_rows(
    arm: ArmNumbers,
    point: PointNumbers,
    motor_inertia: Vector,
    preview: Preview,
    gate: float,
    announced: Announced,
    rows: ImpulseRows,
) -> bool:
    r"""Write the rows :math:`G \ddot q + E \lambda \le h` where the arm approaches.

    Both ends of :math:`z^T W K \lambda = -(1 + e) v_n`, :math:`\lambda \ge 0`, and
    :func:`~impact_qp.limits.impact_limits.effects.impact_rows` of :math:`\iota = K \lambda`, which
    the tests hold it against; Wang 2023 (33), (29), (30).

    Args:
        arm: of the state.
        point: of contact.
        motor_inertia: diagonal of B_theta, shape (n,) [kg.m^2].
        preview: of the approach velocity.
        gate: previewed approach speed, without qddot, up to which nothing is written [m/s].
        announced: about the impact.
        rows: written, 2 + N + 4 n of them.

    Returns:
        False, and nothing is written, if the arm is not faster than ``gate``.
    """
    J, dq, normal, directions = point.J, arm.dq, preview.normal, announced.directions
    G, E, h = rows.G, rows.E, rows.h
    gradient, offset = approach_row(
        normal, J, point.twist, point.drift, preview.time, preview.unexplained
    )
    if offset > -gate:
        return False
    n, N = len(dq), directions.shape[1]
    per_force = normal_mobility(point.position - arm.com, arm.rotational_inertia, arm.mass, normal)
    jump = velocity_jump(J, arm.M, motor_inertia)
    least, largest, fraction = announced.least, announced.largest, announced.fraction
    velocity_limits = announced.velocity_limits
    G[:], E[:], h[:] = 0.0, 0.0, 0.0
    for i in range(n):
        G[0, i], G[1, i] = (1.0 + largest) * gradient[i], -(1.0 + least) * gradient[i]
        torque, velocity = 2 + N + i, 2 + N + 2 * n + i
        h[torque] = h[torque + n] = fraction * announced.torque_limits[i]
        h[velocity] = fraction * (velocity_limits[i] - dq[i])
        h[velocity + n] = fraction * (velocity_limits[i] + dq[i])
    h[0], h[1] = -(1.0 + largest) * offset, (1.0 + least) * offset
    for j in range(N):
        E[2 + j, j] = -1.0
        for axis in range(3):
            along = directions[axis, j]
            E[0, j] += per_force[axis] * along
            for i in range(n):
                E[2 + N + i, j] += announced.factor * J[axis, i] * along
                E[2 + N + 2 * n + i, j] += jump[i, axis] * along
        E[1, j] = -E[0, j]
    for i in range(2 + N, 2 + N + n):
        for j in range(N):
            E[i + n, j] = -E[i, j]
            E[i + 3 * n, j] = -E[i + 2 * n, j]
    return True
