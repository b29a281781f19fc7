# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a tool strikes, what is known of it, and what is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from impact_robots.surface import USUAL_FRICTION

Range = tuple[float, float]
WORK, IMPULSE, FORCE, SPEED = "work", "impulse", "force", "speed"
MAXIMIZED = (WORK, IMPULSE, FORCE, SPEED)
DELIVERED = (IMPULSE, FORCE)


class HardStop(NamedTuple):
    """A wall, or what a nail may turn out to be: a knot, a flush head, a miss."""

    stiffness: Range = (1e5, inf)  # of the contact, may end in infinity [N/m]
    restitution: Range = (0.02, 0.9)  # [-]


class Nail(NamedTuple):
    """A nail that yields to a force and is driven in."""

    resistance: Range  # to being driven, at the surface [N]
    stiffness: Range = (1e6, 1e7)  # of the contact [N/m]
    depth: float | None = None  # to drive it to [m]; none: not said


class Wish(NamedTuple):
    """What a strike is for."""

    what: str  # of MAXIMIZED, of DELIVERED with an amount
    amount: float | None = None  # at least, N.s or N; none: as much as is safe

    def __str__(self) -> str:
        """Return the amount to be delivered, "" for none."""
        unit = "N.s" if self.what == IMPULSE else "N"
        return "" if self.amount is None else f"{self.amount:g} {unit} in every case"


ANY_STOP, FASTEST = HardStop(), Wish(SPEED)


@dataclass(frozen=True)
class Target:
    """What is struck: a nail that may turn out to be a stop, or a stop."""

    nail: Nail | None = None
    stop: HardStop | None = ANY_STOP
    friction: Range = USUAL_FRICTION  # of the head on it [-]
    wish: Wish = FASTEST
    cone: float = 0.0  # largest angle by which the strike's direction may be changed [rad]
