# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""A tool with a soft cover: when it bottoms out, and the highest speed that keeps the limits then.

Up to the speed at which the cover bottoms out loads are proportional to the speed, as without one.
Beyond it the motion at a speed v is v times that at 1 m/s of a cover of the thickness t/v.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from math import exp, inf, log, sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.joint_load.elastic_arm import ElasticArm
from impact_predictor.joint_load.load import LoadContact, LoadRun, joint_load
from impact_predictor.joint_load.load_case import RatedCase
from impact_robots.description.named_contact import Cover
from impact_robots.validation import positive

NEVER = 1e6  # thickness of a cover that does not bottom out [m]
_RESERVED = 20.0  # of a limit, over the travel in a contact [1/m]
_TRIES = 40  # at most
_FARTHER = 0.2  # step of the logarithm of the speed while no limit is reached [-]
_CLOSE = 5e-3  # to the bound, below it [-]
_RATE = Callable[[Cover], Generator[LoadRun, None, RatedCase]]


def first_speed(rate: _RATE, thick: RatedCase, cover: Cover) -> Generator[LoadRun, None, RatedCase]:
    """Return a case at the first speed that reaches a limit, up to half a percent below it.

    Piece by piece, as ``rate`` is.

    Args:
        rate: returns the case at 1 m/s with a cover.
        thick: the case with a cover that does not bottom out.
        cover: as it is.
    """
    bottoms = cover.thickness / float(thick.load.compression[0])
    if thick.speed <= bottoms or thick.speed == inf:
        return thick._replace(bottoms=bottoms)
    low, high, found = log(bottoms), log(thick.speed), thick
    under, over = low - high, 0.0  # logarithm of speed over bound, negative: the limits are kept
    now, kept = high, 0
    for _ in range(_TRIES):
        rated = yield from rate(cover_at(cover, exp(now)))
        ratio = now - log(rated.speed)
        side = -1 if ratio <= 0.0 else 1
        if side < 0:
            low, under, found = now, ratio, rated
        else:
            high, over = now, ratio
        if over > 0.0 and high - low <= _CLOSE:
            break
        if over <= 0.0:  # no limit is reached yet
            now = high = now + _FARTHER
            continue
        if side == kept:  # Illinois: the other end's weight is halved
            under, over = (under, 0.5 * over) if side < 0 else (0.5 * under, over)
        kept = side
        now = low + (high - low) * under / (under - over)
        now = min(max(now, low + 0.5 * _CLOSE), max(high - 0.5 * _CLOSE, low + 0.5 * _CLOSE))
    low = exp(low)
    return found._replace(used=found.used / (low * found.used.max()), bottoms=bottoms)


def reserve(cover: Cover, mass: float) -> float:
    r"""Return the fraction of every limit that is reserved for the arm's motion in a contact [s/m].

    At 1 m/s, and proportional to the speed: the model freezes the configuration, and its error
    grows with the travel :math:`v\sqrt{m/k}` in a contact (``./impact bench tool_cover``).

    Args:
        cover: of the tool.
        mass: behind it, of links and apparent motors [kg].
    """
    return _RESERVED * sqrt(mass / cover.stiffness)


def cover_at(cover: Cover, speed: float) -> Cover:
    """Return the cover with which an impact at 1 m/s is that at a speed [m/s] over the speed."""
    return replace(cover, thickness=cover.thickness / speed)


class CoveredContact(NamedTuple):
    """Contact of a free body with a cover."""

    peak_force: float  # [N]
    duration: float  # until it separates [s]
    restitution: float  # [-]
    compression: float  # largest of the cover [m]
    bottoms_out: bool


def covered_contact(
    cover: Cover, surface: Viscoelastic, mass: float, approach_speed: float, refinement: int = 4
) -> CoveredContact:
    """Return the contact of a free body whose cover hits a surface.

    Args:
        cover: between body and surface.
        surface: its law.
        mass: of the body [kg], positive.
        approach_speed: [m/s], positive.
        refinement: of the time steps.

    Raises:
        OutOfRangeError: mass or speed is not positive.
    """
    positive(mass, "mass")
    v, none, one = positive(approach_speed, "approach_speed"), np.zeros(1), np.ones(1)
    body = ElasticArm(np.eye(1) / mass, none, none, one, one, none, none, none, none, none, 0.5)
    J = np.array([[0.0], [0.0], [1.0]])
    contact = LoadContact(J, np.array([0.0, 0.0, -v]), surface, 0.0, cover=cover)
    slowest = sqrt(mass * (1.0 / cover.stiffness + 1.0 / surface.stiffness))
    overdamped = cover.damping / cover.stiffness
    duration = 2.0 * np.pi * slowest + 10.0 * overdamped
    load = joint_load(body, [contact], duration=duration, refinement=refinement)
    compression = float(load.compression[0])
    return CoveredContact(
        float(load.peak_force[0]),
        float(load.contact_end[0]),
        float(load.impulse[0, 2]) / (mass * v) - 1.0,
        compression,
        compression >= cover.thickness,
    )
