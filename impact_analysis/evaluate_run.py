# SPDX-License-Identifier: Apache-2.0
"""Fits impact models to one half of measured impacts and judges them on the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from impact_analysis.exceptions import RecordingError
from impact_analysis.planar_impacts import PlanarDataset, PlanarImpacts
from impact_analysis.planar_model import Model
from impact_analysis.planar_models import baseline_errors, planar_models
from impact_analysis.robust_fit import Fit, bootstrap, fit

SAMPLES = 100  # fits of a bootstrap
RESAMPLED_MEDIANS = 1000
FEWEST = 40  # usable impacts
INTERVAL = (0.025, 0.975)
_LEAST_SCALE = 1e-9  # where the baseline is exact, as on made-up data


@dataclass(frozen=True)
class Score:
    """Median absolute errors in (vx, vy, w) on the held-out half, with 95 % intervals."""

    median: np.ndarray  # shape (3,) [m/s, m/s, rad/s]
    interval: np.ndarray  # low and high, shape (2, 3)
    ratio: np.ndarray  # to the baseline on the same impacts, shape (3,)
    ratio_interval: np.ndarray  # shape (2, 3)

    @property
    def beats(self) -> bool:
        """Whether every median is below the baseline's."""
        return bool((self.ratio < 1.0).all())

    @property
    def beats_surely(self) -> bool:
        """Whether the intervals of every ratio are below 1."""
        return bool((self.ratio_interval[1] < 1.0).all())


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
    baseline: Score  # on the held-out half
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
) -> ImpactEvaluation:
    """Compare all models on a data set.

    Args:
        dataset: at least ``FEWEST`` usable impacts.
        seed: of the halves and of the bootstraps.
        samples: fits of each model's bootstrap.
        progress: told how much is done, 0 to 1, and what.

    Raises:
        RecordingError: too few impacts.
    """
    if len(dataset.impacts) < FEWEST:
        raise RecordingError.at(dataset.name, _too_few(dataset))
    known, unseen = halves(dataset.impacts, seed)
    scale = np.maximum(np.median(baseline_errors(known), axis=0), _LEAST_SCALE)
    reference = baseline_errors(unseen)
    models = planar_models(known)
    results = []
    for i, model in enumerate(models):

        def report(fraction: float, model: Model = model, i: int = i) -> None:
            progress((i + fraction) / len(models), model.name)

        rng = np.random.default_rng([seed, i])
        found, interval = _fitted(model, known, scale, rng, samples, report)
        errors = np.abs(model.predict(found.parameters, unseen) - unseen.after)
        score = judge(errors, reference, seed)
        results.append(ModelResult(model, found, interval, score))
    own = judge(reference, reference, seed)
    return ImpactEvaluation(dataset, seed, len(known), len(unseen), scale, own, tuple(results))


def judge(errors: np.ndarray, reference: np.ndarray, seed: int) -> Score:
    """Return medians of absolute errors, beside those of a reference on the same impacts.

    Args:
        errors: absolute errors, shape (N, 3).
        reference: those of the reference, shape (N, 3); resampled together with ``errors``.
        seed: of the bootstrap.
    """
    rng = np.random.default_rng([seed, RESAMPLED_MEDIANS])
    rows = rng.integers(len(errors), size=(RESAMPLED_MEDIANS, len(errors)))
    medians = np.median(errors[rows], axis=1)
    ratios = medians / np.median(reference[rows], axis=1)
    median = np.median(errors, axis=0)
    return Score(
        median=median,
        interval=np.quantile(medians, INTERVAL, axis=0),
        ratio=median / np.median(reference, axis=0),
        ratio_interval=np.quantile(ratios, INTERVAL, axis=0),
    )


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
