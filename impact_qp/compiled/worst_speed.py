# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The approach speed at which the worst of a set of impulses meets the first limit of a joint."""

from __future__ import annotations

import numpy as np

from impact_qp.compiled.records import ImpulseSet
from impact_robots.compiling.array_kinds import Vector
from impact_robots.compiling.compiled import compiled, part
from impact_robots.compiling.plain_numbers import ArmNumbers, PointNumbers
from impact_robots.compiling.small_algebra import column_dot, cross, row_dot, solved

NO_ROW, UNBOUNDED = -1, -2
LEAST = 1e-9  # velocity of the contact point per impulse, over that of a free body


@part
def normal_mobility(
    lever: np.ndarray, rotational_inertia: np.ndarray, mass: float, normal: np.ndarray
) -> np.ndarray:
    """Return W z of the composite body, base axes, shape (3,) [1/kg]; Wang 2022 (17)."""
    spin = solved(rotational_inertia, np.array(cross(lever, normal)).reshape(3, 1))[:, 0]
    return normal / mass + np.array(cross(spin, lever))


@part
def velocity_jump(J: np.ndarray, M: np.ndarray, motor_inertia: np.ndarray) -> np.ndarray:
    """Return (M + B)^-1 J_v^T, shape (n, 3), impulse to jump of joint velocity."""
    inertia = M.copy()
    for i in range(len(inertia)):
        inertia[i, i] += motor_inertia[i]
    return solved(inertia, J[:3].T)


@part
def arm_mobility(
    J: np.ndarray, M: np.ndarray, motor_inertia: np.ndarray, normal: np.ndarray
) -> np.ndarray:
    """Return W z = J_v (M + B)^-1 J_v^T z, base axes, shape (3,) [1/kg]."""
    jump, mobility = velocity_jump(J, M, motor_inertia), np.zeros(3)
    for i in range(len(jump)):
        along = row_dot(jump, i, normal)
        for k in range(3):
            mobility[k] += J[k, i] * along
    return mobility


@part
def _range(functionals: np.ndarray, row: int, impulses: np.ndarray) -> tuple[float, float]:
    """Return the least and the largest value of a functional, a row, of no and of all impulses."""
    lowest = highest = 0.0
    for k in range(impulses.shape[1]):
        value = 0.0
        for axis in range(3):
            value += functionals[row, axis] * impulses[axis, k]
        lowest, highest = min(lowest, value), max(highest, value)
    return lowest, highest


@compiled
def worst_speed(
    arm: ArmNumbers,
    point: PointNumbers,
    motor_inertia: Vector,
    normal: Vector,
    impulses: ImpulseSet,
) -> tuple[float, int]:
    r"""Return the speed [m/s], and the limit that sets it.

    Impulses are :math:`(1 + e) K_j/(z^T W K_j)` times the speed, with W of the composite body;
    that of M and the motors of ``impulses`` counts where it is less. Their effects are
    :math:`J_v^T\iota` times the mean force factor to the torques, and
    :math:`(M + B_\theta)^{-1} J_v^T\iota` to the velocities of the joints (doc/theory.md). The same
    as :func:`~impact_predictor.sets.speed_bound.one_sided_speed_bound` of
    :func:`~impact_qp.limits.impact_limits.effects.impact_rows`; tests compare both.

    Args:
        arm: of the state.
        point: of contact.
        motor_inertia: diagonal of B_theta, shape (n,) [kg.m^2].
        normal: z, unit, base axes, shape (3,).
        impulses: with no directions there is no bound.

    Returns:
        the speed, infinite without effect on any joint; joint of the torque or n plus joint of the
        velocity that meets its limit first, ``NO_ROW`` for none; ``UNBOUNDED``, with a speed of
        zero, if impulses are unbounded, or a body has no inertia.
    """
    J, dq, directions, n = point.J, arm.dq, impulses.directions, len(arm.dq)
    lever = point.position - arm.com
    per_force = normal_mobility(lever, arm.rotational_inertia, arm.mass, normal)
    of_arm = per_force
    if len(impulses.motors):
        of_arm = arm_mobility(J, arm.M, impulses.motors, normal)
    jump_per_impulse, torque_per_impulse = velocity_jump(J, arm.M, motor_inertia), J[:3].T
    unit, speed, row = np.empty(directions.shape), np.inf, NO_ROW
    for k in range(directions.shape[1]):
        response = min(column_dot(per_force, directions, k), column_dot(of_arm, directions, k))
        if not response > LEAST / arm.mass:
            return 0.0, UNBOUNDED
        size = (1.0 + impulses.restitution) / response
        for axis in range(3):
            unit[axis, k] = size * directions[axis, k]
    velocity_limits, fraction = impulses.velocity_limits, impulses.fraction
    for i in range(n):
        lowest_impulse, highest_impulse = _range(torque_per_impulse, i, unit)
        lowest_jump, highest_jump = _range(jump_per_impulse, i, unit)
        for reached, limit, number in (
            (max(highest_impulse, -lowest_impulse), impulses.torque_limits[i], i),
            (highest_jump, fraction * (velocity_limits[i] - dq[i]), n + i),
            (-lowest_jump, fraction * (velocity_limits[i] + dq[i]), n + i),
        ):
            if reached > 0.0 and limit < reached * speed:
                speed, row = limit / reached, number
    return speed, row
