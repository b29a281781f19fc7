# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simulates whole tosses from their release, and compares with what was recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, pi

import numpy as np

from impact_analysis.tosses.body_motion import Start, rigid_motion, spring_motion
from impact_analysis.tosses.convex_body import ConvexBody
from impact_analysis.tosses.corner_laws import BodyShape, CornerLaw
from impact_analysis.tosses.flight import Flight, turn_between
from impact_analysis.tosses.mujoco_motion import SoftContact, mujoco_model, mujoco_motion
from impact_analysis.tosses.toss_impacts import Toss
from impact_predictor.compiled.contact_springs import LEAST_RESTITUTION, Springs

LATER = 0.08  # after the first touch, at which errors are reported too [s]
FEWEST = 4  # frames before the touch, for a state at release
_SPRING_STEPS = 80  # evaluations of the fit of springs
_MUJOCO_STEPS = 60
_SPRING_TOSSES, _MUJOCO_TOSSES = 140, 50  # that are fitted to, at most

Motion = tuple[np.ndarray, np.ndarray]
Simulator = Callable[[Start, int, float], Motion]


@dataclass(frozen=True)
class Release:
    """A toss, and the state from which it is simulated, in contact axes."""

    start: Start
    position: np.ndarray  # recorded, of the tracked origin, shape (k, 3) [m]
    rotation: np.ndarray  # recorded, from the body's axes, shape (k, 3, 3)
    touch: int  # first frame in contact


@dataclass(frozen=True)
class RollOut:
    """A simulation's errors, one row per toss."""

    model: str
    summary: str
    values: dict[str, float]  # what was fitted to whole tosses
    position: np.ndarray  # mean over the frames, per width, shape (N,) [-]
    rotation: np.ndarray  # mean over the frames, shape (N,) [rad]
    later_position: np.ndarray  # LATER, per width, shape (N,) [-]
    later_rotation: np.ndarray  # LATER, shape (N,) [rad]
    same_face: np.ndarray  # whether the same face is up at the end, shape (N,)


def releases(tosses: Sequence[Toss], body: ConvexBody, centre: np.ndarray) -> list[Release]:
    """Return the tosses whose flight is long enough, with their states at release.

    Args:
        tosses: of the body.
        body: as declared.
        centre: of its mass from the tracked origin, shape (3,) [m].
    """
    found = []
    for toss in tosses:
        flight = Flight(toss, body, centre)
        if (touch := flight.touch) < FEWEST:
            continue
        axes, line = flight.axes, flight.line(0, touch, flight.gravity, 0.0)
        vectors = (axes @ line.position, axes @ line.velocity, axes @ line.rotation)
        start = Start(*vectors, axes @ line.angular, axes @ line.gravity)
        found.append(Release(start, toss.position @ axes.T, axes @ toss.rotation, touch))
    return found


def rolled(
    model: str,
    summary: str,
    simulate: Simulator,
    tosses: Sequence[Release],
    body: ConvexBody,
    values: dict[str, float] | None = None,
) -> RollOut:
    """Return a simulation's errors on tosses."""
    rows, later = [], round(LATER * body.rate)
    for toss in tosses:
        position, rotation = simulate(toss.start, len(toss.position), 1.0 / body.rate)
        away = np.linalg.norm(position - toss.position, axis=1) / body.width
        turn = np.linalg.norm(turn_between(rotation, toss.rotation), axis=1)
        k = min(toss.touch + later, len(away) - 1)
        up = [int(np.argmax(body.faces @ R[-1, 2])) for R in (rotation, toss.rotation)]
        rows.append((away.mean(), turn.mean(), away[k], turn[k], up[0] == up[1]))
    columns = (np.array(column) for column in zip(*rows, strict=True))
    return RollOut(model, summary, values or {}, *columns)


def springs_at(shape: BodyShape, law: CornerLaw) -> Simulator:
    """Return the simulation on springs."""
    stiffness = (pi / 2 / law.compression) ** 2
    springs = Springs(law.friction, law.restitution, law.ratio, stiffness)
    return lambda start, frames, period: spring_motion(shape, springs, start, frames, period)


def rigid_at(shape: BodyShape, law: CornerLaw) -> Simulator:
    """Return the simulation by rigid impacts."""
    return lambda start, frames, period: rigid_motion(shape, law, start, frames, period)


def mujoco_at(shape: BodyShape, contact: SoftContact, period: float) -> Simulator:
    """Return the simulation in MuJoCo."""
    model = mujoco_model(shape, contact, period)
    return lambda start, frames, period: mujoco_motion(model, shape, start, frames, period)


def fitted_springs(
    shape: BodyShape, law: CornerLaw, tosses: Sequence[Release], body: ConvexBody
) -> tuple[BodyShape, CornerLaw]:
    """Return friction, restitution, stiffness ratio and rounding that fit whole tosses."""

    def at(x: np.ndarray) -> tuple[BodyShape, CornerLaw]:
        e = min(max(float(x[1]), LEAST_RESTITUTION), 1.0)
        fitted = law._replace(friction=abs(float(x[0])), restitution=e, ratio=exp(float(x[2])))
        return shape._replace(rounding=abs(float(x[3]))), fitted

    start = [law.friction, law.restitution, np.log(law.ratio), shape.rounding]
    few = _some(tosses, _SPRING_TOSSES)
    steps = [0.01, 0.02, 0.5, 0.02 * body.width]
    return at(_least(lambda x: _cost(springs_at(*at(x)), few, body), start, steps, _SPRING_STEPS))


def fitted_mujoco(
    shape: BodyShape, friction: float, tosses: Sequence[Release], body: ConvexBody
) -> SoftContact:
    """Return the contact of MuJoCo that fits whole tosses, from a friction on."""

    def at(x: np.ndarray) -> SoftContact:
        return SoftContact(max(abs(float(x[0])), 1e-3), exp(float(x[1])), exp(float(x[2])))

    few, period = _some(tosses, _MUJOCO_TOSSES), 1.0 / body.rate
    start, steps = [friction, np.log(3e4), np.log(200.0)], [0.01, 0.7, 0.4]

    def cost(x: np.ndarray) -> float:
        return _cost(mujoco_at(shape, at(x), period), few, body)

    return at(_least(cost, start, steps, _MUJOCO_STEPS))


def _some(tosses: Sequence[Release], most: int) -> Sequence[Release]:
    """Return at most so many tosses, evenly spread."""
    return [tosses[i] for i in np.unique(np.linspace(0, len(tosses) - 1, most).astype(int))]


def _cost(simulate: Simulator, tosses: Sequence[Release], body: ConvexBody) -> float:
    """Return the mean position error in widths plus the mean rotation in rad."""
    found = rolled("", "", simulate, tosses, body)
    cost = float(found.position.mean() + found.rotation.mean())
    return cost if np.isfinite(cost) else 1e9


def _least(
    cost: Callable[[np.ndarray], float],
    start: Sequence[float],
    steps: Sequence[float],
    evaluations: int,
) -> np.ndarray:
    """Return the lowest point that Nelder and Mead's method finds; simulations have no slope."""
    from scipy.optimize import minimize  # loads slowly

    simplex = np.vstack([start, np.array(start) + np.diag(steps)])
    options = {"initial_simplex": simplex, "maxfev": evaluations, "xatol": 1e-4, "fatol": 1e-5}
    return np.asarray(minimize(cost, start, method="Nelder-Mead", options=options).x)
