# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Time of contact, refined backwards from the kink in measured joint motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_detector.exceptions import EstimateError
from impact_detector.signals.noise import white_noise

BEFORE = 0.04  # fitted before the detection [s]
ENDS = (1e-3, 0.0, -1e-3, -2e-3)  # ends of the fit after the detection, in order of trial [s]
LEARNT = 0.2  # before the detection, where noise is learnt [s]
EARLIEST = 0.01  # contact before the detection [s]
STEP = 5e-5  # of the search [s]
SHAPES = np.linspace(-2.0 / 3.0, 0.0, 7)  # r: the force at the end is 1 + 3 r / 2 of linear [-]
SHAPE_STD = 2.5e-4  # error of the result by nonlinear contact laws [s]
_LARGEST_CHI = 1.35  # chi^2 per degree of freedom of an accepted fit
_SMALLEST_GAIN = 30.0  # of chi^2 by the kink; noise gives less
_SMALLEST_NOISE = (1e-7, 1e-5)  # of positions [rad] and velocities [rad/s]
_FEWEST = 15  # samples before the detection


class ContactTime(NamedTuple):
    """Time of contact and its uncertainty."""

    time: float  # [s]
    std: float  # standard deviation [s]


class _Signal(NamedTuple):
    """Positions above velocities, each divided by its noise."""

    x: np.ndarray  # time since the detection, shape (m,) [s]
    values: np.ndarray  # shape (2m, n)
    noise: tuple[float, float]  # [rad], [rad/s]

    def rows(self, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Return a curve and its derivative, (..., m), as columns of the fit, (..., 2m)."""
        return np.concatenate([position / self.noise[0], velocity / self.noise[1]], axis=-1)


def contact_time(t: np.ndarray, q: np.ndarray, dq: np.ndarray, t_detection: float) -> ContactTime:
    """Fit a parabola with a kink to positions and velocities; return the time of the kink.

    Just after contact, the force grows in proportion to the penetration, hence to time, and slower
    later. So joint velocities leave their line like u^2 + r u^3, with u = (t - t_0)/(end - t_0),
    r from -2/3 to 0, t_0 common to all joints and one amplitude per joint. The fit ends 1 ms after
    the detection, or earlier if chi^2 rejects this shape. The noise is estimated before contact.

    Args:
        t: times, increasing, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        dq: joint velocities, shape (N, n) [rad/s].
        t_detection: of the sample that detected the impact [s].

    Raises:
        EstimateError: too few samples before the detection, or no such kink.
    """
    for end in ENDS:
        signal = _signal(t - t_detection, q, dq, end)
        starts = np.arange(-EARLIEST, end - 1e-3 + STEP / 2, STEP)
        base, misfit = _misfit(signal, starts, end)
        best = float(misfit.min())
        m, n = signal.values.shape
        scale = max(best / (m * n - 4 * n - 2), 1.0)
        if scale > _LARGEST_CHI or base - best < _SMALLEST_GAIN:
            continue
        likely = starts[misfit <= best + scale]
        if not likely.size:  # the best fit is not finite
            continue
        std = float(np.hypot((likely[-1] - likely[0]) / 2, SHAPE_STD))
        return ContactTime(t_detection + float(starts[int(np.argmin(misfit))]), std)
    raise EstimateError("touch time: no kink in joint motion before the detection")


def _signal(x: np.ndarray, q: np.ndarray, dq: np.ndarray, end: float) -> _Signal:
    """Return the signals to fit, up to ``end`` [s] after the detection."""
    chosen = (x >= -BEFORE) & (x <= end + STEP / 2)
    quiet = (x >= -LEARNT) & (x < -EARLIEST)
    if np.count_nonzero(quiet) < _FEWEST:
        raise EstimateError("touch time: too few samples before the detection")
    noise = (
        float(np.median(white_noise(q[quiet], _SMALLEST_NOISE[0]))),
        float(np.median(white_noise(dq[quiet], _SMALLEST_NOISE[1]))),
    )
    values = np.vstack([q[chosen] / noise[0], dq[chosen] / noise[1]])
    return _Signal(x[chosen], values, noise)


def _misfit(signal: _Signal, starts: np.ndarray, end: float) -> tuple[float, np.ndarray]:
    """Return chi^2 without a kink, and with the best one at each of the starts, shape (s,)."""
    s = signal.x / BEFORE
    one, zero = np.ones_like(s), np.zeros_like(s)
    smooth = np.stack(
        [
            signal.rows(one, zero),
            signal.rows(s, one / BEFORE),
            signal.rows(s**2, 2 * s / BEFORE),
        ],
        axis=1,
    )
    Q, _ = np.linalg.qr(smooth)
    left = signal.values - Q @ (Q.T @ signal.values)
    length = (end - starts)[:, None]
    u = np.clip(signal.x - starts[:, None], 0.0, None) / length
    second, third = (signal.rows(length * u ** (k + 1) / (k + 1), u**k)[:, None, :] for k in (2, 3))
    kink = second + SHAPES[:, None] * third  # shape (s, r, 2m)
    kink = kink - (kink @ Q) @ Q.T
    size = np.maximum(np.square(kink).sum(axis=-1), np.finfo(float).tiny)
    explained = (np.square(kink @ left).sum(axis=-1) / size).max(axis=1)
    base = float(np.square(left).sum())
    return base, base - explained
