# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm's steps, compiled: equations of motion, springs, torque loop and a wall's force.

The state is in MuJoCo's memory, and the rule of integration is MuJoCo's ``implicitfast``:
velocities first, with the dampers' torques at the end of the step, then positions by them.
``mj_step`` factors the mass matrix of all 2 n coordinates. Here the deflections are eliminated by
hand, which leaves n links with some inertia at their joints, and these Featherstone's
articulated-body algorithm solves (Rigid Body Dynamics Algorithms, 2008, table 7.1), in base axes:
the motion of ``mj_step`` but for rounding (a test), in less than half the time. Of a wall's
force stands here what :class:`~impact_sim.plant.compliant_wall.CompliantWall` and the laws of
:mod:`impact_predictor.contact_force.laws` say, operation by operation.

Vectors are tuples, as compiled code keeps those in registers. All that is compiled is in this file:
the cache of compiled code is renewed when the file changes, and does not see others.
"""

from __future__ import annotations

from math import cos, exp, sin, sqrt, tanh
from pathlib import Path

import llvmlite.binding
import mujoco
import numpy as np
from numba import types

from impact_robots.compiling.compiled import cached, part_with
from impact_sim.plant.step_records import (
    ACCELERATION,
    ADDED,
    ALONG,
    AXIS,
    BIAS,
    COUPLING,
    DAMPING,
    DRIFT,
    EXTENDED,
    FREE,
    INERTIA,
    LAYERED,
    LEVER,
    LINEAR,
    LINK,
    MASS,
    MOTOR,
    MOVING,
    NOTHING,
    ORIGIN,
    OWN,
    PARENT,
    POSITION,
    RATE,
    RATIO,
    ROTATION,
    SLIDES,
    STIFFNESS,
    TORQUE,
    TURNING,
    TWIST,
    WRENCH,
    YIELDING,
    LoopNumbers,
    Plane,
    Steps,
    Touching,
)

MOST = 0xFFFF  # links of an arm
STILL = 1e-12  # slip that has no direction [m/s]

llvmlite.binding.load_library_permanently(
    str(next(Path(mujoco.__file__).parent.glob("libmujoco*")))
)


def _of_mujoco(name: str) -> types.ExternalFunction:
    """Return a function of the library that takes a model and its data."""
    return types.ExternalFunction(name, types.void(types.intp, types.intp))


check_pos, check_vel = _of_mujoco("mj_checkPos"), _of_mujoco("mj_checkVel")
compiled, part = cached(), part_with()
Vector = tuple[float, float, float]


@part
def of_link(link: int) -> int:
    """Return where the motion of a link begins, from 1; 0: that of the base.

    It cannot be negative. A compiler that sees that, as it does in the function that asks, does not
    look after it at every number: a third of the instructions.
    """
    return (link & MOST) * MOVING


@part
def of_table(link: int) -> int:
    """Return where what a link is like begins, from 1; that of the point comes last."""
    return ((link - 1) & MOST) * LINK


@part
def before(links: np.ndarray, link: int) -> int:
    """Return where the motion of the link before a link, or of the base, begins."""
    return of_link(int(links[of_table(link) + PARENT]))


@part
def three(numbers: np.ndarray, at: int) -> Vector:
    """Return three numbers from a place on."""
    return numbers[at], numbers[at + 1], numbers[at + 2]


@part
def write(numbers: np.ndarray, at: int, vector: Vector) -> None:
    """Write three numbers."""
    numbers[at], numbers[at + 1], numbers[at + 2] = vector


@part
def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@part
def scaled(a: Vector, factor: float) -> Vector:
    """Return a vector times a factor."""
    return factor * a[0], factor * a[1], factor * a[2]


@part
def plus(a: Vector, b: Vector, factor: float = 1.0) -> Vector:
    """Return a sum, the second vector times a factor."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@part
def times(matrix: np.ndarray, at: int, v: Vector) -> Vector:
    """Return a matrix, from a place on row by row, times a vector."""
    return dot(three(matrix, at), v), dot(three(matrix, at + 3), v), dot(three(matrix, at + 6), v)


@part
def back(matrix: np.ndarray, at: int, v: Vector) -> Vector:
    """Return the transposed matrix times a vector."""
    x, y, z = three(matrix, at), three(matrix, at + 3), three(matrix, at + 6)
    return plus(plus(scaled(x, v[0]), y, v[1]), z, v[2])


@part
def symmetric(matrix: np.ndarray, at: int, v: Vector) -> Vector:
    """Return a symmetric matrix xx, yy, zz, xy, xz, yz times a vector."""
    xx, yy, zz = three(matrix, at)
    xy, xz, yz = three(matrix, at + 3)
    return dot((xx, xy, xz), v), dot((xy, yy, yz), v), dot((xz, yz, zz), v)


@part
def place(links: np.ndarray, m: np.ndarray, link: int) -> None:
    """Write where a link is, and the axis of its joint."""
    k, i, p = of_table(link), of_link(link), before(links, link)
    q = m[i + POSITION] + m[i + POSITION + 1]
    origin = plus(three(m, p + ORIGIN), times(m, p + ROTATION, three(links, k + ORIGIN)))
    slides = links[k + SLIDES] > 0.0
    c, s = (1.0, 0.0) if slides else (cos(q), sin(q))
    for j in range(ROTATION, ROTATION + 9, 3):
        x, y, z = back(links, k + ROTATION, three(m, p + j))
        write(m, i + j, (c * x + s * y, c * y - s * x, z))
    axis = m[i + ROTATION + 2], m[i + ROTATION + 5], m[i + ROTATION + 8]
    turn, slide = axis, cross(origin, axis)
    if slides:
        origin, turn, slide = plus(origin, axis, q), (0.0, 0.0, 0.0), axis
    write(m, i + ORIGIN, origin)
    write(m, i + AXIS, turn)
    write(m, i + AXIS + 3, slide)


@part
def move(links: np.ndarray, m: np.ndarray, link: int) -> None:
    """Write how a link moves, where it is placed."""
    i, p = of_link(link), before(links, link)
    rate, turn, slide = m[i + RATE] + m[i + RATE + 1], three(m, i + AXIS), three(m, i + AXIS + 3)
    turning = plus(three(m, p + TWIST), turn, rate)
    linear = plus(three(m, p + TWIST + 3), slide, rate)
    write(m, i + TWIST, turning)
    write(m, i + TWIST + 3, linear)
    write(m, i + DRIFT, scaled(cross(turning, turn), rate))
    write(m, i + DRIFT + 3, scaled(plus(cross(turning, slide), cross(linear, turn)), rate))


@part
def bear(links: np.ndarray, m: np.ndarray, link: int) -> None:
    """Write a link's own inertia, and the wrench of its motion."""
    k, i = of_table(link), of_link(link)
    mass, R = links[k + MASS], i + ROTATION
    x, y, z = centre = plus(three(m, i + ORIGIN), times(m, R, three(links, k + LEVER)))
    rows = three(m, R), three(m, R + 3), three(m, R + 6)
    by_x, by_y = times(links, k + INERTIA, rows[0]), times(links, k + INERTIA, rows[1])
    by_z = times(links, k + INERTIA, rows[2])
    xx, yy, zz = dot(by_x, rows[0]), dot(by_y, rows[1]), dot(by_z, rows[2])
    xy, xz, yz = dot(by_x, rows[1]), dot(by_x, rows[2]), dot(by_y, rows[2])
    squares = y * y + z * z, x * x + z * z, x * x + y * y
    write(m, i + TURNING, plus((xx, yy, zz), squares, mass))
    write(m, i + TURNING + 3, plus((xy, xz, yz), (x * y, x * z, y * z), -mass))
    write(m, i + COUPLING, (0.0, -mass * z, mass * y))
    write(m, i + COUPLING + 3, (mass * z, 0.0, -mass * x))
    write(m, i + COUPLING + 6, (-mass * y, mass * x, 0.0))
    write(m, i + LINEAR, (mass, mass, mass))
    write(m, i + LINEAR + 3, (0.0, 0.0, 0.0))
    turning, linear = three(m, i + TWIST), three(m, i + TWIST + 3)
    momentum = scaled(plus(linear, cross(turning, centre)), mass)
    spin = plus(symmetric(m, i + TURNING, turning), cross(centre, linear), mass)
    write(m, i + WRENCH, plus(cross(turning, spin), cross(linear, momentum)))
    write(m, i + WRENCH + 3, cross(turning, momentum))


@part
def normal_force(
    law: tuple[float, float, float, float, float, float], depth: float, rate: float
) -> float:
    """Return the force of a law [N] at a depth above 0 [m] and its rate [m/s]."""
    stiffness, damping, exponent, kind, thickness, core = law
    if kind == NOTHING:
        return 0.0
    if kind == EXTENDED:
        elastic, ratio = stiffness * depth**exponent, damping / stiffness * rate
        return elastic * (1.0 + ratio) if rate >= 0.0 else elastic * exp(ratio)
    if kind == LAYERED:
        elastic = stiffness * min(depth, thickness) + core * max(0.0, depth - thickness)
        return max(0.0, elastic * (1.0 + damping / stiffness * rate))
    return max(0.0, depth**exponent * (stiffness + damping * rate))


@part
def press_cover(plane: Plane, depth: float, rate: float, length: float) -> float:
    """Press the tool's cover against a wall for a step [s]; return the force [N].

    The cover's compression s carries k s + d s', the wall what is left of the depth: backward Euler
    for s by bisection, as the force of the cover grows with s and that of the wall falls.

    Args:
        plane: which is hit; its ``body`` is overwritten.
        depth: of the point, cover included [m]; not in contact: 0 or less.
        rate: of the depth [m/s].
        length: of the step [s].
    """
    k, d, most = plane.cover
    s0 = plane.body[3]
    low = d / length * s0 / (k + d / length)  # of a cover that nothing presses
    high = min(max(depth, low), most)
    force = 0.0
    if depth > low:
        for _ in range(60):
            s = 0.5 * (low + high)
            own, moving = k * s + d * (s - s0) / length, (s - s0) / length
            if own < normal_force(plane.law, depth - s, rate - moving):
                low = s
            else:
                high = s
        force = max(0.0, k * low + d * (low - s0) / length)
        if most - low < 1e-12 * most:  # bottomed out: the wall bears what the cover does not
            force = max(force, normal_force(plane.law, depth - most, rate - (most - s0) / length))
            low = most
    plane.body[3] = low
    plane.body[4] = max(plane.body[4], low)
    return force


@part
def sink(plane: Plane, depth: float) -> float:
    """Let a wall yield to a point at a depth above 0 [m]; return how far [m]."""
    stiffness, _, _, _, resistance, hardening = plane.law
    beyond = stiffness * depth - resistance - hardening * plane.body[0]
    growth = max(0.0, beyond) / (stiffness + hardening)
    plane.body[0] += growth
    return growth


@part
def push(plane: Plane, depth: float, velocity: Vector, length: float) -> Vector:
    """Return the force of a wall on a point at a depth [m] with a velocity [m/s] in a step [s]."""
    approach = -dot(plane.normal, velocity)
    if plane.cover[0] > 0.0:
        size = press_cover(plane, depth, approach - plane.body[1], length)
    else:
        size = normal_force(plane.law, depth, approach - plane.body[1])
    slip = plus(velocity, plane.normal, approach)
    speed = sqrt(dot(slip, slip))
    share = plane.friction * tanh(speed / plane.slip_speed) / speed if speed >= STILL else 0.0
    return scaled(plus(plane.normal, slip, -share), size)


@part
def move_point(links: np.ndarray, m: np.ndarray) -> None:
    """Write how the links and the point move, where they were at the last step's beginning."""
    count = len(links) // LINK
    for link in range(1, count):
        move(links, m, link)
    point, tip = of_link(count), before(links, count)
    turning = cross(three(m, tip + TWIST), three(m, point + ORIGIN))
    write(m, point + TWIST + 3, plus(three(m, tip + TWIST + 3), turning))


@part
def begin_step(links: np.ndarray, m: np.ndarray) -> None:
    """Work out where and what the links are, and how they move."""
    count = len(links) // LINK
    for link in range(1, count):
        place(links, m, link)
    k, point, tip = of_table(count), of_link(count), before(links, count)
    lever = times(m, tip + ROTATION, three(links, k + ORIGIN))
    write(m, point + ORIGIN, plus(three(m, tip + ORIGIN), lever))
    move_point(links, m)
    for link in range(1, count):
        bear(links, m, link)


@part
def touch(links: np.ndarray, m: np.ndarray, plane: Plane, length: float) -> Vector:
    """Let a wall push the point in a step [s]; return the force [N]."""
    count = len(links) // LINK
    point, tip = of_link(count), before(links, count) + WRENCH
    gap = gap_to(plane, three(m, point + ORIGIN))
    if gap >= 0.0 and plane.body[3] > 0.0:  # nothing presses the cover
        press_cover(plane, -gap, 0.0, length)
    if gap >= 0.0 or plane.law[3] == NOTHING:
        return 0.0, 0.0, 0.0
    depth = -gap
    if plane.law[3] == YIELDING:
        depth -= sink(plane, depth)
    force = push(plane, depth, three(m, point + TWIST + 3), length)
    write(m, tip, plus(three(m, tip), cross(three(m, point + ORIGIN), force), -1.0))
    write(m, tip + 3, plus(three(m, tip + 3), force, -1.0))
    return force


@part
def gather(links: np.ndarray, m: np.ndarray, link: int) -> None:
    """Work out what a link with all that it carries is to the link before it."""
    i, p = of_link(link), before(links, link)
    turn, slide = three(m, i + AXIS), three(m, i + AXIS + 3)
    a = plus(symmetric(m, i + TURNING, turn), times(m, i + COUPLING, slide))
    b = plus(back(m, i + COUPLING, turn), symmetric(m, i + LINEAR, slide))
    torque, force = three(m, i + WRENCH), three(m, i + WRENCH + 3)
    along = m[i + ALONG] + dot(a, turn) + dot(b, slide)
    free = m[i + FREE] - dot(torque, turn) - dot(force, slide)
    write(m, i + BIAS, a)
    write(m, i + BIAS + 3, b)
    share = 1.0 / along
    m[i + ALONG], m[i + FREE] = share, free
    if p == 0:
        return
    turn, slide = three(m, i + DRIFT), three(m, i + DRIFT + 3)
    share, less = (free - dot(a, turn) - dot(b, slide)) * share, -share
    torque = plus(plus(torque, symmetric(m, i + TURNING, turn)), times(m, i + COUPLING, slide))
    force = plus(plus(force, back(m, i + COUPLING, turn)), symmetric(m, i + LINEAR, slide))
    add(m, p + WRENCH, torque, a, share)
    add(m, p + WRENCH + 3, force, b, share)
    for block, v in ((TURNING, a), (LINEAR, b)):
        squares = v[0] * v[0], v[1] * v[1], v[2] * v[2]
        products = v[0] * v[1], v[0] * v[2], v[1] * v[2]
        add(m, p + block, three(m, i + block), squares, less)
        add(m, p + block + 3, three(m, i + block + 3), products, less)
    add(m, p + COUPLING, three(m, i + COUPLING), b, less * a[0])
    add(m, p + COUPLING + 3, three(m, i + COUPLING + 3), b, less * a[1])
    add(m, p + COUPLING + 6, three(m, i + COUPLING + 6), b, less * a[2])


@part
def add(numbers: np.ndarray, at: int, a: Vector, b: Vector, factor: float) -> None:
    """Add to three numbers a vector, and another one times a factor."""
    write(numbers, at, plus(three(numbers, at), plus(a, b, factor)))


@part
def end_step(links: np.ndarray, m: np.ndarray, length: float) -> None:
    """Integrate a step of the length [s] that the state was loaded for.

    With the torque s of spring and damper at the step's beginning, the motor's torque t, its
    inertia B, and the damping D, the accelerations of motor and deflection are ``c + r d`` and
    ``d = (y - c) / (1 + r)`` with ``c = (t - s) / B`` and ``r = h D / B``. So their sum y, that of
    the link, comes from the equation of the links with an inertia ``e = h D / (1 + r)`` more at the
    joint and the torque ``s + e c``.
    """
    count = len(links) // LINK - 1
    for i in range(1, count + 1):
        k, row = of_table(i), of_link(i)
        bent, rate = m[row + POSITION + 1], m[row + RATE + 1]
        s = -links[k + STIFFNESS] * bent - links[k + DAMPING] * rate
        c, e = (m[row + TORQUE] - s) / links[k + MOTOR], m[row + ADDED]
        m[row + OWN], m[row + ALONG], m[row + FREE] = c, e, s + e * c
    for i in range(count, 0, -1):
        gather(links, m, i)
    for i in range(1, count + 1):
        row = of_link(i)
        p = before(links, i) + ACCELERATION
        turning = plus(three(m, p), three(m, row + DRIFT))
        linear = plus(three(m, p + 3), three(m, row + DRIFT + 3))
        known = dot(three(m, row + BIAS), turning) + dot(three(m, row + BIAS + 3), linear)
        y = (m[row + FREE] - known) * m[row + ALONG]
        write(m, row + ACCELERATION, plus(turning, three(m, row + AXIS), y))
        write(m, row + ACCELERATION + 3, plus(linear, three(m, row + AXIS + 3), y))
        c, r = m[row + OWN], m[row + RATIO]
        d = (y - c) / (1.0 + r)
        m[row + RATE] += length * (c + r * d)
        m[row + RATE + 1] += length * d
        m[row + POSITION] += length * m[row + RATE]
        m[row + POSITION + 1] += length * m[row + RATE + 1]


@part
def gap_to(plane: Plane, point: Vector) -> float:
    """Return the distance of a point from the plane [m]."""
    return dot(plane.normal, plus(point, plane.point, -1.0)) + plane.body[0]


@part
def push_back(plane: Plane, force: Vector, length: float) -> None:
    """Integrate what the wall's face moves with for a step [s] of the force on the point [N]."""
    body = plane.body
    body[1] += length * body[2] * dot(plane.normal, force)
    body[0] += length * body[1]


@part
def load(arm: Touching, length: float) -> None:
    """Take the arm's state from MuJoCo's memory, for steps of some length [s]."""
    check_pos(arm.model, arm.data)
    check_vel(arm.model, arm.data)
    m, links = arm.motion, arm.links
    for k in range(len(arm.motor)):
        row, motor, spring = of_link(k + 1), arm.motor[k], arm.spring[k]
        damped = length * links[of_table(k + 1) + DAMPING]
        m[row + RATIO] = ratio = damped / links[of_table(k + 1) + MOTOR]
        m[row + ADDED] = damped / (1.0 + ratio)
        m[row + POSITION], m[row + POSITION + 1] = arm.qpos[motor], arm.qpos[spring]
        m[row + RATE], m[row + RATE + 1] = arm.qvel[motor], arm.qvel[spring]
        m[row + TORQUE] = arm.torque[motor]


@part
def store(arm: Touching) -> None:
    """Put the arm's state into MuJoCo's memory, and work out how the point moves now."""
    m = arm.motion
    for k in range(len(arm.motor)):
        row, motor, spring = of_link(k + 1), arm.motor[k], arm.spring[k]
        arm.qpos[motor], arm.qpos[spring] = m[row + POSITION], m[row + POSITION + 1]
        arm.qvel[motor], arm.qvel[spring] = m[row + RATE], m[row + RATE + 1]
        arm.torque[motor] = m[row + TORQUE]
    move_point(arm.links, m)


@part
def note(links: np.ndarray, m: np.ndarray, k: int, steps: Steps) -> None:
    """Note where the arm is at the beginning of step ``k``."""
    for i in range(1, len(links) // LINK):
        row = of_link(i)
        steps.q[k, i - 1] = m[row + POSITION] + m[row + POSITION + 1]
        steps.dq[k, i - 1] = m[row + RATE] + m[row + RATE + 1]
        steps.torque[k, i - 1] = -links[of_table(i) + STIFFNESS] * m[row + POSITION + 1]


@part
def step_near(
    arm: Touching, plane: Plane, time: float, length: float, steps: Steps, first: int, end: int
) -> float:
    """Integrate small steps into some rows of ``steps``; return the time after them [s]."""
    links, m, velocity, force = arm.links, arm.motion, steps.velocity, steps.force
    point, motion = of_link(len(links) // LINK) + TWIST + 3, len(velocity) > 0
    for k in range(first, end):
        steps.time[k] = time
        if motion:
            note(links, m, k, steps)
            velocity[k, 0], velocity[k, 1], velocity[k, 2] = three(m, point)
        begin_step(links, m)
        force[k, 0], force[k, 1], force[k, 2] = pushed = touch(links, m, plane, length)
        end_step(links, m, length)
        push_back(plane, pushed, length)
        if motion:  # of the point in the next row
            move_point(links, m)
        time += length
    return time


@compiled
def small_steps(arm: Touching, plane: Plane, time: float, length: float, steps: Steps) -> float:
    """Integrate small steps and fill ``steps``; return the time after them [s].

    Args:
        arm: which moves.
        plane: that it may touch.
        time: now [s].
        length: of a step, that of the model [s].
        steps: overwritten.
    """
    load(arm, length)
    time = step_near(arm, plane, time, length, steps, 0, len(steps.time))
    store(arm)
    return time


@part
def drive(links: np.ndarray, m: np.ndarray, loop: LoopNumbers) -> None:
    """Let the torque loop give the motors their torques of its next period."""
    for i in range(len(loop.ratio)):
        row = of_link(i + 1)
        sensed = -links[of_table(i + 1) + STIFFNESS] * m[row + POSITION + 1]
        change = loop.share * (sensed - loop.filtered[i])
        loop.filtered[i] += change
        transmitted = loop.filtered[i] + loop.damping_time[i] * change / loop.period
        ratio = loop.ratio[i]
        m[row + TORQUE] = ratio * loop.desired[i] + (1.0 - ratio) * transmitted


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
) -> tuple[int, float]:
    """Integrate as many periods of the torque loop as ``steps`` has room for, and fill it.

    Ends before a period that begins on the other side of ``clearance``; returns the rows filled,
    and the time after them [s].

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
    links, m, done, rows = arm.links, arm.motion, 0, max(1, per_period)
    point = of_link(len(links) // LINK) + ORIGIN
    load(arm, length)
    while done < len(steps.time):
        gap = gap_to(plane, three(m, point))
        if done and clearance >= 0.0 and (gap <= clearance) != (per_period > 0):
            break
        drive(links, m, loop)
        if per_period > 0:
            time = step_near(arm, plane, time, length, steps, done, done + rows)
        else:
            steps.time[done] = time
            note(links, m, done, steps)
            steps.velocity[done] = 0.0
            steps.force[done] = 0.0
            for _ in range(-per_period):
                begin_step(links, m)
                end_step(links, m, length)
                push_back(plane, (0.0, 0.0, 0.0), length)
                time += length
        done += rows
    store(arm)
    return done, time
