# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Stiffness, damping and restitution of a contact from one recorded force."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.contact_force.contact_law import FreeBodyImpact, FreeBodyLaw
from impact_predictor.contact_force.force_record import force_record
from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.contact_force.restitution import (
    asymptotic_restitution,
    exact_restitution,
    has_asymptote,
)
from impact_predictor.identification.contact_estimate import (
    ContactIdentification,
    FigureEstimate,
    FitFlag,
    Uncertainty,
    uncertainty,
)
from impact_predictor.identification.contact_families import family, release_time
from impact_predictor.identification.contact_fit import TOUCH, ContactFit
from impact_predictor.identification.multi_start import (
    Optimum,
    Progress,
    multi_start,
    spread_starts,
)
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import positive

RESTITUTION = "restitution"  # figure of a law that is free to return more than it took
_AT_BOUND = 1e-3  # of the range: closer is at the bound
_HORIZON = 10.0  # how far a fitted force is followed, in lengths of the record


def identify_contact(
    contact_law: str,
    time: ArrayLike,
    force: ArrayLike,
    mass: float,
    approach_speed: float,
    *,
    exponent: float = 1.5,
    mass_between: tuple[float, float] | None = None,
    touch_between: tuple[float, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    starts: int = 8,
    seed: int = 0,
    progress: Progress | None = None,
) -> ContactIdentification:
    """Fit a contact law to a recorded force.

    Bounded least squares of the force over the logarithms of the model's figures, from one start
    that the peak and the impulse give and from others spread over the bounds. The body is free:
    leave out the part of a record in which the robot is already driven back. Intervals suppose
    white noise and the right model, mass and speed; the flags say where that is not so. An error of
    10 % in the mass moves the restitution by more than 0.1, because the impulse is m v (1 + e):
    where the mass is not known that well, let ``mass_between`` identify it too.

    Args:
        contact_law: name of one of :data:`CONTACT_LAWS` that has bounds.
        time: shape (n,) [s], increasing.
        force: on the robot along the outward normal, shape (n,) [N].
        mass: effective mass along the normal [kg]; a first guess with ``mass_between``.
        approach_speed: :math:`|v_n^-|` [m/s], positive.
        exponent: eta of the models that take one.
        mass_between: lowest and highest mass [kg], identified too; None: it is ``mass``.
        touch_between: earliest and latest time of contact [s], identified too; None: it is time 0.
        bounds: of "stiffness" and of "damping" or "restitution", in place of the model's own.
        starts: number of starts.
        seed: of the spread of the starts.
        progress: called after each start with the number done, ``starts`` and the best rms [N].

    Raises:
        UnknownNameError: no such contact law.
        OutOfRangeError: an argument is outside its range, or the record holds too little contact.
    """
    fit = ContactFit(
        family(contact_law),
        force_record(time, force),
        FreeBodyImpact(positive(mass, "mass"), positive(approach_speed, "approach_speed")),
        positive(exponent, "exponent"),
        bounds,
        mass_between,
        touch_between,
    )
    guesses = spread_starts(fit.guess(), fit.lower, fit.upper, _count(starts), seed)
    optimum = multi_start(fit.residual, guesses, fit.lower, fit.upper, progress)
    return _answer(contact_law, fit, optimum, len(guesses))


def _answer(
    contact_law: str, fit: ContactFit, optimum: Optimum, starts: int
) -> ContactIdentification:
    unknowns = optimum.unknowns
    margin = _AT_BOUND * (fit.upper - fit.lower)
    free = (unknowns >= fit.lower + margin) & (unknowns <= fit.upper - margin)
    spread = uncertainty(optimum.residual, optimum.jacobian, free)
    law, touch = fit.law(unknowns), fit.touch(unknowns)
    curve, impact = fit.curve(unknowns), fit.impact(unknowns)
    horizon = _HORIZON * float(np.ptp(fit.record.time))
    release = release_time(law, impact, fit.record.threshold, horizon)
    return ContactIdentification(
        contact_law=contact_law,
        law=law,
        parameters=_parameters(fit, unknowns, spread),
        stiffness_over_damping=_ratio(fit, unknowns, spread),
        restitution=_restitution(fit, unknowns, spread),
        asymptotic_restitution=_asymptotic(law, impact),
        correlation=spread.correlation,
        rms=float(np.sqrt(np.mean(optimum.residual**2))),
        time=fit.record.time,
        fitted_force=curve.force,
        residual=optimum.residual,
        touch=touch,
        compression_end=touch + curve.compression_end,
        restitution_end=None if release is None else touch + release,
        starts=starts,
        agreeing_starts=optimum.agreeing,
        flags=_flags(fit, optimum, spread, starts),
    )


def _asymptotic(law: FreeBodyLaw, impact: FreeBodyImpact) -> float | None:
    if isinstance(law, HuntCrossley) and has_asymptote(law):
        return asymptotic_restitution(law, impact.approach_speed)
    return None


def _parameters(
    fit: ContactFit, unknowns: np.ndarray, spread: Uncertainty
) -> dict[str, FigureEstimate]:
    found = {}
    for i, name in enumerate(fit.names):
        gradient = np.eye(len(unknowns))[i]
        if name == TOUCH:
            unit = fit.contact_time
            found[name] = spread.linear(float(unknowns[i]) * unit, gradient * unit, "s")
        else:
            found[name] = spread.positive(float(np.exp(unknowns[i])), gradient, fit.units[name])
    return found


def _ratio(fit: ContactFit, unknowns: np.ndarray, spread: Uncertainty) -> FigureEstimate | None:
    """Return stiffness over damping, on which alone restitution depends with Hunt-Crossley laws."""
    if not fit.kind.ratio_unit:
        return None
    gradient = np.array([1.0, -1.0, 0.0, 0.0])[: len(unknowns)]
    ratio = float(np.exp(unknowns[0] - unknowns[1]))
    return spread.positive(ratio, gradient, fit.kind.ratio_unit)


def _restitution(fit: ContactFit, unknowns: np.ndarray, spread: Uncertainty) -> FigureEstimate:
    def value(at: np.ndarray) -> float:
        impact = fit.impact(at)
        return exact_restitution(fit.law(at), impact.approach_speed, impact.mass)

    steps = 1e-5 * np.eye(len(unknowns))
    gradient = [(value(unknowns + step) - value(unknowns - step)) / 2e-5 for step in steps]
    highest = np.inf if RESTITUTION in fit.kind.units else 1.0
    return spread.linear(value(unknowns), np.array(gradient), "-", 0.0, highest)


def _flags(fit: ContactFit, optimum: Optimum, spread: Uncertainty, starts: int) -> FitFlag:
    figures = dict(zip(fit.kind.units, np.exp(optimum.unknowns), strict=False))
    start, end = fit.record.contact
    conditions = {
        FitFlag.AT_BOUND: not spread.free.all(),
        FitFlag.FLAT: spread.flat,
        FitFlag.STARTS_DISAGREE: starts > 1 and optimum.agreeing == 1,
        FitFlag.RECORD_INCOMPLETE: not fit.record.complete,
        FitFlag.CORRELATED_RESIDUAL: _correlated(
            optimum.residual[start : end + 1], float(fit.record.force.max())
        ),
        FitFlag.CREATES_ENERGY: figures.get(RESTITUTION, 0.0) > 1.0,
    }
    flags = FitFlag.NONE
    for flag, holds in conditions.items():
        flags |= flag if holds else FitFlag.NONE
    return flags


def _correlated(residual: np.ndarray, peak: float) -> bool:
    """Detect structure by the correlation of neighbours; below 1e-4 it is negligible."""
    power = float(residual @ residual)
    if power < residual.size * (1e-4 * peak) ** 2:
        return False
    return float(residual[1:] @ residual[:-1]) / power > max(0.2, 4.0 / np.sqrt(residual.size))


def _count(starts: int) -> int:
    if not (isinstance(starts, (int, np.integer)) and starts >= 1):
        raise OutOfRangeError("starts", "a whole number, at least 1", starts)
    return int(starts)
