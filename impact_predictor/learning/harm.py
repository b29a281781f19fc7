# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hits that came near a limit: a ceiling for all later hits of the place, whatever is believed."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

import numpy as np

CLOSE = 0.9  # of a limit, from which a hit came near it
RESERVE = 1.05  # times the largest load found, for what the model is off by
NEAR = 0.3  # difference of every joint's angle, up to which a hit is one of the same place [rad]


class Ceiling(NamedTuple):
    """A speed that no hit of a place may exceed until a person lifts it."""

    q: np.ndarray  # configuration of the hit that came near a limit, shape (n,) [rad]
    speed: float  # [m/s]


def ceiling_of(q: np.ndarray, speed: float, used: float) -> Ceiling | None:
    """Return the ceiling that a hit sets: its speed, less where it used more than 1/1.05.

    Loads of walls that get harder with depth grow faster than the speed, so a speed scaled down in
    proportion is safe.

    Args:
        q: configuration of the hit, shape (n,) [rad].
        speed: of the hit [m/s].
        used: largest share of a limit that it used [-].
    """
    if used < CLOSE:
        return None
    return Ceiling(q, speed / max(1.0, RESERVE * used))


def lowest(ceilings: Iterable[Ceiling], q: np.ndarray) -> float:
    """Return the speed that ceilings of the same place leave, shape (n,) [rad]; inf: any [m/s]."""
    near = (each.speed for each in ceilings if is_near(each.q, q))
    return min(near, default=inf)


def is_near(one: np.ndarray, other: np.ndarray) -> bool:
    """Tell whether two configurations, shape (n,) [rad], hit the same place."""
    return bool(np.abs(one - other).max() < NEAR)
