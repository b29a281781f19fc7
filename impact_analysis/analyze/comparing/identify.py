# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction and restitution that explain the impacts best, with intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from impact_analysis.analyze.comparing.impacts import Impacts, model_spread
from impact_analysis.analyze.comparing.slip import least_friction, ratios, sliding_friction
from impact_predictor.exceptions import PredictionError
from impact_predictor.prediction.model_error import QUANTILE
from impact_robots.exceptions import OutOfRangeError
from impact_robots.surface import middle

FRICTIONS = np.linspace(0.0, 1.0, 51)
RESTITUTIONS = np.linspace(0.0, 1.0, 41)
MOST = 60  # impacts that are looked at, drawn if there are more
CONTACT: str = "contact"
VELOCITIES: str = "velocities"
ESTIMATES = (CONTACT, VELOCITIES)  # ways to friction and to restitution
_PASSES = 3
_STEP = 1e-3  # of derivatives by coefficients [-]


@dataclass(frozen=True)
class Identified:
    """A coefficient that explains impacts best."""

    value: float  # [-]
    low: float  # of the 95 % interval, errors of the model counted [-]
    high: float
    impacts: int  # that it rests on
    at_bound: bool  # it is an end of the range that was searched
    assumed: bool = False  # given by the user, not identified
    estimate: str = ""  # how: CONTACT or VELOCITIES
    in_models: float = np.nan  # what predictions use where no value is identified [-]

    @property
    def is_known(self) -> bool:
        """Whether the data say more than that it lies somewhere from 0 to 1."""
        return not self.at_bound and self.high - self.low < 1.0

    @property
    def used(self) -> float:
        """What predictions use; 0 where nothing is known [-]."""
        value = self.value if np.isfinite(self.value) else self.in_models
        return value if np.isfinite(value) else 0.0


@dataclass(frozen=True)
class Coefficients:
    """Friction and restitution of one inertia."""

    friction: Identified
    restitution: Identified


def coefficients(
    impacts: Impacts,
    model: str,
    law: str,
    *,
    friction: tuple[float, float] | None = None,
    restitution: tuple[float, float] | None = None,
    estimate: str = CONTACT,
    friction_estimate: str = CONTACT,
    seed: int = 0,
) -> Coefficients:
    """Return friction and restitution of the surface.

    Friction is the ratio of tangential and normal impulse of contacts that slide
    (:mod:`.slip`); as published, and where no impulse was measured, what explains the velocities
    after best (Rey Arias, Weekers, Morganti, Padois, Saccon, RA-L 2024, section IV-C), over a grid,
    refined by a parabola. Where no contact slides for sure there is a lower limit only.

    Restitution is the mean of -v_n^+/v_n^- of the contact point at the release over impacts that
    are neither mixed nor driven; there is none where all are. As published it is what explains the
    velocities of all joints best: then it takes up whatever else is wrong with these velocities.

    Intervals hold errors of the model (:mod:`impact_predictor.prediction.model_error`), of what is
    read off the other coefficient, and the scatter of what is left, in which repetitions of one
    motion count as one: they are wrong in the same way.

    Args:
        impacts: that are to be explained.
        model: inertia of the impact map.
        law: of friction.
        friction: low, high, taken as given; models have their middle [-].
        restitution: the same.
        estimate: of restitution, one of ``ESTIMATES``.
        friction_estimate: the same of friction.
        seed: of the choice of ``MOST`` impacts.
    """
    some = impacts.subset(MOST, seed)
    if not len(some):
        nothing = Identified(np.nan, np.nan, np.nan, 0, at_bound=False)
        return Coefficients(_given(friction) or nothing, _given(restitution) or nothing)
    measured = _measured(some)
    if restitution is None and estimate == CONTACT and np.isfinite(measured).any():
        e = float(np.clip(np.nanmean(measured), 0.0, 1.0))
        mu = _best_friction(some, model, e, law) if friction is None else middle(friction)
        changes, ratios = model_spread(some, model, mu, e, law)
        found_e = _by_contact(some, measured, e, ratios)
    else:
        mu, e = _by_velocities(some, model, law, friction, restitution)
        changes, _ = model_spread(some, model, mu, e, law)
        fitted = _fitted(some, model, law, mu, e, changes, VELOCITIES)
        withheld = Identified(np.nan, np.nan, np.nan, 0, False, False, CONTACT, fitted.value)
        found_e = _given(restitution) or (fitted if estimate == VELOCITIES else withheld)
    half_e = finite(0.5 * (found_e.high - found_e.low), 0.5)
    found_mu = _given(friction) or _fitted(some, model, law, mu, e, changes, "", half_e)
    if friction is None and friction_estimate == CONTACT:
        found_mu = _by_impulses(some, found_mu)
    return Coefficients(found_mu, found_e)


def _by_impulses(impacts: Impacts, fitted: Identified) -> Identified:
    """Return friction by measured impulses; without any, as fitted if contacts slide for sure."""
    found = ratios(impacts)
    if (sliding := sliding_friction(found)) is not None:
        return Identified(*sliding, at_bound=False, estimate=CONTACT)
    if not np.isfinite(found.value).any() and found.slides.any():
        return fitted
    least = least_friction(found)
    return replace(fitted, value=max(least, fitted.value), low=least, high=np.inf, at_bound=False)


def finite(value: float, otherwise: float = 0.0) -> float:
    """Return a value, another one for one that is not finite."""
    return value if np.isfinite(value) else otherwise


def _given(bounds: tuple[float, float] | None) -> Identified | None:
    if bounds is None:
        return None
    return Identified(middle(bounds), *bounds, 0, at_bound=False, assumed=True)


def _measured(impacts: Impacts) -> np.ndarray:
    """Return the restitution that each impact shows by itself, NaN if it does not, (k,)."""
    return np.array([item.own_restitution for item in impacts.items])


def _best_friction(impacts: Impacts, model: str, restitution: float, law: str) -> float:
    costs = [_cost(impacts, model, value, restitution, law) for value in FRICTIONS]
    return _bottom(FRICTIONS, np.array(costs))


def _by_velocities(
    impacts: Impacts,
    model: str,
    law: str,
    friction: tuple[float, float] | None,
    restitution: tuple[float, float] | None,
) -> tuple[float, float]:
    """Return both coefficients, one after the other as often as they depend on each other."""
    mu, e = middle(friction or (0.0, 0.0)), middle(restitution or (0.0, 0.0))
    for _ in range(_PASSES):
        if friction is None:
            mu = _best_friction(impacts, model, e, law)
        if restitution is None:
            costs = [_cost(impacts, model, mu, value, law) for value in RESTITUTIONS]
            e = _bottom(RESTITUTIONS, np.array(costs))
        if friction is not None or restitution is not None:
            break
    return mu, e


def _cost(impacts: Impacts, model: str, friction: float, restitution: float, law: str) -> float:
    """Return the squared error of all velocities, infinite where there is no solution."""
    try:
        return float((impacts.errors(model, friction, restitution, law) ** 2).sum())
    except (PredictionError, OutOfRangeError):
        return float("inf")


def _bottom(grid: np.ndarray, costs: np.ndarray) -> float:
    """Return where costs (m,) over a grid (m,) are lowest, by a parabola through three."""
    inner = int(np.clip(costs.argmin(), 1, len(grid) - 2))
    left, middle, right = costs[inner - 1 : inner + 2]
    curvature = left - 2 * middle + right
    shift = 0.5 * (left - right) / curvature if np.isfinite(curvature) and curvature > 0.0 else 0.0
    found = grid[inner] + (grid[1] - grid[0]) * np.clip(shift, -1.0, 1.0)
    return float(np.clip(found, grid[0], grid[-1]))


def _by_contact(
    impacts: Impacts, measured: np.ndarray, value: float, ratios: np.ndarray
) -> Identified:
    """Return the mean of what each impact shows, with its interval."""
    known = np.isfinite(measured)
    of_model = ratios[:, known].mean(axis=1)
    groups = np.array([item.group for item in impacts.items])[known]
    scatter = _scatter_of_mean(measured[known], groups)
    vibration = np.array([item.restitution_std for item in impacts.items])[known]
    vibration = vibration[np.isfinite(vibration)]
    shared = float(vibration.mean()) if vibration.size else 0.0  # more impacts do not reduce it
    parts = (*of_model, QUANTILE * scatter, QUANTILE * shared)
    half = float(np.linalg.norm(parts))
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Identified(value, low, high, int(known.sum()), value in (0.0, 1.0), estimate=CONTACT)


def _scatter_of_mean(values: np.ndarray, groups: np.ndarray) -> float:
    """Return the standard deviation of a mean, the larger of those by values and by groups."""
    found = 0.0
    for each in (values, np.array([values[groups == name].mean() for name in set(groups)])):
        if len(each) > 1:
            found = max(found, float(each.std(ddof=1)) / np.sqrt(len(each)))
    return found


def _fitted(
    impacts: Impacts,
    model: str,
    law: str,
    mu: float,
    e: float,
    changes: np.ndarray,
    estimate: str,
    half_other: float = 0.0,
) -> Identified:
    """Return friction, or restitution if ``estimate`` names its estimate, with its interval.

    Least squares to first order: an error of the model, or of the other coefficient, that changes
    predictions by d moves the coefficient by -s.d/s.s, s the predictions' slope over it. Where all
    contacts stick any larger friction does the same: the interval is open, and begins where it
    does for the largest friction with which something slides.
    """
    by_mu = _slope(impacts, model, law, (mu, e), 0)
    by_e = _slope(impacts, model, law, (mu, e), 1)
    slope, other, value, grid = (
        (by_e, by_mu, e, RESTITUTIONS) if estimate else (by_mu, by_e, mu, FRICTIONS)
    )
    power = float((slope**2).sum())
    count, at_bound = len(impacts), _is_end(grid, value)
    if not power > 0.0:
        if estimate or value <= grid[0]:
            return Identified(value, 0.0, np.inf, count, at_bound, estimate=estimate)
        less = max(0.0, value - float(grid[1] - grid[0]))
        below = _fitted(impacts, model, law, less, e, changes, estimate, half_other)
        return Identified(value, below.low, np.inf, count, at_bound)
    by_model = np.einsum("vkn,kn->v", changes, slope) / power
    by_other = half_other * float((slope * other).sum()) / power
    errors = impacts.errors(model, mu, e, law)
    variance = float((errors**2).mean()) * count / len(impacts.groups) / power
    half = float(np.linalg.norm([*by_model, by_other, QUANTILE * np.sqrt(variance)]))
    low, high = max(0.0, value - half), value + half
    return Identified(value, low, high, count, at_bound, estimate=estimate)


def _slope(
    impacts: Impacts, model: str, law: str, at: tuple[float, float], which: int
) -> np.ndarray:
    """Return how predicted velocities change with friction (0) or restitution (1), (k, n)."""
    ends = [np.array(at), np.array(at)]
    ends[0][which] = max(0.0, at[which] - _STEP)
    ends[1][which] = at[which] + _STEP if which == 0 else min(1.0, at[which] + _STEP)
    low, high = (impacts.predicted(model, float(end[0]), float(end[1]), law) for end in ends)
    return np.asarray((high - low) / (ends[1][which] - ends[0][which]))


def _is_end(grid: np.ndarray, value: float) -> bool:
    step = grid[1] - grid[0]
    return not grid[0] + 0.1 * step < value < grid[-1] - 0.1 * step
