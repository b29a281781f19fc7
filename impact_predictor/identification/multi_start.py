# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Bounded nonlinear least squares from several starts, with progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Residual = Callable[[np.ndarray], np.ndarray]
Progress = Callable[[int, int, float], None]

_STEP = 1e-5  # of the central differences; the unknowns are logarithms
_SAME_COST = 1e-4  # starts agree when their costs do, relative
_SAME_PLACE = 1e-2  # and their unknowns


@dataclass(frozen=True)
class Optimum:
    """The best of the minima that were found."""

    unknowns: np.ndarray  # shape (p,)
    residual: np.ndarray  # shape (n,)
    jacobian: np.ndarray  # of the residual, shape (n, p)
    agreeing: int  # starts that ended here, this one included


def multi_start(
    residual: Residual,
    starts: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    progress: Progress | None = None,
) -> Optimum:
    """Return the least of the minima of |residual|^2 that ``starts`` lead to.

    Args:
        residual: of unknowns (p,), shape (n,).
        starts: shape (k, p).
        lower: bounds, shape (p,).
        upper: bounds, shape (p,).
        progress: called after each start with the number done, k and the best rms so far.
    """
    from scipy.optimize import least_squares  # loads slowly

    def jacobian(unknowns: np.ndarray) -> np.ndarray:
        return _central_differences(residual, unknowns)

    margin = 1e-9 * (upper - lower)
    found = []
    for start in starts:
        inside = np.clip(start, lower + margin, upper - margin)
        found.append(
            least_squares(
                residual, inside, jac=jacobian, bounds=(lower, upper), ftol=1e-10, xtol=1e-10
            )
        )
        if progress is not None:
            least = min(result.cost for result in found)
            progress(len(found), len(starts), float(np.sqrt(2.0 * least / found[-1].fun.size)))
    best = min(found, key=lambda result: result.cost)
    agreeing = sum(
        result.cost <= (1.0 + _SAME_COST) * best.cost
        or bool(np.all(np.abs(result.x - best.x) < _SAME_PLACE))
        for result in found
    )
    return Optimum(best.x, best.fun, jacobian(best.x), agreeing)


def spread_starts(
    guess: np.ndarray, lower: np.ndarray, upper: np.ndarray, number: int, seed: int
) -> np.ndarray:
    """Return ``guess`` and a Latin hypercube over the bounds, shape (number, p)."""
    random = np.random.default_rng(seed)
    cells = np.array([random.permutation(number - 1) for _ in guess]).T.reshape(-1, len(guess))
    share = (cells + random.random(cells.shape)) / max(number - 1, 1)
    return np.vstack([guess, lower + share * (upper - lower)])


def _central_differences(residual: Residual, unknowns: np.ndarray) -> np.ndarray:
    steps = _STEP * np.eye(len(unknowns))
    columns = [residual(unknowns + step) - residual(unknowns - step) for step in steps]
    return np.array(columns).T / (2.0 * _STEP)
