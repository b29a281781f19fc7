# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From measured impacts to an answer: which model explains them, and what the data cannot say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_analysis.analyze.comparing.comparison import (
    Ranked,
    candidates_of,
    rank,
    table,
)
from impact_analysis.analyze.comparing.identify import Identified, coefficients
from impact_analysis.analyze.comparing.impacts import Impacts
from impact_analysis.analyze.comparing.judge import Progress, judge
from impact_analysis.analyze.comparing.payload_identification import CarriedPayload
from impact_analysis.analyze.page.narrative import answers, placed, warnings_of
from impact_analysis.analyze.reading.collected import Collected
from impact_analysis.analyze.result import Analysis, Judged, Statistic
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.spreading.cell_sentences import ANSWERS as CELL_ANSWERS
from impact_analysis.spreading.cell_sentences import cell_sentences
from impact_analysis.spreading.episodes import CellFindings
from impact_predictor.identification.contact_estimate import FigureEstimate, half_interval


def analyze_impacts(
    recordings: Sequence[Collected],
    settings: AnalysisSettings,
    *,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    cells: Sequence[CellFindings] = (),
    payload: CarriedPayload | None = None,
) -> Analysis:
    """Return what recordings that were collected tell.

    Args:
        recordings: of one robot.
        settings: of the analysis.
        seed: of all resampling.
        progress: hears the share done and a note.
        cells: what was found of several arms, or of an object, in recordings.
        payload: that free motion before the impacts shows.
    """
    from impact_analysis.analyze.comparing.surface_and_joints import (  # loads slowly
        contacts_of,
        identified_surface,
        joints_of,
        with_torques,
    )

    robot = settings.load_robot()
    measured = [impact for each in recordings for impact in each.impacts]
    impacts = Impacts(robot, measured)
    found, (friction, restitution) = {}, settings.assumed
    for k, inertia in enumerate(robot.motor_inertias):
        progress(0.6 * k / len(robot.motor_inertias), f"friction with {inertia}")
        found[inertia] = coefficients(
            impacts,
            inertia,
            settings.law,
            friction=friction,
            restitution=restitution,
            estimate=settings.restitution_estimate,
            friction_estimate=settings.friction_estimate,
            seed=seed,
        )
    candidates = candidates_of(found)
    compared = {each.inertia: each for each in candidates if each.law == settings.law}
    ranking = rank(impacts, candidates, seed) if len(impacts) else []
    comparison = table(impacts, compared) if len(impacts) else []
    best = compared[ranking[0].candidate.inertia if ranking else "M"]
    judged = judge(measured, impacts, candidates, found, best, progress)
    contact, units = _contact(judged)
    own = found[best.inertia]
    surface = identified_surface(own, contacts_of(robot, judged, own.friction.value))
    judged = with_torques(robot, judged, surface)
    joints = joints_of(robot, judged)
    analysis = Analysis(
        settings=settings,
        robot=robot,
        recordings=list(recordings),
        impacts=judged,
        candidates=candidates,
        ranking=ranking,
        cells=comparison,
        coefficients=found,
        free_friction=_free_friction(impacts, ranking, settings, seed),
        measured_restitution=_mean([item.own_restitution for item in measured]),
        impulse_ratios=_impulse_ratios(judged),
        contact=contact,
        contact_units=units,
        surface=surface,
        joints=joints,
        warnings=[],
        answer=[],
        arms=list(cells),
        payload=payload,
    )
    analysis.warnings.extend(map(placed, warnings_of(analysis)))
    analysis.answer.extend(each.text for each in answers(analysis))
    for said in (each for found in cells for each in cell_sentences(found, robot.name)):
        (analysis.answer if said.key in CELL_ANSWERS else analysis.warnings).append(said.text)
    return analysis


def _free_friction(
    impacts: Impacts, ranking: Sequence[Ranked], settings: AnalysisSettings, seed: int
) -> Identified | None:
    """Return the friction that the data say where one was assumed, with the inertia best then."""
    if settings.friction is None or not ranking:
        return None
    law, found = settings.law, []
    for inertia, e in {one.candidate.inertia: one.candidate.restitution for one in ranking}.items():
        mu = coefficients(impacts, inertia, law, restitution=(e, e), seed=seed).friction
        error = np.abs(impacts.errors(inertia, mu.value, e, law)).mean()
        found.append((float(error), mu))
    return min(found, key=lambda one: one[0])[1]


def _impulse_ratios(judged: Sequence[Judged]) -> dict[str, Statistic]:
    """Return predicted over measured normal impulse by each inertia, the best first."""
    known = [each for each in judged if each.membership is not None]
    found = {}
    for name in known[0].impulses if known else ():
        ratios = [
            each.impulses[name] / each.membership.impulse[2]
            for each in known
            if each.membership is not None and each.membership.impulse[2] > 0.0
        ]
        if (statistic := _mean(ratios)) is not None:
            found[name] = statistic
    return dict(sorted(found.items(), key=lambda entry: abs(np.log(entry[1].value))))


def _contact(
    judged: Sequence[Judged],
) -> tuple[dict[str, dict[str, Statistic]], dict[str, tuple[str, str]]]:
    """Return stiffness and damping of each law, of the impacts whose force determines them.

    Best first by "rms", which is of the impacts that all of these laws were fitted to.
    """
    impacts = [{fit.contact_law: fit for fit in each.laws} for each in judged if each.laws]
    sure = [fit for each in impacts for fit in each.values() if fit.identifiable]
    laws = dict.fromkeys(fit.contact_law for fit in sure)
    common = [each for each in impacts if laws.keys() <= each.keys()]
    found, units = {}, {}
    for law in laws:
        rms = _mean([each[law].rms for each in common])
        if rms is None:
            continue
        fits = [fit for fit in sure if fit.contact_law == law]
        figures = {
            name: [fit.parameters[name] for fit in fits] for name in ("stiffness", "damping")
        }
        units[law] = figures["stiffness"][0].unit, figures["damping"][0].unit
        found[law] = {name: _of_fits(estimates) for name, estimates in figures.items()}
        found[law]["rms"] = rms
    return dict(sorted(found.items(), key=lambda entry: entry[1]["rms"].value)), units


def _of_fits(estimates: Sequence[FigureEstimate]) -> Statistic:
    """Return the mean of a figure, with an interval that holds those of all fits."""
    return Statistic(
        float(np.mean([each.value for each in estimates])),
        min(each.low for each in estimates),
        max(each.high for each in estimates),
        len(estimates),
    )


def _mean(values: Sequence[float]) -> Statistic | None:
    """Return the mean of what is finite, with its interval; none of nothing."""
    known = np.array([value for value in values if np.isfinite(value)])
    if not known.size:
        return None
    mean, half = float(known.mean()), float("nan")
    if known.size > 1:
        error = float(known.std(ddof=1)) / np.sqrt(known.size)
        half = half_interval(known.size - 1) * error
    return Statistic(mean, mean - half, mean + half, int(known.size))
