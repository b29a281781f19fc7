# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Gross joint velocity right after an impact, by a polynomial fit on joint positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_detector.estimators.velocity_before import polynomial_fit
from impact_detector.exceptions import EstimateError

_LARGEST_GAP = 0.1  # of the window
_COVERAGE = 0.9  # of the window
_TOLERANCE = 1e-9  # rounding of time stamps [s]


@dataclass(frozen=True)
class GrossVelocity:
    """Result of :func:`gross_velocity`."""

    velocity: np.ndarray  # at the impact, vibration taken out, shape (n,) [rad/s]
    fit_rms: np.ndarray  # rms of the residual of each joint, shape (n,) [rad]
    samples: int  # per joint
    window: float  # between the first and the last sample used [s]


def gross_velocity(
    t: np.ndarray, q: np.ndarray, t_impact: float, window: float = 0.1, degree: int = 3
) -> GrossVelocity:
    """Fit a polynomial in t - t_impact to each joint position; its slope at t_impact.

    Rey Arias 2024, section IV-A: least squares
    over [t_impact, t_impact + window], of degree 3 over 100 ms as published.

    Args:
        t: times, increasing, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        t_impact: time of the impact [s].
        window: length of the fit [s].
        degree: of the polynomial, at least 1.

    Raises:
        EstimateError: too few samples, a gap of more than a tenth of the window, or a window that
            is not covered; values that are not finite.
    """
    inside = (t >= t_impact - _TOLERANCE) & (t <= t_impact + window + _TOLERANCE)
    x, positions = np.asarray(t)[inside] - t_impact, np.asarray(q)[inside]
    if degree < 1:
        raise EstimateError(f"gross velocity: expected a degree of at least 1, got {degree}")
    check_samples(x, positions, window, 2 * (degree + 1))
    slope, residual = polynomial_fit(x, positions, degree, window)
    return GrossVelocity(
        velocity=slope,
        fit_rms=np.sqrt(np.mean(residual**2, axis=0)),
        samples=len(x),
        window=float(x[-1] - x[0]),
    )


def check_samples(x: np.ndarray, positions: np.ndarray, window: float, needed: int) -> None:
    """Raise EstimateError unless the samples suffice.

    Args:
        x: times since the beginning of the window, shape (N,) [s].
        positions: shape (N, n) [rad].
        window: its length [s].
        needed: how many samples at least.
    """
    if len(x) < needed:
        raise EstimateError(f"gross velocity: expected at least {needed} samples, got {len(x)}")
    if not np.isfinite(positions).all():
        raise EstimateError("gross velocity: positions are not finite")
    gap = float(np.diff(np.concatenate([[0.0], x])).max())
    if gap > _LARGEST_GAP * window:
        raise EstimateError(f"gross velocity: {gap * 1e3:.1f} ms without a sample in the window")
    if x[-1] < _COVERAGE * window:
        raise EstimateError(
            f"gross velocity: expected {window * 1e3:.0f} ms after the impact, got"
            f" {x[-1] * 1e3:.0f} ms"
        )
