# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm's steps, compiled: MuJoCo's own functions with a wall's force in between.

MuJoCo's functions are called by their names in its library, so nothing of them is done otherwise;
between the two halves of a step stands what :class:`~impact_sim.compliant_wall.CompliantWall` and
the laws of :mod:`impact_predictor.contact_force.laws` say, operation by operation. Those of
``mj_step`` are left out whose results a model without constraints, tendons, sensors and actuators
does not use, such as the acceleration before damping is implicit: a third of its time. The motion
is that of ``mj_step`` bit by bit (a test).

All that is compiled is in this file: the cache of compiled code is renewed when the file changes,
and does not see others.
"""

from __future__ import annotations

from math import exp, sqrt, tanh
from pathlib import Path

import llvmlite.binding
import mujoco
import numpy as np
from numba import njit, types

from impact_sim.step_records import EXTENDED, NOTHING, LoopNumbers, Plane, Steps, Touching

STILL = 1e-12  # slip that has no direction [m/s]

llvmlite.binding.load_library_permanently(
    str(next(Path(mujoco.__file__).parent.glob("libmujoco*")))
)


def _of_mujoco(name: str) -> types.ExternalFunction:
    """Return a function of the library that takes a model and its data."""
    return types.ExternalFunction(name, types.void(types.intp, types.intp))


# older versions have the mass matrix in one place only
_MASS = "mj_makeM" if llvmlite.binding.address_of_symbol("mj_makeM") else "mj_crb"
_check_pos, _check_vel = _of_mujoco("mj_checkPos"), _of_mujoco("mj_checkVel")
_kinematics, _com_pos = _of_mujoco("mj_kinematics"), _of_mujoco("mj_comPos")
_mass_matrix, _velocities = _of_mujoco(_MASS), _of_mujoco("mj_comVel")
_implicit = _of_mujoco("mj_implicit")
_mj_rne = types.ExternalFunction(
    "mj_rne", types.void(types.intp, types.intp, types.intc, types.intp)
)
_mj_jac_site = types.ExternalFunction(
    "mj_jacSite", types.void(types.intp, types.intp, types.intp, types.intp, types.intc)
)
compiled = njit(cache=True, error_model="numpy")


@compiled
def normal_force(law: np.ndarray, depth: float, rate: float) -> float:
    """Return the force of a law [N] at a depth above 0 [m] and its rate [m/s]."""
    stiffness, damping, exponent, kind = law
    if kind == NOTHING:
        return 0.0
    if kind == EXTENDED:
        elastic, ratio = stiffness * depth**exponent, damping / stiffness * rate
        return elastic * (1.0 + ratio) if rate >= 0.0 else elastic * exp(ratio)
    return max(0.0, depth**exponent * (stiffness + damping * rate))


@compiled
def push(plane: Plane, depth: float, velocity: np.ndarray, force: np.ndarray) -> None:
    """Write the force of a wall on a point at a depth above 0 [m] with a velocity (3,) [m/s]."""
    normal = plane.normal
    approach = -(normal[0] * velocity[0] + normal[1] * velocity[1] + normal[2] * velocity[2])
    size = normal_force(plane.law, depth, approach)
    squared = 0.0
    for i in range(3):
        slip = velocity[i] + approach * normal[i]
        squared += slip * slip
    speed = sqrt(squared)
    share = plane.friction * tanh(speed / plane.slip_speed) / speed if speed >= STILL else 0.0
    for i in range(3):
        force[i] = size * (normal[i] - share * (velocity[i] + approach * normal[i]))


@compiled
def point_velocity(arm: Touching, fresh: bool, velocity: np.ndarray) -> None:
    """Write the velocity of the point (3,) [m/s]; ``fresh``: its Jacobian is that of the motion."""
    if not fresh:
        _mj_jac_site(arm.model, arm.data, arm.jacobian.ctypes.data, 0, arm.site)
    for i in range(3):
        velocity[i] = 0.0
        for j in range(len(arm.qvel)):
            velocity[i] += arm.jacobian[i, j] * arm.qvel[j]


@compiled
def note(arm: Touching, k: int, time: float, steps: Steps) -> None:
    """Note where the arm is at the beginning of step ``k``."""
    steps.time[k] = time
    for i in range(len(arm.motor)):
        steps.q[k, i] = arm.qpos[arm.motor[i]] + arm.qpos[arm.spring[i]]
        steps.dq[k, i] = arm.qvel[arm.motor[i]] + arm.qvel[arm.spring[i]]
        steps.torque[k, i] = -arm.stiffness[i] * arm.qpos[arm.spring[i]]


@compiled
def apply(arm: Touching, force: np.ndarray, touching: bool) -> None:
    """Write the motors' torques and those of the force (3,) [N] into MuJoCo's memory."""
    for j in range(len(arm.applied)):
        arm.applied[j] = arm.torque[j]
        if touching:
            by_force = 0.0
            for i in range(3):
                by_force += arm.jacobian[i, j] * force[i]
            arm.applied[j] += by_force


@compiled
def begin_step(arm: Touching) -> None:
    """Work out where the arm is, its mass matrix, and the forces of its motion."""
    _check_pos(arm.model, arm.data)
    _check_vel(arm.model, arm.data)
    _kinematics(arm.model, arm.data)
    _com_pos(arm.model, arm.data)
    _mass_matrix(arm.model, arm.data)
    _velocities(arm.model, arm.data)
    _mj_rne(arm.model, arm.data, 0, arm.bias.ctypes.data)
    for i in range(len(arm.spring)):
        spring, j = -arm.stiffness[i] * arm.qpos[arm.spring[i]], arm.spring[i]
        arm.passive[j] = spring - arm.damping[i] * arm.qvel[j]


@compiled
def end_step(arm: Touching) -> None:
    """Integrate with what is applied."""
    for j in range(len(arm.applied)):
        arm.smooth[j] = arm.passive[j] - arm.bias[j] + arm.applied[j]
    _implicit(arm.model, arm.data)


@compiled
def gap_to(plane: Plane, arm: Touching) -> float:
    """Return the distance of the point from the plane at the last step's beginning [m]."""
    gap = 0.0
    for i in range(3):
        gap += plane.normal[i] * (arm.position[i] - plane.point[i])
    return gap


@compiled
def small_steps(
    arm: Touching, plane: Plane, time: float, length: float, steps: Steps, first: int, end: int
) -> float:
    """Integrate small steps and fill their rows of ``steps``; return the time after them [s].

    Args:
        arm: which moves.
        plane: that it may touch.
        time: now [s].
        length: of a step, that of the model [s].
        steps: overwritten.
        first: of its rows.
        end: of its rows, which is not filled any more.
    """
    velocity, fresh = np.empty(3), False
    for k in range(first, end):
        note(arm, k, time, steps)
        point_velocity(arm, fresh, steps.velocity[k])
        begin_step(arm)
        gap = gap_to(plane, arm)
        fresh = -gap > 0.0 and plane.law[3] != NOTHING
        steps.force[k] = 0.0
        if fresh:
            point_velocity(arm, False, velocity)
            push(plane, -gap, velocity, steps.force[k])
        apply(arm, steps.force[k], fresh)
        end_step(arm)
        time += length
    return time


@compiled
def drive(arm: Touching, loop: LoopNumbers) -> None:
    """Let the torque loop give the motors their torques of its next period."""
    for i in range(len(arm.motor)):
        sensed = -arm.stiffness[i] * arm.qpos[arm.spring[i]]
        change = loop.share * (sensed - loop.filtered[i])
        loop.filtered[i] += change
        transmitted = loop.filtered[i] + loop.damping_time[i] * change / loop.period
        ratio = loop.ratio[i]
        arm.torque[arm.motor[i]] = ratio * loop.desired[i] + (1.0 - ratio) * transmitted


@compiled
def cycle(
    arm: Touching,
    loop: LoopNumbers,
    plane: Plane,
    time: float,
    length: float,
    per_period: int,
    clearance: float,
    steps: Steps,
) -> int:
    """Integrate as many periods of the torque loop as ``steps`` has room for, and fill it.

    Ends before a period that begins on the other side of ``clearance``; returns the rows filled.

    Close to the wall ``steps`` has a row a small step, else one a period.

    Args:
        arm: which moves.
        loop: which drives it.
        plane: that it may touch.
        time: now [s].
        length: of a step, that of the model [s].
        per_period: steps in a period, negative: not close to the wall.
        clearance: up to which the point is close [m]; negative: it is what it is throughout.
        steps: overwritten.
    """
    rows = max(1, per_period)
    for first in range(0, len(steps.time), rows):
        if first and clearance >= 0.0 and (gap_to(plane, arm) <= clearance) != (per_period > 0):
            return first
        drive(arm, loop)
        if per_period > 0:
            time = small_steps(arm, plane, time, length, steps, first, first + rows)
            continue
        note(arm, first, time, steps)
        steps.velocity[first] = 0.0
        steps.force[first] = 0.0
        apply(arm, steps.force[first], False)
        for _ in range(-per_period):
            begin_step(arm)
            end_step(arm)
            time += length
    return len(steps.time)
