# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The program of an approach, built and solved in one compiled function.

The tasks of :class:`~impact_qp.control.approach.ApproachTasks`, the boxes of joints and torques,
and one row on the approach speed, in this order, as
:class:`~impact_qp.program.build.ProgramBuilder` builds them; tests compare both.
"""

from __future__ import annotations

from math import inf

import numpy as np

from impact_qp.compiled.approach_row import NO_EFFECT, approach_row, fall
from impact_qp.compiled.binding_rows import minimum_near
from impact_qp.compiled.cost import write_cost
from impact_qp.compiled.joint_box import joint_box, write_box
from impact_qp.compiled.loads import AHEAD, velocity_ahead
from impact_qp.compiled.motion_step import moved
from impact_qp.compiled.records import (
    ApproachProgram,
    ApproachReference,
    ApproachSolution,
    Memory,
)
from impact_qp.compiled.task_rows import write_orientation, write_posture, write_velocity
from impact_qp.compiled.torque_box import torque_box, torques_of, write_torque_rows
from impact_qp.compiled.worst_speed import NO_ROW, worst_speed
from impact_robots.compiling.array_kinds import Block
from impact_robots.compiling.compiled import compiled
from impact_robots.state.packed_state import records_in


@compiled
def standard_minimum(
    state: Block,
    wanted: ApproachReference,
    program: ApproachProgram,
    memory: Memory,
    solution: ApproachSolution,
) -> tuple[int, bool, float, int, float, float]:
    """Write accelerations, their torques and motion; return how many rows bind, -1: none found.

    And whether they are those of the guess; the bound on the approach speed [m/s] with its row, as
    :func:`.worst_speed` does; speed of the contact point a preview ahead, and of it that along the
    normal, as :func:`.velocity_ahead` does [m/s].

    Args:
        state: block of a :class:`.PackedState`.
        wanted: by the tasks.
        program: that is built in each cycle.
        memory: of the last cycle; its last fields but the guess count for an approach speed.
        solution: written.
    """
    n = len(solution.ddq)
    arm, point = records_in(state, n)
    q, dq, M, bias = arm.q, arm.dq, arm.M, arm.h
    motor_inertia, limited = program.motor_inertia, program.limited
    A, b = np.empty((6 + n, n)), np.empty(6 + n)
    velocity = wanted.velocity, wanted.acceleration, wanted.gain
    write_velocity(point, *velocity, A[:3], b[:3])
    turning = wanted.angular_acceleration, wanted.turning_stiffness, wanted.turning_damping
    write_orientation(point, wanted.orientation, *turning, A[3:6], b[3:6])
    posture = wanted.posture, wanted.posture_stiffness, wanted.posture_damping
    write_posture(q, dq, *posture, A[6:], b[6:])
    H, c = np.empty((n, n)), np.empty(n)
    write_cost(A, b, program.weights, program.regularisation, H, c)
    G, h = np.empty((4 * n + limited, n)), np.empty(4 * n + limited)
    box = joint_box(q, dq, memory.ddq, program.joint_limits, program.dt)
    write_box(box, G[: 2 * n], h[: 2 * n])
    step = memory.fraction * program.torque_step
    box = torque_box(arm.g, memory.torque, step, program.torque_limits, program.adds_gravity)
    write_torque_rows(M, motor_inertia, bias, box, G[2 * n : 4 * n], h[2 * n : 4 * n])
    normal, preview = memory.preview.normal, memory.preview.time
    bound, row = memory.speed, NO_ROW
    if program.impulses.directions.shape[1] > 0:
        bound, row = worst_speed(arm, point, motor_inertia, normal, program.impulses)
    speed = bound + fall(bound - memory.bound, memory.period, preview)
    if limited:
        unexplained = memory.preview.unexplained
        gradient, offset = approach_row(
            normal, point.J, point.twist, point.drift, preview, unexplained
        )
        bounded = speed != inf
        for i in range(n):
            G[4 * n, i] = -gradient[i] if bounded else 0.0
        h[4 * n] = speed + offset if bounded else NO_EFFECT
    guess, binding = memory.guess, solution.binding
    ddq, count = minimum_near(H, c, G, h, guess, program.tolerance, program.tries, binding)
    torque, links = torques_of(M, motor_inertia, bias, ddq, box)
    for i in range(n):
        solution.ddq[i], solution.torque[i], solution.links[i] = ddq[i], torque[i], links[i]
    last = memory.position, memory.velocity
    moved(*last, ddq, program.dt, solution.velocity, solution.position)
    as_guessed = count == len(guess)
    for j in range(count):
        as_guessed = as_guessed and binding[j] == guess[j]
    ahead, size = velocity_ahead(point.J, point.twist, point.drift, ddq, AHEAD)
    towards = ahead[0] * normal[0] + ahead[1] * normal[1] + ahead[2] * normal[2]
    return count, as_guessed, bound, row, size, towards
