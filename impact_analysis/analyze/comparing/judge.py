# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Each impact beside the models: velocities, normal impulse, set of impulses, and contact laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from impact_analysis.analyze.comparing.comparison import Candidate
from impact_analysis.analyze.comparing.identify import Coefficients, Identified, finite
from impact_analysis.analyze.comparing.impacts import Impacts
from impact_analysis.analyze.comparing.measured_mass import (
    believed_mass,
    measured_mass,
    model_mass,
)
from impact_analysis.analyze.reading.collected import AnalyzedImpact
from impact_analysis.analyze.result import Judged, Membership
from impact_predictor.exceptions import PredictionError
from impact_predictor.identification.contact_estimate import ContactIdentification
from impact_predictor.identification.contact_families import families
from impact_predictor.identification.contact_identification import identify_contact
from impact_predictor.inertia.inertia_models import effective_masses, inverse_inertias
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.laws.impact_map import contact_impulse
from impact_predictor.sets.feasible_sets import impulse_set
from impact_robots import ArmDynamics, PointState, Robot, Surface
from impact_robots.exceptions import OutOfRangeError

Progress = Callable[[float, str], None]
BEST = "M+B_theta"  # what a torque-controlled arm hits with
ANNOUNCED, ASSUMED, IDENTIFIED = "announced", "assumed", "identified"
STDS = 2.0  # of the measured impulse, by which it may lie outside of its set
FACETS = 8
MOST_FITTED = 24  # impacts to whose force contact laws are fitted, half a second each
_POINTS = 200  # of a force that a law is fitted to


def judge(
    measured: Sequence[AnalyzedImpact],
    impacts: Impacts,
    candidates: Sequence[Candidate],
    found: Mapping[str, Coefficients],
    best: Candidate,
    progress: Progress,
) -> list[Judged]:
    """Return each impact with its predictions, set and contact laws.

    Args:
        measured: all impacts.
        impacts: those of them that models can be compared with.
        candidates: models.
        found: coefficients of each inertia.
        best: model of the velocities, with the friction law of the settings.
        progress: hears the fraction done and a note.
    """
    robot = impacts.robot
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
        inertia = BEST if BEST in masses else "M"  # motor inertias may be unknown
        mass = masses[inertia if inertia in masses else "gm"]  # that of M
        by_model = model_mass(mass, state, surface, robot, inertia)
        measured_one = measured_mass(item, state, robot, inertia)
        believed = believed_mass(by_model, measured_one)
        laws = contact_laws(item, speed, believed.value) if fitted < MOST_FITTED else []
        fitted += bool(laws)
        judged.append(
            Judged(
                item,
                {name: after[row] for name, after in predicted.items()},
                speed,
                believed.value,
                (believed.low, believed.high),
                _membership(item, state, rotation, found[best.inertia]),
                laws,
                _normal_impulses(item, robot, state, rotation, found, best),
                mass_of_model=by_model,
                measured_mass=measured_one,
            )
        )
    return judged


def _normal_impulses(
    item: AnalyzedImpact,
    robot: Robot,
    state: PointState,
    rotation: np.ndarray,
    found: Mapping[str, Coefficients],
    best: Candidate,
) -> dict[str, float]:
    """Return the normal impulse by each inverse inertia and the friction law, NaN for none [N.s].

    With the friction that was identified with that inertia, with the best one's for those that have
    none of their own; and with the impact's own restitution, if it was measured.
    """
    own = found[best.inertia]
    bounce = finite(item.own_restitution, own.restitution.used)
    velocity = rotation.T @ state.velocity
    impulses = {}
    for name, W in inverse_inertias(state, robot, rotation).items():
        friction = found.get("M" if name == "gm" else name, own).friction.used
        try:
            impulse = contact_impulse(
                W, velocity, friction=friction, restitution=bounce, law=best.law
            )
        except (PredictionError, OutOfRangeError):
            impulse = np.full(3, np.nan)
        impulses[name] = float(impulse[2])
    return impulses


def _membership(
    item: AnalyzedImpact, state: PointState, rotation: np.ndarray, found: Coefficients
) -> Membership | None:
    """Return whether an impulse lies in its set; none if either is unknown."""
    if not np.isfinite(item.impulse).all():
        return None
    friction, source = item.announced_friction, ANNOUNCED
    span = item.announced_restitution_low, item.announced_restitution
    if not np.isfinite([friction, *span]).all():
        friction, span = _upper(found.friction), (0.0, finite(_upper(found.restitution)))
        source = ASSUMED if found.friction.assumed else IDENTIFIED
    span = min(1.0, max(0.0, span[0])), min(1.0, max(0.0, span[1]))
    velocity = float(item.normal @ state.velocity)
    try:
        expected = impulse_set(crb(state, rotation), finite(friction), span, velocity, FACETS, True)
    except (PredictionError, OutOfRangeError):
        return None
    impulse = rotation.T @ item.impulse
    tolerance = STDS * finite(item.impulse_std) + 1e-9
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
    return finite(found.high, found.used)


def _damped_laws() -> list[str]:
    """Return the names of the laws with a stiffness and a damping that can be fitted."""
    wanted = {"stiffness", "damping"}
    return [name for name, model in families().items() if wanted <= set(model.units)]


def contact_laws(item: AnalyzedImpact, speed: float, mass: float) -> list[ContactIdentification]:
    """Return what each law makes of an impact's force, best first; none without a force.

    Args:
        item: the impact, with its trace.
        speed: of the approach [m/s].
        mass: a first guess [kg].
    """
    trace = item.trace
    if trace is None or not item.touch_by_force or not np.isfinite(item.duration):
        return []
    inside = (trace.force_time > 0.0) & (trace.force_time < item.duration)
    if inside.sum() < 8 or not speed > 0.0:
        return []
    axis = item.impulse / np.linalg.norm(item.impulse)
    normal = item.normal if np.isfinite(item.normal).all() else axis
    step = max(1, int(inside.sum()) // _POINTS)
    t = np.concatenate([[0.0], trace.force_time[inside][::step]])
    force = np.concatenate([[0.0], (trace.force[inside] @ normal)[::step]])
    fits = []
    for law in _damped_laws():
        try:
            found = identify_contact(
                law, t, force, mass, speed, mass_between=(mass / 3, mass * 3), starts=2
            )
        except (PredictionError, OutOfRangeError):
            continue
        fits.append(found)
    return sorted(fits, key=lambda fit: fit.rms)
