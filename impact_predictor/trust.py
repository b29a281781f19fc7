# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How far a prediction can be trusted: what its assumptions say, and how wide it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from impact_predictor.checks import friction_range, restitution_range
from impact_predictor.exceptions import OutOfRangeError
from impact_predictor.impact_map import map_state
from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.inverse_inertia import contact_jacobian
from impact_predictor.predict import map_inertia
from impact_predictor.prediction import Prediction
from impact_robots import ArmState, Robot

TRUSTED_RATIO = 0.85  # e_a above which the composite rigid body may be trusted; Wang 2022, VI
INERTIA_MARGIN = 0.1  # of motor inertias, as their manufacturer states it; van Steen, table I


class VelocityInterval(NamedTuple):
    """Joint velocities after an impact within given uncertainty."""

    low: np.ndarray  # shape (n,) [rad/s]
    high: np.ndarray  # shape (n,) [rad/s]


def velocity_interval(
    state: ArmState,
    robot: Robot,
    rotation: np.ndarray,
    *,
    friction: Sequence[float],
    restitution: Sequence[float],
    inertia_margin: float = INERTIA_MARGIN,
    model: str = "M+B_theta",
    law: str = "coulomb",
) -> VelocityInterval:
    """Return where each joint's velocity after an impact lies within ranges of the parameters.

    Each parameter is moved to both ends of its range alone, and the changes of each joint are
    added up: friction, restitution, the mass matrix as a whole and each motor's inertia. Where
    contact mode changes between the ends, or two parameters act together, this is no bound.

    Args:
        state: dynamics of the arm right before the impact.
        robot: the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
        friction: range (low, high) of the friction coefficient [-].
        restitution: range (low, high) of the coefficient of restitution [-].
        inertia_margin: relative uncertainty of mass matrix and motor inertias, 0 to below 1 [-].
        model: inertia of the impact map, one of ``robot.motor_inertias``.
        law: "coulomb" or "sliding".

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: a range or the margin is none.
        UnknownNameError: no such model or law.
    """
    M_x, J = map_inertia(state, robot, model), contact_jacobian(state, rotation)

    def after(M: np.ndarray, mu: np.ndarray, e: np.ndarray) -> np.ndarray:
        return map_state(
            M, J, state.dq, friction=float(mu[0]), restitution=float(e[0]), law=law
        ).dq_after

    ranges = [(friction_range(friction), restitution_range(restitution))]
    return interval(after, M_x, state.M, ranges, inertia_margin)


def interval(
    after: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    M_x: np.ndarray,
    M: np.ndarray,
    ranges: Sequence[tuple[tuple[float, float], tuple[float, float]]],
    inertia_margin: float = INERTIA_MARGIN,
) -> VelocityInterval:
    """Return :func:`velocity_interval` of any impact map.

    Args:
        after: joint velocities after the impact (n,) from M + B (n, n), frictions and
            restitutions (k,) of k contacts.
        M_x: M + B, shape (n, n) [kg.m^2].
        M: mass matrix without motors, shape (n, n) [kg.m^2].
        ranges: friction (low, high) and restitution (low, high) of each contact [-].
        inertia_margin: relative uncertainty, 0 to below 1 [-].

    Raises:
        OutOfRangeError: the margin is none.
    """
    if not 0.0 <= inertia_margin < 1.0:
        raise OutOfRangeError("inertia_margin", "a number from 0 to below 1", inertia_margin)
    bounds = np.array(ranges, dtype=float)  # contact, friction or restitution, low or high
    middle = bounds.mean(axis=2)
    nominal = after(M_x, middle[:, 0], middle[:, 1])
    low, high = np.zeros_like(nominal), np.zeros_like(nominal)
    for inertias, coefficients in _ends(M_x, M, bounds, inertia_margin):
        ends = [after(inertias[i], *coefficients[i].T) for i in (0, 1)]
        changes = np.array(ends) - nominal
        low += np.minimum(changes.min(axis=0), 0.0)
        high += np.maximum(changes.max(axis=0), 0.0)
    return VelocityInterval(nominal + low, nominal + high)


def _ends(
    M_x: np.ndarray, M: np.ndarray, bounds: np.ndarray, margin: float
) -> Iterator[tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]]:
    """Yield inertia and coefficients (contact, friction or restitution) at one parameter's ends."""
    middle = bounds.mean(axis=2)
    for place in np.argwhere(bounds[:, :, 0] < bounds[:, :, 1]):
        ends = (middle.copy(), middle.copy())
        for end, value in zip(ends, bounds[tuple(place)], strict=True):
            end[tuple(place)] = value
        yield (M_x, M_x), ends
    if margin == 0.0:
        return
    yield (M_x - margin * M, M_x + margin * M), (middle, middle)
    for i, motor in enumerate(np.diagonal(M_x - M)):
        if motor > 0.0:
            change = np.zeros_like(M_x)
            change[i, i] = margin * motor
            yield (M_x - change, M_x + change), (middle, middle)


def caveats(prediction: Prediction) -> tuple[str, ...]:
    """Return one sentence for everything that speaks against a prediction; none is good."""
    flags = prediction.flags
    sentences = [text for flag, text in _SENTENCES.items() if flag in flags]
    if Flag.APPROACHING not in flags:
        sentences.insert(0, "the contact point does not approach: no impact, nothing changes")
    if prediction.mode is ContactMode.NONE:
        return tuple(sentences)
    ratio = prediction.approximate_to_exact_ratio
    if prediction.inverse_inertia == "crb" and not ratio > TRUSTED_RATIO:
        sentences.append(
            f"e_a is {ratio:.2f}, not above {TRUSTED_RATIO}: the arm does not move as one body, "
            "so the composite-rigid-body mass may be far off"
        )
    return tuple(sentences)


_SENTENCES = {
    Flag.JAMMING: "jamming: the sliding law has no solution here, the velocities are NaN",
    Flag.SINGULAR_JACOBIAN: "the contact Jacobian is close to losing rank",
    Flag.RANK_DEFICIENT: "the 6-row Jacobian has lost rank: em is that of a pseudo-inverse",
    Flag.ENERGY_GAIN: "kinetic energy grows, which no impact can do",
    Flag.SLIP_UNDEFINED: "no slip before the impact: the sliding law left friction out",
    Flag.FRICTION_REVERSAL: "the slip turns around, so sliding friction would do work",
    Flag.AMBIGUOUS: "Coulomb's law has several solutions; the one with the least energy is shown",
    Flag.VELOCITY_LIMIT: "a joint is faster than its limit after the impact",
    Flag.STATE_LIMIT: "the state is outside the joints' limits",
}
