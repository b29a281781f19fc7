# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""The small motion of a flexible-joint arm after contact, compiled.

Links and motors, 2 n coordinates, start where they are with the velocity before the impact; that
uniform motion is subtracted, so all begins at zero and only the contacts move, by their velocity.

.. math::

    M\dot v_q = K(\theta - q) + D(v_\theta - v_q) + J^T f, \qquad
    B\dot v_\theta = \tau_{act} - K(\theta - q) - D(v_\theta - v_q)

A leapfrog: forces act in the middle of a step. There the contact force is implicit in the velocity,
so neither a stiff damper nor Coulomb's friction limits the step; Gauss and Seidel's iteration
couples normal force, friction and several contacts. Steps are long in flight, shorter in contact.
"""

from __future__ import annotations

from math import ceil, exp, sqrt

import numpy as np

from impact_predictor.joint_load.elastic_arm import ElasticArm
from impact_predictor.joint_load.motion_records import (
    EXTENDED,
    HUNT_CROSSLEY,
    LINEAR,
    RIGID,
    TICK,
    YIELDING,
    ContactSurfaces,
    ElasticMotion,
    LoadRecord,
    StepTorques,
)
from impact_robots.compiling.compiled import cached, part_with

FREE_STEPS = 5  # at least, per tick, in flight
FREE_PHASE = 0.25  # of the joints' fastest oscillation, per step in flight [rad]
FREE_DECAY = 0.5  # of the joints' fastest damping, per step in flight [-]
CONTACT_PHASE = 0.2  # of the contact's own oscillation, per step in contact [rad]
COVERED = 2  # times as many with a cover, whose compression is of first order in the step
SWEEPS = 4  # of Gauss and Seidel, for one contact; four times as many for several
FLAT = 1e-12  # determinant over squared trace of a mobility that has one direction only [-]
SETTLED = 1e-3  # change of one contact's normal force in a sweep, after which there is none

# functions of every step are inlined: half the time
compiled = cached(nogil=True, fastmath=True, forceinline=True)
part = part_with(nogil=True, fastmath=True, forceinline=True)


@part
def normal_force(
    depth: float, approach: float, yielding: float, before: float, law: np.ndarray
) -> float:
    """Return the force of a law that is implicit in the rate [N].

    Args:
        depth: penetration [m].
        approach: rate of the penetration without the force [m/s].
        yielding: by how much a force of 1 N reduces that rate [m/s/N].
        before: rate of the penetration at the start of the step, for the rigid law [m/s].
        law: see :class:`~impact_predictor.joint_load.motion_records.ContactSurfaces`.
    """
    stiffness, damping, exponent, kind = law
    if kind == YIELDING:  # beyond that force the depth is shared by the spring and the yielding
        force, growth = stiffness * depth, exponent
        if force > damping:
            force = damping + growth * (force - damping) / (stiffness + growth)
        return force
    if kind == LINEAR:
        return max(0.0, (stiffness * depth + damping * approach) / (1.0 + damping * yielding))
    if kind == RIGID:  # Moreau: Newton's law over the whole step, where yielding is twice as large
        return max(0.0, (approach + damping * max(0.0, before)) / yielding)
    shape = depth if exponent == 1.0 else depth**exponent
    force = shape * (stiffness + damping * approach) / (1.0 + shape * damping * yielding)
    if kind == HUNT_CROSSLEY or force <= shape * stiffness:
        rate = approach - yielding * force
        if kind == EXTENDED and rate < 0.0:
            force = shape * stiffness
            for _ in range(4):  # Newton on f = k d^eta exp(d/k rate(f)), convex and falling
                value = shape * stiffness * exp(damping / stiffness * (approach - yielding * force))
                slope = -value * damping / stiffness * yielding
                force -= (force - value) / (1.0 - slope)
    return max(0.0, force)


@part
def covered_force(
    depth: float,
    approach: float,
    yielding: float,
    law: np.ndarray,
    cover: np.ndarray,
    before: float,
    h: float,
) -> float:
    """Return the force of a viscoelastic surface under a cover, both implicit in the rates [N].

    The cover's compression s carries k s + d s', the surface what is left of the depth. With s'
    over the step, s solves a quadratic equation; beyond the thickness the surface is alone.

    Args:
        depth: penetration, of cover and surface together [m].
        approach: rate of the penetration without the force [m/s].
        yielding: by how much a force of 1 N reduces that rate [m/s/N].
        law: of the surface, as of :func:`normal_force`.
        cover: stiffness, damping and thickness.
        before: compression one step before [m].
        h: the step [s].
    """
    k, loss = law[0], law[1] / law[0]
    slope, less = cover[0] + cover[1] / h, cover[1] * before / h  # force: slope s - less
    free = less / slope  # the compression without a force
    rate = approach + yielding * less + before / h  # of the surface's penetration, less fall s
    fall = yielding * slope + 1.0 / h
    if depth <= free or 1.0 + loss * (rate - fall * free) <= 0.0:
        return 0.0
    a, now = k * loss * fall, k * (1.0 + loss * rate)
    b, c = slope + now + a * depth, less + depth * now
    s = 2.0 * c / (b + sqrt(max(0.0, b * b - 4.0 * a * c)))
    if s <= cover[2]:
        return max(0.0, slope * s - less)
    elastic = k * (depth - cover[2])
    rate = approach - (cover[2] - before) / h
    return max(0.0, elastic * (1.0 + loss * rate) / (1.0 + elastic * loss * yielding))


@part
def squeeze(
    covers: np.ndarray, f: np.ndarray, touching: bool, h: float, squeezed: np.ndarray
) -> None:
    """Write how far forces compress the covers after a step, and the largest so far [m].

    Args:
        covers: shape (c, 3), see :class:`~impact_predictor.joint_load.motion_records.
            ContactSurfaces`.
        f: forces, shape (3 c,) [N].
        touching: whether there are any.
        h: the step [s].
        squeezed: compressions, then the largest ones, overwritten, shape (2 c,) [m].
    """
    for c in range(len(covers)):
        if covers[c, 0] > 0.0:
            force, d = f[3 * c + 2] if touching else 0.0, covers[c, 1] / h
            s = min(covers[c, 2], (force + d * squeezed[c]) / (covers[c, 0] + d))
            squeezed[c] = s
            squeezed[len(covers) + c] = max(squeezed[len(covers) + c], s)


@part
def rub(W: np.ndarray, f: np.ndarray, u: np.ndarray, c: int, step: float, friction: float) -> None:
    """Write contact ``c``'s friction force of Coulomb's law into ``f``: stick, or slide.

    Args:
        W: mobility of the contacts, shape (3 c, 3 c) [1/kg].
        f: forces, shape (3 c,) [N].
        u: velocities without forces, shape (3 c,) [m/s].
        c: which contact.
        step: over which the forces change the velocities [s].
        friction: coefficient [-].
    """
    a, b, n = 3 * c, 3 * c + 1, 3 * c + 2
    ua, ub = u[a], u[b]
    for j in range(len(f)):
        if j != a and j != b:
            ua += step * W[a, j] * f[j]
            ub += step * W[b, j] * f[j]
    det, both = step * (W[a, a] * W[b, b] - W[a, b] * W[b, a]), W[a, a] + W[b, b]
    if det > FLAT * step * both * both:
        fa, fb = -(W[b, b] * ua - W[a, b] * ub) / det, -(W[a, a] * ub - W[b, a] * ua) / det
    elif both > 0.0:  # a planar arm: it moves along one direction, as the velocity does
        fa, fb = -ua / (step * both), -ub / (step * both)
    else:
        fa = fb = 0.0
    most = friction * f[n]
    if fa * fa + fb * fb > most * most:  # it slides: one projected step
        soft = 1.0 / (step * max(W[a, a], W[b, b]))
        fa = f[a] - soft * (ua + step * (W[a, a] * f[a] + W[a, b] * f[b]))
        fb = f[b] - soft * (ub + step * (W[b, a] * f[a] + W[b, b] * f[b]))
        size = sqrt(fa * fa + fb * fb)
        if size > most:
            fa, fb = fa * most / size, fb * most / size
    f[a], f[b] = fa, fb


@part
def flight_steps(arm: ElasticArm) -> int:
    """Return the steps per tick that resolve springs, dampers and servos of the joints."""
    M_inverse, K, D, B, _, _, servo_K, servo_D, _, _, _ = arm
    links = motors = rates = 0.0
    for i in range(len(K)):
        links += M_inverse[i, i] * K[i]  # at least the highest frequency squared: the trace
        motors = max(motors, (K[i] + servo_K[i]) / B[i])
        rates = max(rates, D[i] * M_inverse[i, i], (D[i] + servo_D[i]) / B[i])
    fastest = max(sqrt(links + motors) / FREE_PHASE, rates / FREE_DECAY)
    return max(FREE_STEPS, ceil(TICK * fastest))


@part
def contact_steps(W: np.ndarray, surfaces: ContactSurfaces, least: int) -> int:
    """Return the steps per tick that resolve the stiffest contact, not fewer than ``least``."""
    laws, velocity, steps = surfaces.laws, surfaces.velocity, least
    for c in range(len(laws)):
        stiffness, damping, exponent, kind = laws[c]
        if kind == RIGID:
            continue
        n = 3 * c + 2
        speed, W_nn = max(0.0, -velocity[n]), W[n, n]
        if kind in (YIELDING, LINEAR):
            damping, exponent = 0.0, 1.0
        if exponent != 1.0 and speed > 0.0:  # tangent at the depth of a free, undamped body
            depth = ((exponent + 1.0) * speed * speed / (2.0 * stiffness * W_nn)) ** (
                1.0 / (exponent + 1.0)
            )
            tangent = exponent * stiffness * depth ** (exponent - 1.0)
        else:
            tangent = stiffness
        omega = sqrt(tangent * (1.0 + speed * damping / stiffness) * W_nn)
        steps = max(steps, ceil(TICK * omega / CONTACT_PHASE))
    return COVERED * steps if surfaces.covers[:, 0].max() > 0.0 else steps


@part
def contact_forces(
    W: np.ndarray,
    surfaces: ContactSurfaces,
    x: np.ndarray,
    before: np.ndarray,
    u: np.ndarray,
    h: float,
    squeezed: np.ndarray,
    f: np.ndarray,
) -> None:
    """Write the forces of a step into ``f``, shape (3 c,) [N]: Gauss and Seidel.

    Args:
        W: mobility of the contacts, shape (3 c, 3 c) [1/kg].
        surfaces: in contact.
        x: heights above the surfaces in the middle of the step, shape (c,) [m].
        before: velocities of approach at its start, shape (c,) [m/s].
        u: velocities without forces, in the middle of the step, rigid: at its end, (3 c,) [m/s].
        h: the step [s].
        squeezed: compressions of the covers one step before, shape (2 c,) [m].
        f: overwritten.
    """
    laws, friction, covers = surfaces.laws, surfaces.friction, surfaces.covers
    f[:] = 0.0
    sweeps = SWEEPS if len(laws) == 1 else 4 * SWEEPS
    for _ in range(sweeps):
        change = 0.0
        for c in range(len(laws)):
            if x[c] >= 0.0:
                continue
            k, step = 3 * c + 2, h if laws[c, 3] == RIGID else 0.5 * h
            approach, before_sweep = -u[k], f[k]
            for j in range(len(f)):
                if j != k:
                    approach -= step * W[k, j] * f[j]
            if covers[c, 0] > 0.0:
                own = step * W[k, k]
                f[k] = covered_force(-x[c], approach, own, laws[c], covers[c], squeezed[c], h)
            else:
                f[k] = normal_force(-x[c], approach, step * W[k, k], before[c], laws[c])
            if friction[c] > 0.0:
                rub(W, f, u, c, step, friction[c])
                change = max(change, abs(f[k] - before_sweep) / (f[k] + 1e-12))
        if change < SETTLED and len(laws) == 1:
            break


@part
def control(arm: ElasticArm, motion: ElasticMotion, sent: np.ndarray, act: np.ndarray) -> None:
    """Write the actuators' torque of the next tick into ``act``: the joint torque loop.

    ``sent`` is the change of the torque that the loop is commanded, shape (n,) [N.m], without that
    by a controller on the motion of the links.
    """
    _, _, _, _, ratio, damping_time, _, _, loop_K, loop_D, share = arm
    load, filtered = motion.load, motion.filtered
    for i in range(len(load)):
        change = share * (load[i] - filtered[i])
        filtered[i] += change
        act[i] = (1.0 - ratio[i]) * (filtered[i] + damping_time[i] * change / TICK)
        asked = sent[i] - loop_K[i] * motion.q[i] - loop_D[i] * motion.vq[i]
        act[i] += ratio[i] * asked


@part
def look(
    surfaces: ContactSurfaces,
    motion: ElasticMotion,
    t: float,
    sunk: np.ndarray,
    before: np.ndarray,
    ahead: float,
) -> bool:
    """Write velocities of approach into ``before``; return whether a contact is near [m/s]."""
    J, velocity, q, vq, near = surfaces.J, surfaces.velocity, motion.q, motion.vq, False
    for c in range(len(before)):
        k = 3 * c + 2
        height, rate = velocity[k] * t + sunk[c], velocity[k]
        for i in range(len(q)):
            height += J[k, i] * q[i]
            rate += J[k, i] * vq[i]
        before[c] = -rate
        near = near or height + rate * ahead < 0.0
    return near


@part
def half_way(arm: ElasticArm, motion: ElasticMotion, torques: StepTorques, h: float) -> None:
    """Go to the middle of a step: torques that the joints pass, the links' acceleration."""
    M_inverse, K, D = arm.M_inverse, arm.stiffness, arm.damping
    q, th, vq, vt = motion.q, motion.th, motion.vq, motion.vt
    passed, a, n = torques.passed, torques.acceleration, len(motion.q)
    for i in range(n):
        q[i] += 0.5 * h * vq[i]
        th[i] += 0.5 * h * vt[i]
        passed[i] = K[i] * (th[i] - q[i]) + D[i] * (vt[i] - vq[i])
    for i in range(n):
        a[i] = 0.0
        for j in range(n):
            a[i] += M_inverse[i, j] * passed[j]


@part
def meet(
    surfaces: ContactSurfaces,
    motion: ElasticMotion,
    a: np.ndarray,
    t: float,
    h: float,
    sunk: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
) -> bool:
    """Write heights ``x`` and velocities ``u`` without forces; return whether any is in contact."""
    J, laws, friction, velocity, _ = surfaces
    q, vq, touching = motion.q, motion.vq, False
    for c in range(len(laws)):
        step = h if laws[c, 3] == RIGID else 0.5 * h
        x[c] = velocity[3 * c + 2] * (t + 0.5 * h) + sunk[c]
        for i in range(len(q)):
            x[c] += J[3 * c + 2, i] * q[i]
        touching = touching or x[c] < 0.0
        rubs = friction[c] > 0.0 or len(laws) > 1  # else the tangential motion does not matter
        for r in range(3 * c if rubs else 3 * c + 2, 3 * c + 3):
            u[r] = velocity[r]
            for i in range(len(q)):
                u[r] += J[r, i] * (vq[i] + step * a[i])
    return touching


@part
def give(laws: np.ndarray, f: np.ndarray, sunk: np.ndarray) -> None:
    """Write into ``sunk`` and ``laws`` how far yielding surfaces have given way to the forces."""
    for c in range(len(laws)):
        force = f[3 * c + 2]
        if laws[c, 3] == YIELDING and force > laws[c, 1]:
            sunk[c] += (force - laws[c, 1]) / laws[c, 2]
            laws[c, 1] = force


@part
def go_on(
    arm: ElasticArm,
    motion: ElasticMotion,
    torques: StepTorques,
    w: np.ndarray,
    f: np.ndarray,
    touching: bool,
    h: float,
) -> None:
    """Go from the middle of a step to its end."""
    _, K, _, B, _, _, servo_K, servo_D, _, _, _ = arm
    q, th, vq, vt, load, _ = motion
    act, passed, a = torques
    for i in range(len(q)):
        if touching:
            for r in range(len(f)):
                a[i] += w[i, r] * f[r]
        vq[i] += h * a[i]
        q[i] += 0.5 * h * vq[i]
        motor = act[i] - passed[i] - servo_K[i] * th[i] - servo_D[i] * vt[i]
        vt[i] += h * motor / B[i]
        th[i] += 0.5 * h * vt[i]
        load[i] = K[i] * (th[i] - q[i])


@part
def note(t: float, load: np.ndarray, loads: np.ndarray, times: np.ndarray) -> None:
    """Keep the highest and the lowest load of every joint, with their times."""
    for i in range(len(load)):
        if load[i] > loads[0, i]:
            loads[0, i], times[0, i] = load[i], t
        if load[i] < loads[1, i]:
            loads[1, i], times[1, i] = load[i], t


@compiled
def integrate(
    arm: ElasticArm,
    surfaces: ContactSurfaces,
    ticks: tuple[int, int],
    refinement: int,
    command: np.ndarray,
    state: np.ndarray,
    record: LoadRecord,
) -> None:
    """Integrate over some ticks of 250 us after contact.

    Args:
        arm: at the configuration at contact.
        surfaces: in contact, arrays contiguous.
        ticks: the first, 0 at contact, and the one after the last.
        refinement: by how much every step is shorter, 1: not.
        command: change of the torque that the loop is sent since contact, a row a tick, the last
            one held, at least one row, shape (m, n) [N.m].
        state: rows of :class:`ElasticMotion`, at contact zero; overwritten with those at the end,
            shape (6, n).
        record: so far, overwritten.
    """
    laws, J = surfaces.laws, surfaces.J
    n, contacts = len(arm.stiffness), len(laws)
    w = arm.M_inverse @ J.T
    W = J @ w
    free = flight_steps(arm)
    short = TICK / (refinement * contact_steps(W, surfaces, free))
    long = TICK / (refinement * free)
    motion = ElasticMotion(state[0], state[1], state[2], state[3], state[4], state[5])
    torques = StepTorques(np.zeros(n), np.zeros(n), np.zeros(n))
    x, before = np.zeros(contacts), np.zeros(contacts)
    u, f = np.zeros(3 * contacts), np.zeros(3 * contacts)
    impulse = record.contact[: 3 * contacts]
    peak, end = (
        record.contact[3 * contacts : 4 * contacts],
        record.contact[4 * contacts : 5 * contacts],
    )
    sunk = record.contact[5 * contacts : 6 * contacts]
    squeezed = record.contact[6 * contacts :]
    for tick in range(ticks[0], ticks[1]):
        control(arm, motion, command[min(tick, len(command) - 1)], torques.act)
        done = 0.0
        while done < TICK * (1.0 - 1e-9):
            t = tick * TICK + done
            near = look(surfaces, motion, t, sunk, before, long)
            h = min(short if near else long, TICK - done)
            half_way(arm, motion, torques, h)
            touching = near and meet(surfaces, motion, torques.acceleration, t, h, sunk, x, u)
            if touching:
                contact_forces(W, surfaces, x, before, u, h, squeezed, f)
                for c in range(contacts):
                    if f[3 * c + 2] > 0.0:
                        end[c], peak[c] = t + h, max(peak[c], f[3 * c + 2])
                for r in range(3 * contacts):
                    impulse[r] += h * f[r]
                give(laws, f, sunk)
            squeeze(surfaces.covers, f, touching, h, squeezed)
            go_on(arm, motion, torques, w, f, touching, h)
            note(t + h, motion.load, record.loads, record.times)
            done += h
        trace = record.trace
        if len(trace):
            for i in range(n):
                trace[tick, i] = motion.load[i]
                trace[tick, n + 2 * contacts + i] = motion.q[i]
                trace[tick, 2 * n + 2 * contacts + i] = motion.vq[i]
            for c in range(contacts):
                trace[tick, n + c] = f[3 * c + 2] if touching else 0.0
                trace[tick, n + contacts + c] = -x[c] if touching else 0.0
