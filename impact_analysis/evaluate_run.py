# SPDX-License-Identifier: Apache-2.0
"""Fits impact models to one half of measured impacts and judges them on the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from impact_analysis.evaluate_score import INTERVAL, Score, judge
from impact_analysis.exceptions import RecordingError
from impact_analysis.planar_impacts import PlanarDataset, PlanarImpacts
from impact_analysis.planar_model import Model
from impact_analysis.planar_models import baseline, planar_models
from impact_analysis.planar_momentum import Inertia, inertia_ratio
from impact_analysis.robust_fit import Fit, bootstrap, fit

SAMPLES = 100  # fits of a bootstrap
FEWEST = 40  # usable impacts
_LEAST_SCALE = 1e-3  # of the changes' spread, where the baseline is exact, as on made-up data


@dataclass(frozen=True)
class ModelResult:
    """One model, fitted and judged."""

    model: Model
    fit: Fit
    interval: np.ndarray  # of the parameters, low and high, shape (2, m)
    score: Score


@dataclass(frozen=True)
class ImpactEvaluation:
    """What was compared, and how it ended."""

    dataset: PlanarDataset
    seed: int
    fitted: int  # impacts
    held_out: int  # impacts
    scale: np.ndarray  # errors that count as 1 in the fit, shape (3,)
    inertia: Inertia  # of the fit half, by the balance of momentum
    given_inertia: float | None  # what the user knows instead [m^2]
    baseline: ModelResult
    results: tuple[ModelResult, ...]

    @property
    def best(self) -> ModelResult:
        """The model that fits the fit half best: chosen without a look at the other half."""
        return min(self.results, key=lambda result: result.fit.cost)


def halves(impacts: PlanarImpacts, seed: int) -> tuple[PlanarImpacts, PlanarImpacts]:
    """Return two halves drawn at random: one to fit, one to judge."""
    order = np.random.default_rng(seed).permutation(len(impacts))
    cut = len(impacts) // 2
    return impacts.take(np.sort(order[:cut])), impacts.take(np.sort(order[cut:]))


def evaluate(
    dataset: PlanarDataset,
    seed: int = 0,
    samples: int = SAMPLES,
    progress: Callable[[float, str], None] = lambda fraction, note: None,
    inertia: float | None = None,
) -> ImpactEvaluation:
    """Compare all models on a data set.

    Args:
        dataset: at least ``FEWEST`` usable impacts.
        seed: of the halves and of the bootstraps.
        samples: fits of each model's bootstrap.
        progress: told how much is done, 0 to 1, and what.
        inertia: I/m of the body, if it is known and not to be estimated [m^2].

    Raises:
        RecordingError: too few impacts, or they tell no inertia.
    """
    if len(dataset.impacts) < FEWEST:
        raise RecordingError.at(dataset.name, _too_few(dataset))
    known, unseen = halves(dataset.impacts, seed)
    measured = _measured_inertia(dataset.name, known, seed)
    simplest, *models = baseline(inertia or measured.ratio), *planar_models(known, inertia)
    scale = spread(known)
    results: list[ModelResult] = []
    reference = np.empty(0)
    for i, model in enumerate((simplest, *models)):

        def report(fraction: float, model: Model = model, i: int = i) -> None:
            progress((i + fraction) / (len(models) + 1), model.name)

        rng = np.random.default_rng([seed, i])
        found, interval = _fitted(model, known, scale, rng, samples, report)
        errors = model.errors(found.parameters, unseen)
        if model is simplest:
            reference, scale = errors, baseline_scale(model, found, known)
        results.append(ModelResult(model, found, interval, judge(errors, reference, seed)))
    return ImpactEvaluation(
        dataset=dataset,
        seed=seed,
        fitted=len(known),
        held_out=len(unseen),
        scale=scale,
        inertia=measured,
        given_inertia=inertia,
        baseline=results[0],
        results=tuple(results[1:]),
    )


def spread(impacts: PlanarImpacts) -> np.ndarray:
    """Return how far changes of velocity typically lie from their median, shape (3,)."""
    change = impacts.after - impacts.before
    typical = np.median(np.abs(change - np.median(change, axis=0)), axis=0)
    return np.maximum(typical, np.finfo(float).tiny)


def baseline_scale(model: Model, found: Fit, impacts: PlanarImpacts) -> np.ndarray:
    """Return the errors that count as 1 in the other fits: the baseline's medians, shape (3,)."""
    medians = np.median(model.errors(found.parameters, impacts), axis=0)
    return np.maximum(medians, _LEAST_SCALE * spread(impacts))


def _measured_inertia(name: str, impacts: PlanarImpacts, seed: int) -> Inertia:
    """Return the inertia by the balance of momentum.

    Raises:
        RecordingError: the impacts tell none.
    """
    found = inertia_ratio(impacts, seed)
    if not 0.0 < found.ratio < np.inf:
        raise RecordingError.at(
            name, "expected changes of w that follow from those of vx and vy by one inertia I/m > 0"
        )
    return found


def _fitted(
    model: Model,
    impacts: PlanarImpacts,
    scale: np.ndarray,
    rng: np.random.Generator,
    samples: int,
    report: Callable[[float], None],
) -> tuple[Fit, np.ndarray]:
    """Return the best fit and the intervals of its parameters, shape (2, m)."""
    report(0.0)
    found = fit(model, impacts, scale)
    drawn = []
    for parameters in bootstrap(model, impacts, scale, found, rng, samples):
        drawn.append(parameters)
        report(len(drawn) / samples)
    return found, np.quantile(drawn, INTERVAL, axis=0)


def _too_few(dataset: PlanarDataset) -> str:
    return (
        f"expected at least {FEWEST} usable impacts, got {len(dataset.impacts)} of"
        f" {dataset.rows} rows ({dataset.dropped})"
    )
