# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Guards of an arm by reference spreading: its speed before the impact, force after."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from impact_qp.references import SpreadReference
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array

_STEP = 1e-3  # between evaluated times of a reference [s]


@dataclass(frozen=True, eq=False)
class SpreadGuard:
    """Limits of one arm near the object; by default there are none."""

    into: ArrayLike = (0.0, 0.0, 0.0)  # towards the object, base axes, unit, (3,); zero: unknown
    speed: float = inf  # highest along ``into`` before the impact [m/s]
    give: float = inf  # excess travel along it after which the object is gone [m]
    travel: float = inf  # highest travel along it beyond the nominal contact [m]
    settle: float | None = None  # delay of the force after all hits; None: no wait [s]
    cap: float = inf  # highest speed of the contact point in any phase [m/s]

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            OutOfRangeError: a value is out of its range, or limits an unknown direction.
        """
        size = float(np.linalg.norm(finite_array(self.into, (3,), "into")))
        if not (size == 0.0 or abs(size - 1.0) < 1e-6):
            raise OutOfRangeError("into", "a unit vector, or zero", self.into)
        for name in ("speed", "give", "travel", "cap"):
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
        reference: evaluated from its start to the end of the window.
        into: unit, base axes, shape (3,).
        window: after the nominal time, in which an impact is still accepted [s].
    """
    times = np.arange(reference.ante.start, reference.nominal_time + window, _STEP)
    velocities = np.array([reference.ante(float(t)).velocity[:3] for t in times])
    return float((velocities @ np.asarray(into, dtype=float)).max())
