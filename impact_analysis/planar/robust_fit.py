# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Fits a model to measured impacts so that a few bad measurements do not matter.

Minimised is the sum of sqrt(1 + r^2) - 1 over impacts and components, r = error/scale: about
r^2/2 for small errors, |r| for large ones (scipy's "soft_l1").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import numpy as np

from impact_analysis.planar.planar_model import Parameter
from impact_bags.exceptions import AnalysisError

SEARCHES = 4  # for the best fit
_STEP = 1e-3  # of a difference quotient, relative: a contact that begins to slip makes a kink


class Measured(Protocol):
    """N measured impacts, of ``c`` components each."""

    @property
    def after(self) -> np.ndarray:
        """Velocities after, shape (N, c)."""

    def __len__(self) -> int: ...

    def take(self, rows: np.ndarray) -> Any:
        """Return the impacts of these rows."""


class Fittable(Protocol):
    """What can be fitted, such as a :class:`~impact_analysis.planar.planar_model.Model`."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The m numbers that are fitted."""

    def predict(self, parameters: np.ndarray, impacts: Any) -> np.ndarray:
        """Return velocities after, shape (..., N, c), by parameters of shape (..., m)."""


@dataclass(frozen=True)
class Fit:
    """Parameters that fit best."""

    parameters: np.ndarray  # shape (m,)
    cost: float  # mean per impact and component


def fit(model: Fittable, impacts: Measured, scale: np.ndarray) -> Fit:
    """Return the best fit of a few searches, from those starts that fit best.

    Friction that stops every slip has no slope, so a search must not begin there.

    Args:
        model: m parameters.
        impacts: N impacts.
        scale: error in each component that counts as 1, shape (c,).

    Raises:
        AnalysisError: a prediction is not a finite number.
    """
    starts = np.array([*product(*(item.starts for item in model.parameters))])
    r = (model.predict(starts, impacts) - impacts.after) / scale
    with np.errstate(over="ignore"):
        cost = (np.sqrt(1 + r * r) - 1).mean(axis=(1, 2))
    if not np.isfinite(cost).all():
        raise AnalysisError(
            f"{model.name}: predictions overflow; expected SI units in the data set"
        )
    chosen = starts[np.argsort(cost, kind="stable")[:SEARCHES]]
    return min((search(model, impacts, scale, x) for x in chosen), key=lambda found: found.cost)


def search(
    model: Fittable,
    impacts: Measured,
    scale: np.ndarray,
    start: np.ndarray,
    precision: float = 1e-6,
) -> Fit:
    """Return the best fit near a start, shape (m,), of a relative ``precision``."""
    from scipy.optimize import least_squares  # loads slowly

    low, high, unit = _bounds(model)
    steps = _STEP * np.maximum(np.abs(start / unit), 0.1)

    def residuals(x: np.ndarray) -> np.ndarray:
        return ((model.predict(x * unit, impacts) - impacts.after) / scale).ravel()

    def jacobian(x: np.ndarray) -> np.ndarray:
        step = np.where(x + steps > high / unit, -steps, steps)
        predicted = model.predict(np.vstack([x, x + np.diag(step)]) * unit, impacts)
        change = (predicted[1:] - predicted[0]) / scale
        return (change.reshape(len(x), -1) / step[:, None]).T

    found = least_squares(
        residuals,
        np.clip(start, low, high) / unit,
        jacobian,
        bounds=(low / unit, high / unit),
        loss="soft_l1",
        ftol=precision,
        xtol=precision,
    )
    return Fit(found.x * unit, float(found.cost) / found.fun.size)


def bootstrap(
    model: Fittable,
    impacts: Measured,
    scale: np.ndarray,
    found: Fit,
    rng: np.random.Generator,
    samples: int,
) -> Iterator[np.ndarray]:
    """Yield the parameters that fit resampled impacts, each of shape (m,).

    Searched from the best fit on.
    """
    for _ in range(samples):
        rows = rng.integers(len(impacts), size=len(impacts))
        yield search(model, impacts.take(rows), scale, found.parameters, 1e-4).parameters


def _bounds(model: Fittable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return lower and upper bounds and a typical size of the parameters, each of shape (m,)."""
    low = np.array([item.low for item in model.parameters])
    high = np.array([item.high for item in model.parameters])
    start = np.array([max(np.abs(item.starts)) for item in model.parameters])
    return low, high, np.where(start > 0.0, start, (high - low) / 10)
