# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction, restitution and contact law that explain the impacts best, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_analysis.analyze.comparison import Impacts, interval, resampled
from impact_analysis.analyze.measured import MeasuredImpact
from impact_predictor.contact_identification import identify_contact
from impact_predictor.exceptions import PredictionError

FRICTIONS = np.linspace(0.0, 1.0, 51)
RESTITUTIONS = np.linspace(0.0, 1.0, 41)
MOST = 60  # impacts that are looked at, drawn if there are more
LAWS = ("visco", "hc", "ehc", "maxwell")
_PASSES = 3
_POINTS = 200  # of a force that a law is fitted to
_FEW = 5  # impacts with an interval


@dataclass(frozen=True)
class Identified:
    """A coefficient that explains impacts best."""

    value: float  # [-]
    low: float  # of the bootstrap interval [-]
    high: float
    impacts: int  # that it rests on
    at_bound: bool  # it is an end of the range that was searched
    assumed: bool = False  # given by the user, not identified


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
    friction: float | None = None,
    restitution: float | None = None,
    seed: int = 0,
) -> Coefficients:
    """Return both coefficients with the least squared error of the velocities after (P1 IV-C).

    One after the other over a grid, refined by a parabola; intervals resample the impacts.

    Args:
        impacts: that are to be explained.
        model: inertia of the impact map.
        law: of friction.
        friction: taken as given.
        restitution: taken as given.
        seed: of the resampling.
    """
    some = impacts.subset(MOST, seed)
    mu, e = friction, restitution
    if not len(some):
        nothing = Identified(np.nan, np.nan, np.nan, 0, at_bound=False)
        return Coefficients(_assumed(mu) or nothing, _assumed(e) or nothing)
    found_mu, found_e = _assumed(mu), _assumed(e)
    current_mu, current_e = mu or 0.0, e or 0.0
    for _ in range(_PASSES):
        if mu is None:
            costs = [_cost(some, model, value, current_e, law) for value in FRICTIONS]
            found_mu = _lowest(FRICTIONS, np.array(costs), seed)
            current_mu = found_mu.value
        if e is None:
            costs = [_cost(some, model, current_mu, value, law) for value in RESTITUTIONS]
            found_e = _lowest(RESTITUTIONS, np.array(costs), seed)
            current_e = found_e.value
        if mu is not None or e is not None:
            break
    assert found_mu is not None
    assert found_e is not None
    return Coefficients(found_mu, found_e)


def _assumed(value: float | None) -> Identified | None:
    if value is None:
        return None
    return Identified(value, value, value, 0, at_bound=False, assumed=True)


def _cost(
    impacts: Impacts, model: str, friction: float, restitution: float, law: str
) -> np.ndarray:
    """Return the squared error of each impact, infinite where there is no solution, (k,)."""
    try:
        errors = impacts.errors(model, friction, restitution, law)
    except PredictionError:
        return np.full(len(impacts), np.inf)
    return np.asarray((errors**2).sum(axis=1))


def _lowest(grid: np.ndarray, costs: np.ndarray, seed: int) -> Identified:
    """Return where the sum of costs (grid, k) is lowest, and the interval of that."""
    k = costs.shape[1]
    costs = np.where(np.isfinite(costs), costs, 1e6)
    value = float(_bottom(grid, costs.sum(axis=1)[:, None])[0])
    if k < _FEW:
        return Identified(value, np.nan, np.nan, k, _is_end(grid, value))
    low, high = interval(_bottom(grid, resampled(costs, seed)))
    return Identified(
        value, min(value, float(low)), max(value, float(high)), k, _is_end(grid, value)
    )


def _bottom(grid: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return the lowest point of each column (grid, m) by a parabola through three, (m,)."""
    place = costs.argmin(axis=0)
    inner = np.clip(place, 1, len(grid) - 2)
    columns = np.arange(costs.shape[1])
    left, middle, right = (costs[inner + shift, columns] for shift in (-1, 0, 1))
    curvature = left - 2 * middle + right
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.where(curvature > 0.0, 0.5 * (left - right) / curvature, 0.0)
    step = grid[1] - grid[0]
    return np.asarray(np.clip(grid[inner] + step * np.clip(shift, -1.0, 1.0), grid[0], grid[-1]))


def _is_end(grid: np.ndarray, value: float) -> bool:
    step = grid[1] - grid[0]
    return not grid[0] + 0.1 * step < value < grid[-1] - 0.1 * step


@dataclass(frozen=True)
class ContactLawFit:
    """One law fitted to the force of one impact."""

    law: str
    stiffness: float  # unit of the law
    damping: float  # unit of the law
    stiffness_unit: str
    damping_unit: str
    mass: float  # effective, identified with it [kg]
    rms: float  # of the force [N]
    time: np.ndarray  # of the fitted force, since the touch [s]
    force: np.ndarray  # along the normal [N]


def contact_laws(item: MeasuredImpact, speed: float, mass: float) -> list[ContactLawFit]:
    """Return what each law makes of an impact's force, best first; none without a force.

    Args:
        item: the impact, with its trace.
        speed: of the approach [m/s].
        mass: a first guess [kg].
    """
    trace = item.trace
    if trace is None or not item.touch_by_force or not np.isfinite(item.duration):
        return []
    inside = (trace.force_t > 0.0) & (trace.force_t < item.duration)
    if inside.sum() < 8 or not speed > 0.0:
        return []
    axis = item.impulse / np.linalg.norm(item.impulse)
    normal = item.normal if np.isfinite(item.normal).all() else axis
    step = max(1, int(inside.sum()) // _POINTS)
    t = np.concatenate([[0.0], trace.force_t[inside][::step]])
    force = np.concatenate([[0.0], (trace.force[inside] @ normal)[::step]])
    fits = []
    for law in LAWS:
        try:
            found = identify_contact(
                law, t, force, mass, speed, mass_between=(mass / 3, mass * 3), starts=2
            )
        except PredictionError:
            continue
        figures = found.parameters
        if "damping" not in figures:
            continue
        fits.append(
            ContactLawFit(
                law,
                figures["stiffness"].value,
                figures["damping"].value,
                figures["stiffness"].unit,
                figures["damping"].unit,
                figures["mass"].value,
                found.rms,
                t,
                np.asarray(found.fitted_force),
            )
        )
    return sorted(fits, key=lambda fit: fit.rms)
