# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The approach speed at which the worst of a set of impulses meets the first limit of a joint."""

from __future__ import annotations

import numpy as np

from impact_qp.compiled.cholesky import solved
from impact_robots.compiled import INTEGER, MATRIX, NUMBER, VECTOR, compiled, part, several

NO_ROW, UNBOUNDED = -1, -2
LEAST = 1e-9  # velocity that an impulse gives the contact point, of what it gives a free body


@part
def normal_mobility(
    lever: np.ndarray, rotational_inertia: np.ndarray, mass: float, normal: np.ndarray
) -> np.ndarray:
    """Return W z of the composite body, base axes, shape (3,) [1/kg]; Wang 2022 (17)."""
    spin = solved(rotational_inertia, _cross(lever, normal).reshape(3, 1))[:, 0]
    return normal / mass + _cross(spin, lever)


@part
def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


@part
def velocity_jump(J: np.ndarray, M: np.ndarray, motor_inertia: np.ndarray) -> np.ndarray:
    """Return (M + B)^-1 J_v^T, shape (n, 3), impulse to jump of joint velocity."""
    inertia = M.copy()
    for i in range(len(inertia)):
        inertia[i, i] += motor_inertia[i]
    return solved(inertia, J[:3].T)


@part
def _dot(a: np.ndarray, b: np.ndarray) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def _range(functional: np.ndarray, impulses: np.ndarray) -> tuple[float, float]:
    """Return the least and the largest value of a functional (3,) of no and of all impulses."""
    least = most = 0.0
    for k in range(impulses.shape[1]):
        value = _dot(functional, impulses[:, k])
        least, most = min(least, value), max(most, value)
    return least, most


@compiled(
    several((NUMBER, INTEGER)),
    *(MATRIX, MATRIX, VECTOR, VECTOR),
    *(VECTOR, VECTOR, MATRIX, NUMBER),
    *(VECTOR, MATRIX, NUMBER, VECTOR, VECTOR, NUMBER),
)
def worst_speed(
    J: np.ndarray,
    M: np.ndarray,
    motor_inertia: np.ndarray,
    dq: np.ndarray,
    position: np.ndarray,
    com: np.ndarray,
    rotational_inertia: np.ndarray,
    mass: float,
    normal: np.ndarray,
    directions: np.ndarray,
    restitution: float,
    most_torque: np.ndarray,
    most_velocity: np.ndarray,
    kept: float,
) -> tuple[float, int]:
    r"""Return the speed [m/s], and which limit sets it.

    Impulses are :math:`(1 + e) K_j/(z^T W K_j)` times the speed. What they do is
    :math:`J_v^T\iota` times the mean force factor to the torques, and
    :math:`(M + B_\theta)^{-1} J_v^T\iota` to the velocities of the joints (doc/theory.md). The same
    as :func:`~impact_predictor.sets.speed_bound.one_sided_speed_bound` of
    :func:`~impact_qp.limits.effects.impact_rows`, which the tests hold it against.

    Args:
        J: of the contact point, base axes, shape (6, n).
        M: mass matrix, shape (n, n) [kg.m^2].
        motor_inertia: diagonal of B_theta, shape (n,) [kg.m^2].
        dq: joint velocities, shape (n,) [rad/s].
        position: of the contact point, shape (3,) [m].
        com: centre of mass of the composite body, shape (3,) [m].
        rotational_inertia: of that body about its centre of mass, shape (3, 3) [kg.m^2].
        mass: of that body [kg].
        normal: z, unit, base axes, shape (3,).
        directions: K, base axes, normal parts of 1, shape (3, N).
        restitution: e [-].
        most_torque: impulses of the joints that reach their torque limits, shape (n,) [N.m.s].
        most_velocity: of the joints, shape (n,) [rad/s].
        kept: share of the room for velocities that may be used [-].

    Returns:
        the speed, infinite without effect on any joint; joint of the torque or n plus joint of the
        velocity that meets its limit first, ``NO_ROW`` for none; ``UNBOUNDED``, with a speed of
        zero, if impulses may grow without end, or a body has no inertia.
    """
    per_force = normal_mobility(position - com, rotational_inertia, mass, normal)
    jump_per_impulse = velocity_jump(J, M, motor_inertia)
    impulses, speed, row = np.empty(directions.shape), np.inf, NO_ROW
    for k in range(directions.shape[1]):
        response = _dot(per_force, directions[:, k])
        if not response > LEAST / mass:
            return 0.0, UNBOUNDED
        impulses[:, k] = (1.0 + restitution) / response * directions[:, k]
    for i in range(len(dq)):
        least_felt, most_felt = _range(J[:3, i], impulses)
        least_jump, most_jump = _range(jump_per_impulse[i], impulses)
        for reached, most, number in (
            (max(most_felt, -least_felt), most_torque[i], i),
            (most_jump, kept * (most_velocity[i] - dq[i]), len(dq) + i),
            (-least_jump, kept * (most_velocity[i] + dq[i]), len(dq) + i),
        ):
            if reached > 0.0 and most < reached * speed:
                speed, row = most / reached, number
    return speed, row
