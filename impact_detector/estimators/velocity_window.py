# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint velocity jump as the difference of two velocities around an impact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_detector.exceptions import EstimateError
from impact_detector.signals.noise import white_noise

BEFORE, AFTER = 0.005, 0.015  # [s]
_LARGEST_GAP = 0.003  # between the samples around an instant [s]
_LEARNT = 0.04  # before contact, where the noise is learnt [s]
_SMALLEST_NOISE = 1e-6  # [rad/s]


@dataclass(frozen=True)
class WindowJump:
    """Result of :func:`window_jump`."""

    jump: np.ndarray  # shape (n,) [rad/s]
    std: np.ndarray  # that sensor noise gives it; vibration not counted, shape (n,) [rad/s]
    samples: int  # that were used


def window_jump(t: np.ndarray, dq: np.ndarray, t_touch: float) -> WindowJump:
    """Return the velocity 15 ms after contact less that 5 ms before it, between samples.

    Wang 2023, section 6.1.1. What the arm does in these 20 ms, and its vibration at the second
    instant, are part of the jump.

    Args:
        t: times, increasing, shape (N,) [s].
        dq: joint velocities, shape (N, n) [rad/s].
        t_touch: first contact [s].

    Raises:
        EstimateError: no samples within 3 ms around one of the instants, or not finite.
    """
    first, first_weights, used_before = _value(t, dq, t_touch - BEFORE)
    second, second_weights, used_after = _value(t, dq, t_touch + AFTER)
    quiet = dq[(t < t_touch) & (t >= t_touch - _LEARNT)]
    noise = white_noise(quiet, _SMALLEST_NOISE)
    factor = float(np.sqrt(first_weights @ first_weights + second_weights @ second_weights))
    return WindowJump(second - first, factor * noise, used_before + used_after)


def _value(t: np.ndarray, dq: np.ndarray, at: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the interpolated row, its two weights and how many samples it used."""
    after = int(np.searchsorted(t, at))
    if not 0 < after < len(t) or t[after] - t[after - 1] > _LARGEST_GAP:
        raise EstimateError(f"velocity window: no samples around {at * 1e3:.1f} ms")
    share = (at - t[after - 1]) / (t[after] - t[after - 1])
    weights = np.array([1.0 - share, share])
    value = weights @ dq[after - 1 : after + 1]
    if not np.isfinite(value).all():
        raise EstimateError(f"velocity window: velocities around {at * 1e3:.1f} ms not finite")
    return value, weights, int(np.count_nonzero(weights))
