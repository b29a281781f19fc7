# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact laws and whole simulations of a body: fitted to some tosses, judged on others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from impact_analysis.planar.robust_fit import search
from impact_analysis.tosses.convex_body import ConvexBody
from impact_analysis.tosses.corner_laws import COULOMB, POISSON
from impact_analysis.tosses.first_impacts import first_impacts
from impact_analysis.tosses.law_evaluation import (
    REFERENCE,
    LawEvaluation,
    LawResult,
    error_scale,
    evaluate_laws,
)
from impact_analysis.tosses.rollouts import (
    Release,
    RollOut,
    fitted_mujoco,
    fitted_springs,
    mujoco_at,
    releases,
    rigid_at,
    rolled,
    springs_at,
)
from impact_analysis.tosses.toss_impacts import Toss, TossFile, TossImpacts
from impact_analysis.tosses.toss_models import declared_shape, fixed_models, toss_models
from impact_bags.exceptions import RecordingError

_ROUNDS = 2  # of cutting impacts out of tosses and finding the centre of mass from them
_LAWS = 0.2  # of the work on tosses

Report = Callable[[float, str], None]


@dataclass(frozen=True)
class TossEvaluation:
    """What was compared, and how it ended."""

    body: ConvexBody
    fit: str  # what it was fitted to
    test: str  # what it was judged on
    laws: LawEvaluation
    rollouts: tuple[RollOut, ...]  # none from impacts alone


def evaluate_tosses(
    fit: TossFile,
    test: TossFile,
    body: ConvexBody,
    seed: int = 0,
    progress: Report = lambda fraction, note: None,
) -> TossEvaluation:
    """Compare impact laws, and with whole tosses simulations.

    Args:
        fit: impacts or tosses.
        test: the same of other tosses.
        body: as declared.
        seed: of the intervals.
        progress: called with how much is done, 0 to 1, and what.

    Raises:
        AnalysisError: a prediction is not a finite number.
        RecordingError: one file holds impacts and the other tosses, or too few of them.
    """
    if (fit.impacts is None) != (test.impacts is None):
        raise RecordingError.at(test.name, "expected impacts or tosses, as in the other file")
    if fit.impacts is not None and test.impacts is not None:
        laws = evaluate_laws(fit.impacts, test.impacts, body, seed, progress)
        return TossEvaluation(body, fit.name, test.name, laws, ())
    for file in (fit, test):
        if not file.tosses:
            raise RecordingError.at(file.name, "expected at least one toss, got none")
    known, centre = _impacts_and_centre(fit.tosses, body)
    judged = first_impacts(test.tosses, body, centre)

    def part(fraction: float, note: str) -> None:
        progress(_LAWS * fraction, note)

    laws, found = evaluate_laws(known, judged, body, seed, part), []
    for rollout in _rollouts(laws, fit.tosses, test.tosses, body):
        found.append(rollout)
        progress(min(1.0, _LAWS + 0.14 * len(found)), rollout.model)
    return TossEvaluation(body, fit.name, test.name, laws, tuple(found))


def _impacts_and_centre(
    tosses: tuple[Toss, ...], body: ConvexBody
) -> tuple[TossImpacts, np.ndarray]:
    """Return the first impacts of tosses, and the centre of mass (3,) that these say [m]."""
    model = next(each for each in toss_models(body) if each.name == REFERENCE)
    centre = body.length_scale * body.centre_of_mass
    impacts = first_impacts(tosses, body, centre)
    for _ in range(_ROUNDS):
        start = np.array([np.mean(item.starts) for item in model.parameters])
        found = search(model, impacts, error_scale(impacts, body), start)
        centre = model.with_values(found.parameters)[0].centre
        impacts = first_impacts(tosses, body, centre)
    return impacts, centre


def _rollouts(
    laws: LawEvaluation, known: tuple[Toss, ...], judged: tuple[Toss, ...], body: ConvexBody
) -> Iterator[RollOut]:
    """Yield the simulations of the judged tosses."""
    period, declared = 1.0 / body.rate, declared_shape(body)
    rigid = min((each for each in laws.results if _is_rigid(each)), key=lambda each: each.cost)
    soft = next(each for each in laws.results if each.model.name == "springs")
    shape, law = soft.model.with_values(soft.parameters)
    to_fit, to_judge = (_by_centre(tosses, body) for tosses in (known, judged))
    authors = fixed_models(body)[1]
    at = authors.shape.centre
    yield rolled(
        "authors",
        "rigid, time stepping, coulomb_all; all declared",
        rigid_at(authors.shape, authors.law),
        to_judge(at),
        body,
    )
    rigid_shape, rigid_law = rigid.model.with_values(rigid.parameters)
    yield rolled(
        "rigid",
        f"rigid, time stepping, {rigid.model.name}; all from impacts",
        rigid_at(rigid_shape, rigid_law),
        to_judge(rigid_shape.centre),
        body,
    )
    yield rolled(
        "springs_of_impacts",
        "springs at the corners; all from impacts",
        springs_at(shape, law),
        to_judge(shape.centre),
        body,
    )
    fitted, its = fitted_springs(shape, law, to_fit(shape.centre), body)
    values = {
        "friction": its.friction,
        "restitution": its.restitution,
        "stiffness_ratio": its.ratio,
        "rounding_m": fitted.rounding,
    }
    yield rolled(
        "springs",
        "springs at the corners; mass geometry from impacts, the rest from whole tosses",
        springs_at(fitted, its),
        to_judge(shape.centre),
        body,
        values,
    )
    pairs = (("declared", declared), ("fitted", shape))
    for name, geometry in pairs:
        contact = fitted_mujoco(geometry, law.friction, to_fit(geometry.centre), body)
        yield rolled(
            f"mujoco_{name}",
            f"MuJoCo, geometry {name}; friction and contact from whole tosses",
            mujoco_at(geometry, contact, period),
            to_judge(geometry.centre),
            body,
            contact._asdict(),
        )


def _is_rigid(result: LawResult) -> bool:
    """Whether a fitted law is of rigid impacts at all corners that are there."""
    law = result.model.law
    return law.kind in (COULOMB, POISSON) and law.tolerance > 0.0 and np.isfinite(result.cost)


def _by_centre(tosses: tuple[Toss, ...], body: ConvexBody) -> Callable[[np.ndarray], list[Release]]:
    """Return what gives the releases of tosses by the centre of mass.

    Raises:
        RecordingError: no toss is long enough in the air.
    """

    def released(centre: np.ndarray) -> list[Release]:
        found = releases(tosses, body, centre)
        if not found:
            raise RecordingError.at("tosses", "expected free flight before the first contact")
        return found

    return released
