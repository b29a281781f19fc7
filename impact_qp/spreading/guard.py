# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What keeps an arm that spreads its references safe: its speed before the impact, its force after.

References that are faster than is safe are slowed as a whole, and the impact comes later by as
much: the way stays, and so does what an impact map says of the velocities, which is homogeneous.
Arms that hit together are slowed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from impact_qp.references import SpreadReference
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array

if TYPE_CHECKING:
    from impact_qp.spreading.plan import SpreadPlan

RESERVE = 0.02  # of the safe speed, that slowed references stay below it: arms are not that exact
_STEP = 1e-3  # between times at which a reference's speed is looked at [s]


@dataclass(frozen=True, eq=False)
class SpreadGuard:
    """Limits of one arm about the object; with none of them it is not guarded."""

    into: ArrayLike = (0.0, 0.0, 0.0)  # the object, base axes, unit, (3,); zero: not known
    speed: float = inf  # highest along ``into`` before the impact [m/s]
    give: float = inf  # way along it, beyond the reference's, by which the object is gone [m]
    room: float = inf  # way along it beyond the nominal contact, in which the arm must rest [m]
    settle: float | None = None  # the force waits for all arms, and then so long; none: not [s]
    cap: float = inf  # highest speed of the contact point, whatever it does [m/s]

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            OutOfRangeError: one is out of its range, or limits a direction that is not known.
        """
        size = float(np.linalg.norm(finite_array(self.into, (3,), "into")))
        if not (size == 0.0 or abs(size - 1.0) < 1e-6):
            raise OutOfRangeError("into", "a unit vector, or zero", self.into)
        for name in ("speed", "give", "room", "cap"):
            value = getattr(self, name)
            if not value > 0.0:
                raise OutOfRangeError(name, "a number above 0", value)
            if size == 0.0 and value < inf and name != "cap":
                raise OutOfRangeError("into", f"the direction that {name} is along", self.into)
        if self.settle is not None and not 0.0 <= self.settle < inf:
            raise OutOfRangeError("settle", "a number from 0", self.settle)


def approach_speed(reference: SpreadReference, into: ArrayLike, window: float) -> float:
    """Return the highest speed of the ante-impact reference along ``into`` [m/s].

    Args:
        reference: from its beginning to the end of the window.
        into: unit, base axes, shape (3,).
        window: after the nominal time, in which an impact is still waited for [s].
    """
    times = np.arange(reference.ante.start, reference.nominal_time + window, _STEP)
    velocities = np.array([reference.ante(float(t)).velocity[:3] for t in times])
    return float((velocities @ np.asarray(into, dtype=float)).max())


def held_back(plans: Sequence[SpreadPlan]) -> tuple[SpreadPlan, ...]:
    """Return plans of arms that hit together, none of them faster than its guard allows.

    All are slowed by the same factor, so that they still hit together.
    """
    factor = min((_factor(plan) for plan in plans), default=1.0)
    if factor >= 1.0:
        return tuple(plans)
    return tuple(
        replace(
            plan,
            reference=plan.reference.slowed(factor),
            smooth=None if plan.smooth is None else plan.smooth.slowed(factor),
        )
        for plan in plans
    )


def _factor(plan: SpreadPlan) -> float:
    """Return by how much a plan is too fast, 1 if it is not."""
    if plan.guard.speed == inf:
        return 1.0
    fastest = approach_speed(plan.reference, plan.guard.into, plan.window)
    safe = (1.0 - RESERVE) * plan.guard.speed
    return safe / fastest if fastest > safe else 1.0
