# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Fractions of the limits used by a hit of an object, and the highest speed within all limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import NamedTuple

import numpy as np

_FASTEST = 2.0**10  # scale above which the speed is unlimited [-]
_FINE, _STEPS = 1e-4, 40  # relative width of the final interval, largest number of steps


class ObjectBound(NamedTuple):
    """The highest scale of the arms' velocities, and the limit that sets it."""

    scale: float  # infinite: unlimited; 0: no safe speed [-]
    limit: str


class ObjectUse(ABC):
    """Limits on the effects of hitting an object.

    Attributes:
        names: of the k limits, each with its arm's name if it has one.
    """

    names: tuple[str, ...]

    @abstractmethod
    def used(self, scale: float) -> np.ndarray:
        """Return the used fraction of each limit at a scale of the arms' velocities, (k,) [-].

        Raises:
            PredictionError: an impact without a finite result.
        """


def largest_scale(use: ObjectUse) -> ObjectBound:
    """Return the highest scale at which no limit is used beyond 1.

    The fractions grow with the scale. The secant is tried first: most are straight lines.
    """
    low, rest = 0.0, use.used(0.0)
    if rest.max() >= 1.0:
        return ObjectBound(0.0, use.names[int(rest.argmax())])
    high, over = 1.0, use.used(1.0)
    while over.max() <= 1.0:
        low, rest, high = high, over, 2.0 * high
        if high > _FASTEST:
            return ObjectBound(inf, "")
        over = use.used(high)
    for step in range(_STEPS):
        if high - low <= _FINE * high:
            break
        middle = _between(low, rest.max(), high, over.max(), step)
        fraction = use.used(middle)
        if fraction.max() <= 1.0:
            low, rest = middle, fraction
        else:
            high, over = middle, fraction
    return ObjectBound(low, use.names[int(over.argmax())])


def _between(low: float, below: float, high: float, above: float, step: int) -> float:
    """Return the next scale: where the line crosses 1; every third time the middle."""
    if step % 3 == 2 or not np.isfinite(above):
        return (low + high) / 2.0
    crossing = low + (high - low) * (1.0 - below) / (above - below)
    edge = _FINE * high / 2.0
    nudge = -edge if step % 3 == 0 else edge  # to either side of it, to close the interval
    return float(min(max(crossing + nudge, low + edge / 2.0), high - edge / 2.0))
