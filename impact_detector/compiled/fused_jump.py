# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""The statistic of the fused detector, compiled: learnt noise and whitened jump.

Symmetric matrices are read in their upper triangle.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from impact_detector.signals.noise import LEAST
from impact_robots.compiling.compiled import cached, part_with
from impact_robots.compiling.small_algebra import backward, factor, forward

WINDOWS = 2  # a jump is summed over 1, and over up to so many samples
DELAY = 4  # samples between the windows and what the bias is learnt from
LEARNT = 1000.0  # samples in which the noise is learnt
CLIPPED = 9.0  # times the noise so far, beyond which a jump is not learnt [-]
TIME = 0  # column of rows of time and jump

compiled, part = cached(), part_with()


class Jumps(NamedTuple):
    """Memory and work arrays of the statistic for n joints, all overwritten."""

    measured: np.ndarray  # velocities [rad/s] and torques [N.m] of this sample, shape (2, n)
    before: np.ndarray  # velocities and net torques of the last one, shape (2, n)
    recent: np.ndarray  # time [s] and y [rad/s] of the last samples, a ring, (6, 1 + n)
    quiet: np.ndarray  # the same of the bias, a ring, shape (N, 1 + n)
    counts: np.ndarray  # samples that went into ``recent`` and ``quiet``, integers, shape (2,)
    noise: np.ndarray  # variance of each joint's jump over the expected one, shape (n,) [-]
    work: np.ndarray  # shape (4, n, n)
    rows: np.ndarray  # shape (4, n)


def no_jumps(joints: int, bias_samples: int) -> Jumps:
    """Return the memory of a detector without samples.

    Args:
        joints: n.
        bias_samples: N, over which the bias is learnt.
    """
    n = joints
    return Jumps(
        np.zeros((2, n)),
        np.zeros((2, n)),
        np.zeros((WINDOWS + DELAY, 1 + n)),
        np.zeros((bias_samples, 1 + n)),
        np.zeros(2, dtype=np.int64),
        np.ones(n),
        np.zeros((4, n, n)),
        np.zeros((4, n)),
    )


@part
def invert(M: np.ndarray, L: np.ndarray, mobility: np.ndarray) -> None:
    """Write the inverse of M, shape (n, n); L is memory for its factor."""
    factor(M.T, L)
    mobility[:] = 0.0
    for i in range(len(M)):
        mobility[i, i] = 1.0
        forward(L, mobility[i])
        backward(L, mobility[i])


@part
def remember(jumps: Jumps, dt: float, mobility: np.ndarray, net_torque: np.ndarray) -> None:
    """Write the jump y between the last sample and this one, ``dt`` [s] apart, into the ring."""
    recent, quiet, counts = jumps.recent, jumps.quiet, jumps.counts
    place = recent[counts[0] % len(recent)]
    if counts[0] >= len(recent):  # the overwritten sample is old enough for the bias
        for i in range(len(place)):
            quiet[counts[1] % len(quiet), i] = place[i]
        counts[1] += 1
    counts[0] += 1
    place[TIME] = dt
    for i in range(len(net_torque)):
        gained = 0.0
        for j in range(len(net_torque)):
            gained += mobility[i, j] * (net_torque[j] + jumps.before[1, j])
        place[1 + i] = jumps.measured[0, i] - jumps.before[0, i] - dt / 2.0 * gained


@part
def whitened(jumps: Jumps, mobility: np.ndarray, velocity: float, torque: float) -> float:
    """Return the largest norm over the windows, and learn the noise.

    Args:
        jumps: of the last samples.
        mobility: inverse of the mass matrix, shape (n, n).
        velocity: variance of its noise [rad^2/s^2].
        torque: variance of its noise [N^2.m^2].
    """
    n, recent, noise = len(jumps.noise), jumps.recent, jumps.noise
    by_torque, covariance, L = jumps.work[1], jumps.work[2], jumps.work[3]
    drift, jump, white, learnt = jumps.rows
    span = np.sum(jumps.quiet[:, TIME])
    drift[:] = 0.0
    for k in range(len(jumps.quiet)):
        for i in range(n):
            drift[i] += jumps.quiet[k, 1 + i]
    for i in range(n):
        for j in range(i, n):
            by_torque[i, j] = 0.0
            for k in range(n):
                by_torque[i, j] += mobility[i, k] * mobility[j, k]
    largest, time = 0.0, 0.0
    jump[:] = 0.0
    for window in range(1, WINDOWS + 1):
        row = recent[(jumps.counts[0] - window) % len(recent)]
        time += row[TIME]
        of_torque = (time / window) ** 2 * (window - 0.5) * torque
        of_velocity = 2.0 * (1.0 + (time / span) ** 2) * velocity
        for i in range(n):
            jump[i] += row[1 + i]
            for j in range(i, n):
                covariance[i, j] = of_torque * by_torque[i, j]
            covariance[i, i] += of_velocity
            rest = jump[i] - time * drift[i] / span
            white[i] = rest / sqrt(noise[i])
            learnt[i] = rest * rest / covariance[i, i]
        factor(covariance.T, L)
        forward(L, white)
        squared = 0.0
        for i in range(n):
            squared += white[i] * white[i]
        largest = max(largest, sqrt(squared))
    for i in range(n):  # clipped, so that an impact is not learnt
        learnt[i] = min(learnt[i], CLIPPED * noise[i])
        noise[i] = max(LEAST, noise[i] + (learnt[i] - noise[i]) / LEARNT)
    return largest


@compiled
def statistic(
    jumps: Jumps, M: np.ndarray, h: np.ndarray, dt: float, velocity: float, torque: float
) -> float:
    """Return the whitened jump of ``jumps.measured``, NaN while it is not known, and learn from it.

    Args:
        jumps: so far.
        M: mass matrix, its upper triangle, shape (n, n) [kg.m^2].
        h: Coriolis and gravity torque, shape (n,) [N.m].
        dt: time since the last sample [s]; 0: there is none to compare with.
        velocity: variance of its noise [rad^2/s^2].
        torque: variance of its noise [N^2.m^2].
    """
    mobility = jumps.work[0]
    net_torque = jumps.rows[0]
    invert(M, jumps.work[3], mobility)
    for i in range(len(h)):
        net_torque[i] = jumps.measured[1, i] - h[i]
    if dt > 0.0:
        remember(jumps, dt, mobility, net_torque)
    else:
        jumps.counts[0] = 0
    for i in range(len(h)):
        jumps.before[0, i], jumps.before[1, i] = jumps.measured[0, i], net_torque[i]
    if jumps.counts[0] < WINDOWS or jumps.counts[1] < len(jumps.quiet):
        return nan
    return whitened(jumps, mobility, velocity, torque)
