# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Torques of accelerations, and the box of torques that one cycle leaves."""

from __future__ import annotations

from math import isnan

import numpy as np

from impact_robots.compiling.array_kinds import (
    Block,
    Matrix,
    NewMatrix,
    NewVector,
    ToMatrix,
    ToVector,
    Vector,
)
from impact_robots.compiling.compiled import compiled
from impact_robots.state.packed_state import records_in


@compiled
def torque_box(
    g: Vector, previous: Vector, step: Vector, limits: Vector, adds_gravity: bool
) -> NewMatrix:
    """Return the box of :class:`~impact_qp.limits.TorqueLimit`, shape (2, n) [N.m].

    Args:
        g: gravity torques, shape (n,) [N.m].
        previous: torques beyond gravity of the last cycle, shape (n,) [N.m]; NaN: not known.
        step: by which these may change, shape (n,) [N.m].
        limits: limits, shape (n,) [N.m].
        adds_gravity: the driver adds gravity, and its torques are within the limits, too.
    """
    box = np.empty((2, len(g)))
    for i in range(len(g)):
        least, highest = -limits[i], limits[i]
        if adds_gravity:
            least = min(max(least, g[i] - limits[i]), highest)
            highest = max(min(highest, g[i] + limits[i]), least)
        box[0, i], box[1, i] = least, highest
        if not isnan(previous[i]):
            box[0, i] = min(max(previous[i] + g[i] - step[i], least), highest)
            box[1, i] = min(max(previous[i] + g[i] + step[i], least), highest)
    return box


@compiled
def write_torque_rows(
    M: Matrix,
    motor_inertia: Vector,
    bias: Vector,
    box: Matrix,
    G: ToMatrix,
    h: ToVector,
) -> None:
    """Write rows of (M + B) qddot + bias within a box (2, n): G (2 n, n) and h (2 n,)."""
    n = len(bias)
    for i in range(n):
        for j in range(n):
            G[i, j] = M[i, j] + (motor_inertia[i] if i == j else 0.0)
            G[n + i, j] = -G[i, j]
        h[i], h[n + i] = box[1, i] - bias[i], bias[i] - box[0, i]


@compiled
def torques_of(
    M: Matrix, motor_inertia: Vector, bias: Vector, ddq: Vector, box: Matrix
) -> tuple[NewVector, NewVector]:
    """Return (M + B) qddot + bias within a box (2, n), and M qddot + bias, each (n,) [N.m]."""
    links, whole = bias.copy(), np.empty(len(bias))
    for i in range(len(bias)):
        for j in range(len(ddq)):
            links[i] += M[i, j] * ddq[j]
        torque = links[i] + motor_inertia[i] * ddq[i]
        whole[i] = min(max(torque, box[0, i]), box[1, i])
    return whole, links


@compiled
def torques_in_step(
    state: Block,
    motor_inertia: Vector,
    ddq: Vector,
    previous: Vector,
    step: Vector,
    limits: Vector,
) -> tuple[NewVector, NewVector]:
    """Return :func:`torques_of` within the :func:`torque_box` of a driver that is sent all."""
    arm, _ = records_in(state, len(ddq))
    box = torque_box(arm.g, previous, step, limits, False)
    return torques_of(arm.M, motor_inertia, arm.h, ddq, box)
