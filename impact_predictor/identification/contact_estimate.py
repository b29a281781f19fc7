# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Result of the identification of a contact, with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag
from types import MappingProxyType

import numpy as np

from impact_predictor.contact_force.contact_law import FreeBodyLaw
from impact_robots.robot import read_only

FLAT = 0.5  # standard error of a logarithm from which a figure counts as not identified
CONFIDENCE = 0.95


class FitFlag(IntFlag):
    """Reasons to distrust a fit."""

    NONE = 0
    AT_BOUND = 1  # a figure is at its bound: it has no standard error
    FLAT = 2  # the force hardly depends on a figure: its 95 % interval spans a factor above 7
    STARTS_DISAGREE = 4  # no second start found the same minimum
    RECORD_INCOMPLETE = 8  # the record ends before the force is gone
    CORRELATED_RESIDUAL = 16  # the model or the sensor leaves structure: intervals are too narrow
    CREATES_ENERGY = 32  # the spring needs a restitution above 1: the model does not fit


@dataclass(frozen=True)
class FigureEstimate:
    """A figure, its standard error and its 95 % interval; NaN where it is at a bound."""

    value: float
    standard_error: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class ContactIdentification:
    """A contact law that was fitted to a recorded force; arrays are read-only."""

    contact_law: str
    law: FreeBodyLaw  # with the figures that were found
    parameters: Mapping[
        str, FigureEstimate
    ]  # of the law; mass and time of contact ("touch") if identified
    stiffness_over_damping: FigureEstimate | None  # k/c: [m/s], Maxwell [1/s]; None for the spring
    restitution: FigureEstimate  # exact, of a free body at this speed
    asymptotic_restitution: float | None  # k/(c|v|), at most 1; visco and hc only
    correlation: np.ndarray  # of the parameters, in their order, shape (p, p)
    rms: float  # of the residual [N]
    time: np.ndarray  # of the record, shape (n,) [s]
    fitted_force: np.ndarray  # at these times, shape (n,) [N]
    residual: np.ndarray  # fitted less recorded force, shape (n,) [N]
    touch: float  # time of contact, on the record's clock as all times here [s]
    compression_end: float  # when the rate is zero [s], infinite if never
    restitution_end: float | None  # when the force falls to 0.5 N or 1 % of the peak [s]
    starts: int
    agreeing_starts: int  # that led to this minimum
    flags: FitFlag

    def __post_init__(self) -> None:
        """Store read-only copies."""
        for name in ("correlation", "time", "fitted_force", "residual"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    @property
    def identifiable(self) -> bool:
        """Whether the record determines every figure."""
        return not self.flags & (FitFlag.AT_BOUND | FitFlag.FLAT)


@dataclass(frozen=True)
class Uncertainty:
    """Covariance of the unknowns, linearised at the optimum."""

    covariance: np.ndarray  # shape (p, p); zero for parameters at a bound
    free: np.ndarray  # which unknowns are not at a bound, shape (p,)
    quantile: float  # half the width of the interval, in standard errors

    @property
    def flat(self) -> bool:
        """Whether an unknown is hardly determined."""
        return bool((np.sqrt(np.diag(self.covariance)) > FLAT).any())

    @property
    def correlation(self) -> np.ndarray:
        """Correlation of the unknowns, shape (p, p), NaN for parameters at a bound."""
        error = np.where(self.free, np.sqrt(np.diag(self.covariance)), np.nan)
        return self.covariance / np.outer(error, error)

    def linear(
        self,
        value: float,
        gradient: np.ndarray,
        unit: str,
        lowest: float = -np.inf,
        highest: float = np.inf,
    ) -> FigureEstimate:
        """Return a function of the unknowns with an interval that is symmetric about it."""
        error = self._error(gradient)
        low, high = value - self.quantile * error, value + self.quantile * error
        if np.isfinite(error):
            low, high = max(low, lowest), min(high, highest)
        return FigureEstimate(value, error, low, high, unit)

    def positive(self, value: float, gradient_of_log: np.ndarray, unit: str) -> FigureEstimate:
        """Return a positive function with an interval that is symmetric in its logarithm."""
        error = self._error(gradient_of_log)
        factor = float(np.exp(min(self.quantile * error, 700.0)))
        return FigureEstimate(value, value * error, value / factor, value * factor, unit)

    def _error(self, gradient: np.ndarray) -> float:
        if (gradient[~self.free] != 0.0).any():
            return float("nan")
        return float(np.sqrt(max(gradient @ self.covariance @ gradient, 0.0)))


def uncertainty(residual: np.ndarray, jacobian: np.ndarray, free: np.ndarray) -> Uncertainty:
    """Return the covariance of least squares with white noise of unknown size.

    Args:
        residual: shape (n,).
        jacobian: of the residual, shape (n, p).
        free: which unknowns are not at a bound, shape (p,).
    """
    degrees = max(len(residual) - int(free.sum()), 1)
    variance = float(residual @ residual) / degrees
    _, sizes, V = np.linalg.svd(jacobian[:, free], full_matrices=False)
    least = np.finfo(float).eps * sizes.max(initial=1e-300)
    scaled = V.T / np.maximum(sizes, least)
    covariance = np.zeros((len(free), len(free)))
    covariance[np.ix_(free, free)] = variance * scaled @ scaled.T
    return Uncertainty(covariance, free, half_interval(degrees))


def half_interval(degrees: int) -> float:
    """Return half of a 95 % interval, in standard errors of so many degrees of freedom (Student's).

    Args:
        degrees: of freedom, at least 1.
    """
    from scipy.special import stdtrit  # loads slowly

    return float(stdtrit(degrees, 0.5 + CONFIDENCE / 2.0))
