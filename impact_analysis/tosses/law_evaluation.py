# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Fits impact laws to some impacts of a body, chooses one, and judges all on other impacts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from impact_analysis.planar.robust_fit import Fit, bootstrap, fit, search
from impact_analysis.tosses.convex_body import ConvexBody
from impact_analysis.tosses.toss_impacts import TossImpacts
from impact_analysis.tosses.toss_models import TossModel, fixed_models, toss_models
from impact_bags.exceptions import RecordingError

FEWEST = 20  # impacts to fit
FOLDS = 5  # of the cross-validation that chooses the best law
SAMPLES = 100  # fits of the bootstrap
REFERENCE = "coulomb_all"  # whose median errors count as 1 in every fit
_LEAST = 1e-6  # of an error that counts as 1, over the typical change
_ROUGH = 1e-4  # relative precision of fits that are many
_RESAMPLED = 1000  # medians
_QUANTILES = (0.025, 0.975)


@dataclass(frozen=True)
class LawResult:
    """A law: what it identified on the fit half, and its errors on the other."""

    model: TossModel
    parameters: np.ndarray  # shape (m,)
    cost: float  # cross-validated on the fit half, mean per impact and component; NaN: not fitted
    linear: np.ndarray  # |dv| of each judged impact, shape (N,) [m/s]
    angular: np.ndarray  # |dw| of each judged impact, shape (N,) [rad/s]


@dataclass(frozen=True)
class LawEvaluation:
    """What was compared, and how it ended."""

    fitted: int  # impacts
    judged: TossImpacts
    in_both: int  # judged impacts that the fit half has too
    results: tuple[LawResult, ...]
    best: LawResult  # the lowest cost on the fit half
    interval: np.ndarray  # of the best one's parameters, 95 %, shape (2, m)


def evaluate_laws(
    known: TossImpacts,
    judged: TossImpacts,
    body: ConvexBody,
    seed: int = 0,
    progress: Callable[[float, str], None] = lambda fraction, note: None,
) -> LawEvaluation:
    """Compare all laws.

    Args:
        known: impacts to fit.
        judged: impacts to judge on, which nothing else looks at.
        body: as declared.
        seed: of the bootstrap.
        progress: called with how much is done, 0 to 1, and what.

    Raises:
        AnalysisError: a prediction is not a finite number.
        RecordingError: too few impacts to fit, or none to judge on.
    """
    if len(known) < FEWEST:
        raise RecordingError.at(
            "impacts to fit", f"expected at least {FEWEST} impacts, got {len(known)}"
        )
    if len(judged) == 0:
        raise RecordingError.at("impacts to judge on", "expected at least one, got none")
    models, scale = toss_models(body), error_scale(known, body)
    results = [_result(model, np.empty(0), np.nan, judged) for model in fixed_models(body)]
    fits: list[Fit] = []
    for i, model in enumerate(models):
        progress(i / (len(models) + 2), model.name)
        fits.append(fit(model, known, scale))
        cost = cross_validated(model, known, scale, fits[-1])
        results.append(_result(model, fits[-1].parameters, cost, judged))
    fitted = results[-len(models) :]
    k = int(np.argmin([result.cost for result in fitted]))
    rng = np.random.default_rng([seed, k])
    drawn = []
    for parameters in bootstrap(models[k], known, scale, fits[k], rng, SAMPLES):
        drawn.append(parameters)
        progress((len(models) + 2 * len(drawn) / SAMPLES) / (len(models) + 2), "intervals")
    return LawEvaluation(
        fitted=len(known),
        judged=judged,
        in_both=in_both(known, judged),
        results=tuple(results),
        best=fitted[k],
        interval=np.quantile(drawn, _QUANTILES, axis=0),
    )


def error_scale(known: TossImpacts, body: ConvexBody) -> np.ndarray:
    """Return the errors that count as 1: medians of the reference law, shape (6,)."""
    model = next(each for each in toss_models(body) if each.name == REFERENCE)
    change = np.abs(known.after - known.before)
    typical = np.repeat([np.median(change[:, :3]), np.median(change[:, 3:])], 3)
    typical = np.maximum(typical, np.finfo(float).tiny)
    rough = fit(model, known, typical / 10)
    errors = np.abs(model.predict(rough.parameters, known) - known.after)
    medians = np.repeat([np.median(errors[:, :3]), np.median(errors[:, 3:])], 3)
    return np.maximum(medians, _LEAST * typical)


def cross_validated(model: TossModel, known: TossImpacts, scale: np.ndarray, found: Fit) -> float:
    """Return the mean cost of impacts that a fit to the others has not seen.

    Edges are few and count as much as other impacts; each fold has its part of them.
    """
    fold = np.empty(len(known), dtype=int)
    fold[np.argsort(known.is_edge, kind="stable")] = np.arange(len(known)) % FOLDS
    total = 0.0
    for k in range(FOLDS):
        seen, unseen = known.take(fold != k), known.take(fold == k)
        there = search(model, seen, scale, found.parameters, _ROUGH)
        errors = (model.predict(there.parameters, unseen) - unseen.after) / scale
        total += float((np.sqrt(1.0 + errors**2) - 1.0).sum())
    return total / known.after.size


def in_both(known: TossImpacts, judged: TossImpacts) -> int:
    """Return how many judged impacts are among the known ones."""
    there = {row.tobytes() for row in np.hstack([known.before, known.after])}
    return sum(row.tobytes() in there for row in np.hstack([judged.before, judged.after]))


def median_interval(errors: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % interval of a median, by resampling."""
    drawn = np.random.default_rng(seed).integers(len(errors), size=(_RESAMPLED, len(errors)))
    low, high = np.quantile(np.median(errors[drawn], axis=1), _QUANTILES)
    return float(low), float(high)


def _result(
    model: TossModel, parameters: np.ndarray, cost: float, judged: TossImpacts
) -> LawResult:
    """Return a law's errors on the judged impacts."""
    errors = model.predict(parameters, judged) - judged.after
    linear, angular = (np.linalg.norm(part, axis=1) for part in (errors[:, :3], errors[:, 3:]))
    return LawResult(model, parameters, cost, linear, angular)
