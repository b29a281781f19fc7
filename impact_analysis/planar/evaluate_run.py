# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Fits impact models to some measured impacts and judges them on others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from impact_analysis.planar.ellipse_contact import known_axes
from impact_analysis.planar.evaluate_score import INTERVAL, LawScore, judge
from impact_analysis.planar.planar_impacts import PlanarDataset, PlanarImpacts
from impact_analysis.planar.planar_model import Model
from impact_analysis.planar.planar_models import baseline, planar_models
from impact_analysis.planar.planar_momentum import Inertia, inertia_ratio
from impact_analysis.planar.robust_fit import Fit, bootstrap, fit
from impact_bags.exceptions import RecordingError

SAMPLES = 100  # fits of a bootstrap
FEWEST = 40  # usable impacts in one file; half as many in each of two
_LEAST_SCALE = 1e-3  # of the changes' spread, where the baseline is exact, as on made-up data


@dataclass(frozen=True)
class ModelResult:
    """One model, fitted and judged."""

    model: Model
    fit: Fit
    interval: np.ndarray  # of the parameters, low and high, shape (2, m)
    score: LawScore


@dataclass(frozen=True)
class ImpactEvaluation:
    """What was compared, and how it ended."""

    dataset: PlanarDataset  # fitted to, if there is another to judge on; else halved
    test: PlanarDataset | None  # judged on
    seed: int
    fitted: int  # impacts
    held_out: int  # impacts
    scale: np.ndarray  # errors that count as 1 in the fit, shape (3,)
    inertia: Inertia  # of the fitted impacts, by the balance of momentum
    judged_inertia: Inertia  # of the judged ones
    given_inertia: float | None  # what the user knows instead [m^2]
    baseline: ModelResult
    results: tuple[ModelResult, ...]
    no_pose: str  # why the model `pose` is left out; empty if it is not

    @property
    def best(self) -> ModelResult:
        """The model that fits best: chosen without a look at the judged impacts."""
        return min(self.results, key=lambda result: result.fit.cost)

    @property
    def in_both(self) -> int:
        """How many impacts of the test file the fit file has too."""
        if self.test is None:
            return 0
        known, judged = (
            [tuple(row) for row in np.hstack([data.impacts.before, data.impacts.after])]
            for data in (self.dataset, self.test)
        )
        there = set(known)
        return sum(row in there for row in judged)


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
    test: PlanarDataset | None = None,
) -> ImpactEvaluation:
    """Compare all models on a data set.

    Args:
        dataset: at least ``FEWEST`` usable impacts.
        seed: of the halves and of the bootstraps.
        samples: fits of each model's bootstrap.
        progress: called with how much is done, 0 to 1, and what.
        inertia: I/m of the body, if it is known and not to be estimated [m^2].
        test: impacts to judge on; then all of ``dataset`` is fitted to, and half of ``FEWEST``
            suffices in each. Without it, random halves of ``dataset``.

    Raises:
        RecordingError: too few impacts, or they tell no inertia.
    """
    known, unseen = _parts(dataset, test, seed)
    measured = _measured_inertia(dataset.name, known, seed)
    simplest, *models = baseline(inertia or measured.ratio), *planar_models(known, inertia, unseen)
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
        test=test,
        seed=seed,
        fitted=len(known),
        held_out=len(unseen),
        scale=scale,
        inertia=measured,
        judged_inertia=inertia_ratio(unseen, seed),
        given_inertia=inertia,
        baseline=results[0],
        results=tuple(results[1:]),
        no_pose=known_axes(known, unseen)[1],
    )


def _parts(
    dataset: PlanarDataset, test: PlanarDataset | None, seed: int
) -> tuple[PlanarImpacts, PlanarImpacts]:
    """Return the impacts to fit and those to judge.

    Raises:
        RecordingError: too few.
    """
    files, fewest = ([dataset], FEWEST) if test is None else ([dataset, test], FEWEST // 2)
    for data in files:
        if len(data.impacts) < fewest:
            raise RecordingError.at(data.name, _too_few(data, fewest))
    return halves(dataset.impacts, seed) if test is None else (dataset.impacts, test.impacts)


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


def _too_few(dataset: PlanarDataset, fewest: int) -> str:
    return (
        f"expected at least {fewest} usable impacts, got {len(dataset.impacts)} of"
        f" {dataset.rows} rows ({dataset.dropped})"
    )
