# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an arm's sensors would read without noise, compiled."""

from __future__ import annotations

from impact_robots.compiling.array_kinds import Block, Integers, Matrix, Vector
from impact_robots.compiling.compiled import compiled


@compiled
def add_sensed(
    qpos: Vector,
    qvel: Vector,
    motor: Integers,
    spring: Integers,
    stiffness: Vector,
    forces: Matrix,
    readings: Block,
) -> None:
    """Add positions, velocities and torques of n links, and m forces, to readings.

    Args:
        qpos: coordinates in MuJoCo's memory, shape (k,) [rad].
        qvel: their velocities, shape (k,) [rad/s].
        motor: places of the motors' coordinates, shape (n,).
        spring: and of the deflections, shape (n,).
        stiffness: of the springs, shape (n,) [N.m/rad].
        forces: shape (m, 3) [N].
        readings: added to, shape (3 n + 3 m,).
    """
    n = len(motor)
    for i in range(n):
        readings[i] += qpos[motor[i]] + qpos[spring[i]]
        readings[n + i] += qvel[motor[i]] + qvel[spring[i]]
        readings[2 * n + i] += -stiffness[i] * qpos[spring[i]]
    for k in range(len(forces)):
        for axis in range(3):
            readings[3 * n + 3 * k + axis] += forces[k, axis]
