# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From measured impacts to an answer: which model explains them, and what the data cannot say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from impact_analysis.analyze.comparing.comparison import (
    Candidate,
    Impacts,
    Ranked,
    interval,
    rank,
    resampled,
    table,
)
from impact_analysis.analyze.comparing.identified_surface import identified_surface
from impact_analysis.analyze.comparing.identify import (
    Coefficients,
    ContactLawFit,
    Identified,
    coefficients,
    contact_laws,
)
from impact_analysis.analyze.comparing.model_spread import mass_interval
from impact_analysis.analyze.page.narrative import answers, warnings_of
from impact_analysis.analyze.reading.collected import Collected
from impact_analysis.analyze.reading.measured import AnalyzedImpact
from impact_analysis.analyze.result import Analysis, Judged, Membership, Statistic
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.spreading.cell_sentences import ANSWERS as CELL_ANSWERS
from impact_analysis.spreading.cell_sentences import cell_sentences
from impact_analysis.spreading.episodes import CellFindings
from impact_predictor.exceptions import PredictionError
from impact_predictor.inertia.inertia_models import effective_masses, inverse_inertias
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.laws.friction_law import FRICTION_LAWS
from impact_predictor.laws.impact_map import contact_impulse
from impact_predictor.sets.feasible_sets import impulse_set
from impact_robots import ArmDynamics, PointState, Robot, Surface
from impact_robots.exceptions import OutOfRangeError

Progress = Callable[[float, str], None]
BEST = "M+B_theta"  # what a torque-controlled arm hits with
ANNOUNCED, ASSUMED, IDENTIFIED = "announced", "assumed", "identified"
STDS = 2.0  # of the measured impulse, by which it may lie outside of its set
GENERATORS = 8
MOST_FITTED = 24  # impacts to whose force contact laws are fitted, half a second each


@dataclass(frozen=True)
class _Known:
    """Coefficients of each inertia, and which one explains the velocities best."""

    of: dict[str, Coefficients]
    inertia: str
    law: str  # of friction

    @property
    def best(self) -> Coefficients:
        return self.of[self.inertia]


def analyze_impacts(
    recordings: Sequence[Collected],
    settings: AnalysisSettings,
    *,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    cells: Sequence[CellFindings] = (),
) -> Analysis:
    """Return what recordings that were collected tell.

    Args:
        recordings: of one robot.
        settings: of the analysis.
        seed: of all resampling.
        progress: hears the share done and a note.
        cells: what was found of several arms, or of an object, in recordings.
    """
    from impact_analysis.analyze.comparing.joint_torques import (  # load slowly
        contacts_of,
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
            seed=seed,
        )
    candidates = _candidates(found)
    ranking = rank(impacts, candidates, seed) if len(impacts) else []
    compared = {each.inertia: each for each in candidates if each.law == settings.law}
    known = _Known(found, ranking[0].candidate.inertia if ranking else "M", settings.law)
    judged = _judge(robot, measured, impacts, candidates, known, progress)
    contact, units = _contact(judged, seed)
    contacts = contacts_of(robot, judged, known.best.friction.value)
    surface = identified_surface(known.best, contacts)
    judged = with_torques(robot, judged, surface)
    analysis = Analysis(
        settings=settings,
        robot=robot,
        recordings=list(recordings),
        impacts=judged,
        candidates=candidates,
        ranking=ranking,
        cells=table(impacts, compared) if len(impacts) else [],
        coefficients=found,
        free_friction=_free_friction(impacts, ranking, settings, seed),
        measured_restitution=_mean([item.restitution for item in measured], seed),
        impulse_ratios=_impulse_ratios(judged, seed),
        contact=contact,
        contact_units=units,
        surface=surface,
        joints=joints_of(robot, judged),
        warnings=[],
        answer=[],
        arms=list(cells),
    )
    analysis.warnings.extend(warnings_of(analysis))
    analysis.answer.extend(answers(analysis))
    for said in (each for found in cells for each in cell_sentences(found, robot.name)):
        (analysis.answer if said.key in CELL_ANSWERS else analysis.warnings).append(said.text)
    return analysis


def _candidates(found: dict[str, Coefficients]) -> list[Candidate]:
    """Return every model: inertias by friction laws."""
    return [
        Candidate(
            inertia,
            law,
            0.0 if law == "frictionless" else _number(each.friction.value),
            _number(each.restitution.value),
        )
        for inertia, each in found.items()
        for law in (*FRICTION_LAWS, "frictionless")
    ]


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


def _number(value: float) -> float:
    return value if np.isfinite(value) else 0.0


def _judge(
    robot: Robot,
    measured: Sequence[AnalyzedImpact],
    impacts: Impacts,
    candidates: Sequence[Candidate],
    known: _Known,
    progress: Progress,
) -> list[Judged]:
    """Return each impact with its predictions, set and contact laws."""
    usable = {id(item): k for k, item in enumerate(impacts.items)}
    predicted = {each.name: each.predicted(impacts) for each in candidates}
    dynamics, judged, fitted = ArmDynamics(robot), [], 0
    for number, item in enumerate(measured):
        progress(0.6 + 0.4 * number / len(measured), f"impact {number + 1} of {len(measured)}")
        row = usable.get(id(item))
        if row is None:
            judged.append(Judged(item, {}, np.nan, np.nan, (np.nan, np.nan), None))
            continue
        state, surface = dynamics(item.q, item.dq_before), Surface(None, item.normal)
        rotation, speed = surface.rotation, surface.approach_speed(state.velocity)
        masses = effective_masses(state, robot, rotation)
        best = BEST if BEST in masses else "M"  # motor inertias may be unknown
        mass = masses[best if best in masses else "gm"]  # that of M
        laws = contact_laws(item, speed, mass) if fitted < MOST_FITTED else []
        fitted += bool(laws)
        judged.append(
            Judged(
                item,
                {name: after[row] for name, after in predicted.items()},
                speed,
                mass,
                mass_interval(state, surface, robot, best),
                _membership(item, state, rotation, known.best),
                laws,
                _normal_impulses(item, robot, state, rotation, known),
            )
        )
    return judged


def _normal_impulses(
    item: AnalyzedImpact, robot: Robot, state: PointState, rotation: np.ndarray, known: _Known
) -> dict[str, float]:
    """Return the normal impulse by each inverse inertia and the friction law, NaN for none [N.s].

    With the friction that was identified with that inertia, with the best one's for those that have
    none of their own; and with the impact's own restitution, if it was measured.
    """
    measured = np.isfinite(item.restitution)
    bounce = item.restitution if measured else _number(known.best.restitution.value)
    velocity = rotation.T @ state.velocity
    impulses = {}
    for name, W in inverse_inertias(state, robot, rotation).items():
        friction = known.of.get("M" if name == "gm" else name, known.best).friction.value
        try:
            impulse = contact_impulse(
                W, velocity, friction=_number(friction), restitution=bounce, law=known.law
            )
        except (PredictionError, OutOfRangeError):
            impulse = np.full(3, np.nan)
        impulses[name] = float(impulse[2])
    return impulses


def _impulse_ratios(judged: Sequence[Judged], seed: int) -> dict[str, Statistic]:
    """Return predicted over measured normal impulse by each inertia, the best first."""
    known = [each for each in judged if each.membership is not None]
    found = {}
    for name in known[0].impulses if known else ():
        ratios = [
            each.impulses[name] / each.membership.impulse[2]
            for each in known
            if each.membership is not None and each.membership.impulse[2] > 0.0
        ]
        if (statistic := _mean(ratios, seed)) is not None:
            found[name] = statistic
    return dict(sorted(found.items(), key=lambda entry: abs(np.log(entry[1].value))))


def _membership(
    item: AnalyzedImpact, state: PointState, rotation: np.ndarray, found: Coefficients
) -> Membership | None:
    """Return whether an impulse lies in its set; none if either is unknown."""
    if not np.isfinite(item.impulse).all():
        return None
    friction, restitution, source = item.announced_friction, item.announced_restitution, ANNOUNCED
    if not (np.isfinite(friction) and np.isfinite(restitution)):
        friction, restitution = _upper(found.friction), _upper(found.restitution)
        source = ASSUMED if found.friction.assumed else IDENTIFIED
    span = (0.0, min(1.0, max(0.0, _number(restitution))))
    velocity = float(item.normal @ state.velocity)
    try:
        expected = impulse_set(
            crb(state, rotation), _number(friction), span, velocity, GENERATORS, True
        )
    except (PredictionError, OutOfRangeError):
        return None
    impulse = rotation.T @ item.impulse
    tolerance = STDS * _number(item.impulse_std) + 1e-9
    return Membership(
        friction,
        span,
        source,
        expected.contains(impulse, tolerance),
        expected.contains_in_hull_with_zero(impulse, tolerance),
        expected,
        impulse,
    )


def _upper(found: Identified) -> float:
    """Return the upper end of a coefficient's interval, its value without one [-]."""
    return found.high if np.isfinite(found.high) else found.value


def _contact(
    judged: Sequence[Judged], seed: int
) -> tuple[dict[str, dict[str, Statistic]], dict[str, tuple[str, str]]]:
    """Return means of stiffness, damping and rms of each law that was fitted."""
    fits: dict[str, list[ContactLawFit]] = {}
    for impact in judged:
        for fit in impact.laws:
            fits.setdefault(fit.law, []).append(fit)
    found, units = {}, {}
    for law, each in fits.items():
        units[law] = (each[0].stiffness_unit, each[0].damping_unit)
        found[law] = {
            name: statistic
            for name in ("stiffness", "damping", "rms")
            if (statistic := _mean([getattr(fit, name) for fit in each], seed)) is not None
        }
    return dict(sorted(found.items(), key=lambda entry: entry[1]["rms"].value)), units


def _mean(values: Sequence[float], seed: int) -> Statistic | None:
    """Return the mean of what is finite, with its interval; none of nothing."""
    known = np.array([value for value in values if np.isfinite(value)])
    if not known.size:
        return None
    low, high = interval(resampled(known[None, :], seed))
    single = known.size == 1
    return Statistic(
        float(known.mean()),
        float("nan") if single else float(low[0]),
        float("nan") if single else float(high[0]),
        int(known.size),
    )
