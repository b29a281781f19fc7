# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Signs of an impact besides the detector's: force peaks, and jumps of joint velocities.

A contact of the robots of Wang 2022 and Rey Arias 2024 lasts 5 to 20 ms and rises in less than 10,
a push by hand takes ten times that; the steepest that half a sine of 0.1 s rises in 10 ms is a
third of its peak, of one of 0.2 s a sixth. A velocity jump is one that no joint torque explains,
over the 10 ms in which an impact happens; a push is momentum that none explains, over 60 ms: a soft
surface takes that long, and no velocity jumps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from impact_detector.attribution.generalized_impulse import unexplained_momentum
from impact_detector.estimators.impulse import runs
from impact_detector.signals.noise import STD_OF_MEDIAN
from impact_robots import ArmDynamics, Robot

APART = 0.1  # between peaks or jumps, within that they are one [s]
SLOWEST = 0.0051  # time between samples at which a rise or a jump can be seen: 200 Hz [s]

CONTACT_FORCE = 3.0  # norm that is a contact [N]
RISE = 0.01  # in which an impact rises by RISE_SHARE of its peak [s]
RISE_SHARE = 0.6
PEAK = 0.02  # after the rise, in which the peak lies [s]
SHORTEST = 1e-3  # contact; shorter is a disturbance of the sensor [s]
_SURE = 3.0  # a peak is this many levels high
_SIGMAS = 5.0  # of the force's noise

HALF = 0.005  # of the time over which a velocity jump is taken [s]
JUMP = 0.15  # of one joint [rad/s]
WITHOUT_TORQUE = 0.3  # the same where torques are unknown: more than a controller commands [rad/s]
SIGMAS = 8.0  # of what velocities always do: noise, ripple of the gears
EXPLAINED = 0.5  # fraction of a jump that torques must leave unexplained
PUSH_HALF = 0.03  # of the time over which momentum is taken [s]
PUSH = 0.05  # of a joint's torque limit: friction that turns around, in PUSH_HALF
PUSH_UNKNOWN = 5.0  # the same of a joint without a limit [N.m]
PUSH_SHARE = 0.3  # of what momentum gains around it, or it is a push by hand or a load
PUSH_APART = 5 * PUSH_HALF  # between pushes, within that a smaller one is a trace of the larger [s]
BEGUN = 0.05  # of a push, from which it has begun
FOR_SLOPE = 3  # samples before a push, for the slope there
_PLACES = np.array([-3.0, -1.0, 1.0, 3.0])  # times HALF, and what counts of the velocity there
_WEIGHTS = np.array([0.5, -1.5, 1.5, -0.5])


def force_peaks(t: np.ndarray, force: np.ndarray) -> list[tuple[float, float]]:
    """Return when force peaks of impacts begin [s], and how high they are [N].

    Forces count from their median, so that a sensor's offset and a load that is carried do not.

    Args:
        t: times, increasing, about a second, shape (N,) [s].
        force: at these times, shape (N, 3) [N].
    """
    if len(t) < 10 or np.median(np.diff(t)) > SLOWEST:
        return []
    period = float(np.median(np.diff(t)))
    change = force - np.median(force, axis=0)
    norm = np.linalg.norm(change, axis=1)
    noise = STD_OF_MEDIAN * float(np.median(np.abs(change), axis=0).max())
    level = max(CONTACT_FORCE, _SIGMAS * noise)
    found: list[tuple[float, float]] = []
    for first, end in runs(norm > level):
        if end - first < 2 or t[end - 1] - t[first] + period < SHORTEST:
            continue
        at, peak = _steepest(t, norm, first, end)
        if peak >= _SURE * level and not (found and at - found[-1][0] < APART):
            found.append((at, peak))
    return found


def _steepest(t: np.ndarray, norm: np.ndarray, first: int, end: int) -> tuple[float, float]:
    """Return where a run of samples rises like an impact and the peak there, 0 if nowhere."""
    earlier = np.searchsorted(t, t[first:end] - RISE)
    later = np.searchsorted(t, t[first:end] + PEAK)
    rises = norm[first:end] - norm[earlier]
    for k in np.argsort(-rises, kind="stable")[:1]:
        peak = float(norm[earlier[k] : later[k]].max())
        if rises[k] >= RISE_SHARE * peak:
            return float(t[max(first, earlier[k])]), peak
    return float(t[first]), 0.0


def velocity_jumps(
    robot: Robot, t: np.ndarray, q: np.ndarray, dq: np.ndarray, tau: np.ndarray
) -> list[tuple[float, float]]:
    r"""Return when velocities begin to jump [s], and by how much the fastest joint does [rad/s].

    The jump is what :math:`\dot q` gains from 5 ms before to 5 ms after beyond the mean of what it
    gains in the 10 ms before and after that, so a constant acceleration is none. Where torques
    were measured, those that they explain are none: :math:`\int (M+B)^{-1}(\tau - h)` with B = 0
    (torques measured on the links' side), B_theta or B_rho (on the motors' side).

    Args:
        robot: whose joints are measured.
        t: times, increasing, about a second, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        dq: joint velocities, shape (N, n) [rad/s].
        tau: joint torques, gravity included, NaN where unknown, shape (N, n) [N.m].
    """
    if len(t) < 10 or np.median(np.diff(t)) > SLOWEST:
        return []
    inner = np.flatnonzero((t >= t[0] + 3 * HALF) & (t <= t[-1] - 3 * HALF))
    if not len(inner):
        return []
    jumps = _jump(t, dq, t[inner], HALF)
    usual = STD_OF_MEDIAN * np.median(np.abs(jumps), axis=0)
    excess = (np.abs(jumps) / np.maximum(JUMP, SIGMAS * usual)).max(axis=1)
    return sorted(
        (at - HALF, float(np.abs(jumps[best]).max()))
        for best, at in _largest(excess, t[inner], APART)
        if _stands(robot, t, q, dq, tau, at, jumps[best])
    )


def momentum_pushes(
    robot: Robot, t: np.ndarray, q: np.ndarray, dq: np.ndarray, tau: np.ndarray
) -> list[tuple[float, float]]:
    r"""Return when pushes begin [s], and the momentum that each gives to a joint [N.m.s].

    :math:`s = (M + B) \dot q - \int (\tau + C^T \dot q - g) dt` with B = 0 (torques measured on the
    links' side), B_theta or B_rho (on the motors' side), whichever says less: what it gains from
    30 ms before to 30 ms after beyond the mean of what it gains in the 60 ms before and after that,
    so a constant load is none. It counts above what friction that turns around would give, by eight
    times its usual size, and if it is a third of what s gains from 90 ms before to 90 ms after.

    Args:
        robot: whose joints are measured.
        t: times, increasing, about a second, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        dq: joint velocities, shape (N, n) [rad/s].
        tau: joint torques, gravity included, NaN where unknown, shape (N, n) [N.m].
    """
    if len(t) < 10 or np.median(np.diff(t)) > SLOWEST or not np.isfinite([q, dq, tau]).all():
        return []
    inner = np.flatnonzero((t >= t[0] + 4 * PUSH_HALF) & (t <= t[-1] - 3 * PUSH_HALF))
    if not len(inner):
        return []
    s = unexplained_momentum(robot, t, q, dq, tau)
    each = [s + motors * dq for motors in robot.motor_inertias.values()]
    jumps = np.array([_jump(t, one, t[inner], PUSH_HALF) for one in each])
    jumps = np.take_along_axis(jumps, np.abs(jumps).argmin(axis=0)[None], axis=0)[0]
    gains = _gain(t, s, t[inner])
    limit = robot.limits.torque
    friction = PUSH_HALF * np.where(np.isfinite(limit), PUSH * limit, PUSH_UNKNOWN)
    usual = STD_OF_MEDIAN * np.median(np.abs(jumps), axis=0)
    size = np.where(jumps * np.sign(gains) > PUSH_SHARE * np.abs(gains), np.abs(jumps), 0.0)
    excess = (size / np.maximum(friction, SIGMAS * usual)).max(axis=1)
    found: list[tuple[float, float]] = []
    for best, at in _largest(excess, t[inner], PUSH_APART):
        joint = int(np.argmax(size[best] / friction))
        found.append((_begin(t, s[:, joint], at), float(size[best, joint])))
    return sorted(found)


def _largest(excess: np.ndarray, t: np.ndarray, apart: float) -> Iterator[tuple[int, float]]:
    """Yield place and time of what exceeds 1, the largest first, none within ``apart`` of one."""
    left = excess.copy()
    while left.max(initial=0.0) > 1.0:
        best = int(np.argmax(left))
        yield best, float(t[best])
        left[np.abs(t - t[best]) < apart] = 0.0


def _gain(t: np.ndarray, s: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return what s (N, n) gains in 180 ms around times (k,) beyond its slope before, (k, n)."""
    early, before, after = (
        np.stack([np.interp(at + PUSH_HALF * place, t, column) for column in s.T], axis=1)
        for place in (-4.0, -3.0, 3.0)
    )
    return np.asarray(after - before - 6.0 * (before - early))


def _begin(t: np.ndarray, s: np.ndarray, at: float) -> float:
    """Return when the push around a time begins, by s of one joint, shape (N,) [s].

    Where a gap of the recording leaves nothing to count from, it is PUSH_HALF before.
    """
    before = (t >= at - 4 * PUSH_HALF) & (t <= at - 1.5 * PUSH_HALF)
    near = (t > at - 1.5 * PUSH_HALF) & (t <= at + 1.5 * PUSH_HALF)
    if np.count_nonzero(before) < FOR_SLOPE:
        return at - PUSH_HALF
    line = np.polyfit(t[before] - at, s[before], 1)
    gained = s[near] - np.polyval(line, t[near] - at)
    below = np.flatnonzero(gained * np.sign(gained[-1]) < BEGUN * abs(gained[-1]))
    return float(t[near][below[-1]]) if below.size else at - PUSH_HALF


def _jump(t: np.ndarray, values: np.ndarray, at: np.ndarray, half: float) -> np.ndarray:
    """Return the jumps of columns (N, n) at times (k,), shape (k, n)."""
    return sum(
        weight * np.stack([np.interp(at + half * place, t, column) for column in values.T], axis=1)
        for place, weight in zip(_PLACES, _WEIGHTS, strict=True)
    )


def _stands(
    robot: Robot,
    t: np.ndarray,
    q: np.ndarray,
    dq: np.ndarray,
    tau: np.ndarray,
    at: float,
    jump: np.ndarray,
) -> bool:
    """Tell whether torques leave a jump unexplained, or one is too large to be commanded."""
    around = np.abs(t - at) <= 4 * HALF
    if not np.isfinite(tau[around]).all():
        return bool(np.abs(jump).max() > WITHOUT_TORQUE)
    dynamics = ArmDynamics(robot)
    left = []
    rows = [dynamics(a, b) for a, b in zip(q[around], dq[around], strict=True)]
    for motors in robot.motor_inertias.values():
        rates = [
            np.linalg.solve(row.M + np.diag(motors), torque - row.h)
            for row, torque in zip(rows, tau[around], strict=True)
        ]
        left.append(np.abs(jump - _explained(t[around], np.array(rates), at)).max())
    return min(left) > max(JUMP, EXPLAINED * float(np.abs(jump).max()))


def _explained(t: np.ndarray, rates: np.ndarray, at: float) -> np.ndarray:
    """Return the jump that accelerations (k, n) at times (k,) make, shape (n,)."""
    steps = 0.5 * np.diff(t)[:, None] * (rates[1:] + rates[:-1])
    velocity = np.vstack([np.zeros(rates.shape[1]), np.cumsum(steps, axis=0)])
    return np.asarray(_jump(t, velocity, np.array([at]), HALF)[0])
