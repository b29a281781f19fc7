# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""What the balance of momentum says about measured impacts: the inertia ratio, and lever signs.

The linear velocities give both impulses per mass, whatever the contact law:
dv = n P_n + d P_t. With the levers l_n and l_d of the contact rows they must turn the body,

    rho dw = l_n P_n + l_d P_t,        rho = I/m > 0,

so that dw over the right hand side has the slope 1/rho. Levers whose signs do not belong together
miss dw; levers that both have the wrong sign, or a w that counts the other way, give rho < 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_analysis.planar.planar_impacts import LeverSigns, PlanarImpacts
from impact_detector.signals.noise import STD_OF_MEDIAN

RESAMPLED = 200  # of the bootstrap
INTERVAL = (0.025, 0.975)
CLEAR = 0.9  # of the other signs' residual, below which a residual decides
_CERTAIN = (0.005, 0.995)  # quantiles of resampled data that must agree
_ROUND = 0.05  # a normal's lever below this share of the tangent's hardly turns the body
_FAR = 3.0  # times the median of x
_STEPS = 20  # of the robust slope


@dataclass(frozen=True)
class Inertia:
    """The inertia ratio of a body."""

    ratio: float  # I/m [m^2]
    interval: tuple[float, float]  # 95 %, bootstrap [m^2]


def inertia_ratio(impacts: PlanarImpacts, seed: int = 0) -> Inertia:
    """Return the inertia ratio I/m of impacts whose levers have the right signs.

    Args:
        impacts: N impacts.
        seed: of the bootstrap.
    """
    turn, dw = _turning(impacts, 1), (impacts.after - impacts.before)[:, 2]
    rows = _resampled(len(dw), seed)
    slope, _ = _robust_slope(turn, dw)
    drawn, _ = _robust_slope(turn[rows], dw[rows])
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = np.quantile(1 / drawn, INTERVAL)
        return Inertia(float(1 / slope), (float(low), float(high)))


def lever_signs(impacts: PlanarImpacts) -> LeverSigns:
    """Return the signs of the levers that the measured velocities want.

    Args:
        impacts: N impacts, levers in any sign, the same for all of them.
    """
    dw = (impacts.after - impacts.before)[:, 2]
    turns = {sign: _turning(impacts, sign) for sign in (1, -1)}
    fits = {sign: _robust_slope(turn, dw) for sign, turn in turns.items()}
    # a round body's normal has no lever: both leave the same
    tangent = 1 if _is_round(impacts) else min(fits, key=lambda sign: float(fits[sign][1]))
    rows = _resampled(len(dw), 0)
    slopes, residuals = _robust_slope(turns[tangent][rows], dw[rows])
    _, others = _robust_slope(turns[-tangent][rows], dw[rows])
    low, high = np.quantile(slopes, _CERTAIN)
    body = 1 if low > 0.0 else -1
    residual, other = (float(fits[sign][1]) for sign in (tangent, -tangent))
    if _is_round(impacts):
        return LeverSigns(1, body * tangent, residual, None, bool(low * high > 0.0))
    clear = low * high > 0.0 and np.quantile(residuals / others, _CERTAIN[1]) < CLEAR
    return LeverSigns(body, body * tangent, residual, other, bool(clear))


def _turning(impacts: PlanarImpacts, sign: int) -> np.ndarray:
    """Return l_n P_n + sign l_d P_t per mass, shape (N,) [m^2/s]."""
    frame = np.stack([impacts.normal[:, :2], impacts.tangent[:, :2]], axis=-1)
    change = (impacts.after - impacts.before)[:, :2, None]
    P_n, P_t = np.linalg.solve(frame, change)[..., 0].T
    return impacts.normal[:, 2] * P_n + sign * impacts.tangent[:, 2] * P_t


def _is_round(impacts: PlanarImpacts) -> bool:
    """Whether the contact is always below the centre, as that of a disk."""
    beside, down = (np.median(np.abs(row[:, 2])) for row in (impacts.normal, impacts.tangent))
    return bool(beside < _ROUND * down)


def _robust_slope(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return slopes of y over x through the origin, and robust deviations of what they leave.

    By iterated weights: those of the loss of `robust_fit`, times a bound on far x, so that neither
    a bad y nor a bad x moves the slope much.

    Args:
        x: shape (..., N).
        y: shape (..., N).
    """
    tiny = np.finfo(float).tiny
    typical = np.median(np.abs(x), axis=-1, keepdims=True) + tiny
    near = np.hypot(1.0, x / (_FAR * typical))
    bounded = x / near / near
    slope = np.median(y * np.sign(x), axis=-1) / typical[..., 0]
    floor = 1e-9 * np.median(np.abs(y), axis=-1, keepdims=True) + tiny
    for _ in range(_STEPS):
        left = y - slope[..., None] * x
        scale = STD_OF_MEDIAN * np.median(np.abs(left), axis=-1, keepdims=True) + floor
        weighted = bounded / np.hypot(1.0, left / scale)
        slope = (weighted * y).sum(axis=-1) / ((weighted * x).sum(axis=-1) + tiny)
    return slope, scale[..., 0]


def _resampled(count: int, seed: int) -> np.ndarray:
    """Return rows drawn with replacement, shape (RESAMPLED, count)."""
    return np.random.default_rng([seed, RESAMPLED]).integers(count, size=(RESAMPLED, count))
