# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Gross joint velocity by taking out damped oscillations, fitted by nonlinear least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from impact_detector.estimators.gross_velocity import GrossVelocity, check_samples
from impact_detector.exceptions import EstimateError
from impact_detector.signals.noise import white_noise

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

FREQUENCIES = (8.0, 200.0)  # of a mode [1/s]
DECAYS = (0.5, 300.0)  # b of a mode [1/s]
LARGEST_STD = 8.7e-3  # of a velocity that is believed: 0.5 deg/s [rad/s]
_LARGEST_MISFIT = 5.0  # rms over the white noise
_SMALLEST_NOISE = 1e-8  # [rad]
_AT_BOUND = 1e-3  # in the logarithm
_SEEN = 3.0  # amplitude over noise of a mode that is there
_SAME_COST = 1.05
_SEED = 0


@dataclass(frozen=True)
class OscillationFit(GrossVelocity):
    """Result of :func:`oscillation_fit`; K modes, common to all joints."""

    std: np.ndarray  # of the velocity, shape (n,) [rad/s]
    frequencies: np.ndarray  # w_k / 2 pi, shape (K,) [1/s]
    decays: np.ndarray  # b_k, shape (K,) [1/s]
    problems: tuple[str, ...]  # reasons not to believe it; empty if there are none


def oscillation_fit(
    t: np.ndarray,
    q: np.ndarray,
    t_start: float,
    window: float = 0.1,
    modes: int = 1,
    starts: int = 4,
) -> OscillationFit:
    r"""Fit trend and damped oscillations to joint positions; the trend's velocity at ``t_start``.

    Own derivation (doc/theory.md): with x = t - t_start

    .. math:: \dot q(x) = a_0 + a_1 x + \sum_k A_k e^{-b_k x} \cos(w_k x + \phi_k),

    integrated once, because positions are known a hundred times better than velocities. b and w
    belong to the arm and are common to all joints; amplitudes, phases and trend differ by joint
    and follow by linear least squares (variable projection). Several starts: one from the spectrum,
    the others drawn with a fixed seed. Start at the release: during the contact the arm moves
    otherwise.

    Args:
        t: times, increasing, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        t_start: when the fit begins [s].
        window: length of the fit [s].
        modes: K, at least 1.
        starts: at least 1.

    Raises:
        EstimateError: missing samples as for :func:`gross_velocity`, or no start converges.
    """
    inside = (t >= t_start - 1e-9) & (t <= t_start + window + 1e-9)
    x, positions = np.asarray(t)[inside] - t_start, np.asarray(q)[inside]
    check_samples(x, positions, window, 2 + 4 * modes)
    noise = white_noise(positions, _SMALLEST_NOISE)
    Y = (positions - positions[0]) / noise
    found = _search(x, Y, modes, starts)
    optimum = min(found, key=lambda each: each.cost)
    basis = _basis(x, optimum.x)
    coefficients = np.linalg.lstsq(basis, Y, rcond=None)[0]
    residual = Y - basis @ coefficients
    degrees = max(len(x) - basis.shape[1], 1)
    scale = np.maximum(np.sqrt(np.square(residual).sum(axis=0) / degrees), 1.0)  # of the noise
    std = noise * scale * _std(x, Y, optimum, scale)
    agreeing = sum(each.cost <= _SAME_COST * optimum.cost + 1.0 for each in found)
    return OscillationFit(
        velocity=coefficients[1] * noise,
        fit_rms=noise * np.sqrt(np.mean(residual**2, axis=0)),
        samples=len(x),
        window=float(x[-1] - x[0]),
        std=std,
        frequencies=np.exp(optimum.x[:modes]) / (2 * np.pi),
        decays=np.exp(optimum.x[modes:]),
        problems=_problems(optimum.x, coefficients, scale, std, starts > 1 and agreeing < 2),
    )


def _basis(x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return position, velocity and acceleration of the trend, then cos and sin of each mode."""
    columns = [np.ones_like(x), x, x**2 / 2]
    for log_w, log_b in p.reshape(2, -1).T:
        decay, phase = np.exp(-np.exp(log_b) * x), np.exp(log_w) * x
        columns += [decay * np.cos(phase), decay * np.sin(phase)]
    return np.column_stack(columns)


def _bounds(modes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and greatest logarithms of w and b, shape (2K,) each."""
    low, high = (2 * np.pi * frequency for frequency in FREQUENCIES)
    return (
        np.log(np.repeat([low, DECAYS[0]], modes)),
        np.log(np.repeat([high, DECAYS[1]], modes)),
    )


def _search(x: np.ndarray, Y: np.ndarray, modes: int, starts: int) -> list[OptimizeResult]:
    """Return what each start led to.

    Raises:
        EstimateError: no start converged.
    """
    from scipy.optimize import least_squares  # loads slowly

    lower, upper = _bounds(modes)

    def residual(p: np.ndarray) -> np.ndarray:
        Q, _ = np.linalg.qr(_basis(x, p))
        return (Y - Q @ (Q.T @ Y)).ravel()

    drawn = np.random.default_rng(_SEED).uniform(lower, upper, (max(starts, 1), len(lower)))
    drawn[0] = np.clip(_from_spectrum(x, Y, modes), lower + 1e-6, upper - 1e-6)
    options = {"bounds": (lower, upper), "max_nfev": 40, "xtol": 1e-5, "ftol": 1e-5}
    found = [least_squares(residual, start, **options) for start in drawn]
    usable = [each for each in found if np.isfinite(each.cost)]
    if not usable:
        raise EstimateError("oscillation: no start converged")
    return usable


def _from_spectrum(x: np.ndarray, Y: np.ndarray, modes: int) -> np.ndarray:
    """Return a first guess from the largest lines of the detrended spectrum, shape (2K,)."""
    trend = np.vander(x, 3)
    left = Y - trend @ np.linalg.lstsq(trend, Y, rcond=None)[0]
    candidates = np.geomspace(*FREQUENCIES, 60)
    lines = np.exp(-2j * np.pi * candidates[:, None] * x) @ left
    power = np.square(np.abs(lines)).sum(axis=1)
    chosen = [int(np.argmax(power))]
    while len(chosen) < modes:
        apart = np.abs(np.arange(60)[:, None] - np.array(chosen)).min(axis=1) > 8
        chosen.append(int(np.argmax(np.where(apart, power, -1.0))))
    return np.log(np.concatenate([2 * np.pi * candidates[chosen], np.full(modes, 30.0)]))


def _std(x: np.ndarray, Y: np.ndarray, optimum: OptimizeResult, scale: np.ndarray) -> np.ndarray:
    """Return the standard deviation of each joint's velocity over its noise, shape (n,) [1/s].

    The part of the linear fit, and that of the modes through it.
    """
    p, step = optimum.x, 1e-4
    basis = _basis(x, p)
    linear = np.linalg.pinv(basis.T @ basis)[1, 1]
    gradient = np.array(
        [
            (_velocity(x, Y, p + d) - _velocity(x, Y, p - d)) / (2 * step)
            for d in step * np.eye(len(p))
        ]
    )  # shape (2K, n)
    weighted = optimum.jac / np.tile(scale, len(x))[:, None]
    modes = np.linalg.pinv(weighted.T @ weighted, rcond=1e-12)
    through = np.einsum("in,ij,jn->n", gradient, modes, gradient)
    return np.sqrt(linear + np.maximum(through, 0.0) / scale**2)


def _velocity(x: np.ndarray, Y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the velocity of the linear fit with modes p, shape (n,)."""
    return np.linalg.lstsq(_basis(x, p), Y, rcond=None)[0][1]


def _problems(
    p: np.ndarray, coefficients: np.ndarray, scale: np.ndarray, std: np.ndarray, alone: bool
) -> tuple[str, ...]:
    """Return the reasons to reject a fit."""
    modes = len(p) // 2
    amplitude = np.abs(coefficients[3:].reshape(modes, -1)).max(axis=1)
    lower, upper = _bounds(modes)
    bounded = (p > upper - _AT_BOUND) | ((p < lower + _AT_BOUND) & (np.arange(2 * modes) < modes))
    conditions = {
        "residual": bool(scale.max() > _LARGEST_MISFIT),
        "uncertain": bool(not (std <= LARGEST_STD).all()),
        "mode at its bound": bool((bounded.reshape(2, -1).any(axis=0) & (amplitude > _SEEN)).any()),
        "starts disagree": alone and bool((amplitude > _SEEN).any()),
    }
    return tuple(name for name, holds in conditions.items() if holds)
