# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A recorded contact force: checked, and where in it the contact is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import OutOfRangeError
from impact_robots.robot import read_only
from impact_robots.validation import finite_array

SMALLEST_FORCE = 0.5  # below this, no contact [N]
SMALLEST_SHARE = 0.01  # and below this fraction of the peak


@dataclass(frozen=True)
class ForceRecord:
    """Samples of the normal force on the robot; read-only."""

    time: np.ndarray  # shape (n,) [s], increasing
    force: np.ndarray  # shape (n,) [N]

    @property
    def threshold(self) -> float:
        """Force below which there is no contact, f_eps [N]."""
        return max(SMALLEST_FORCE, SMALLEST_SHARE * float(self.force.max()))

    @property
    def contact(self) -> tuple[int, int]:
        """Indices next to the peak at which the force is no longer above the threshold."""
        quiet = self.force <= self.threshold
        peak = int(self.force.argmax())
        before, after = np.flatnonzero(quiet[:peak]), np.flatnonzero(quiet[peak:])
        touch = int(before[-1]) if before.size else 0
        return touch, peak + int(after[0]) if after.size else len(quiet) - 1

    @property
    def complete(self) -> bool:
        """Whether the record goes on until the force is gone."""
        return bool(self.force[self.contact[1]] <= self.threshold)


def force_record(time: ArrayLike, force: ArrayLike) -> ForceRecord:
    """Return a checked record.

    Args:
        time: shape (n,) [s], increasing.
        force: on the robot along the outward normal, shape (n,) [N].

    Raises:
        OutOfRangeError: fewer than 3 samples, not finite, times that do not increase, a force
            that points into the surface, or none above 0.5 N.
    """
    size = np.size(time)
    t = finite_array(time, (size,), "time")
    f = finite_array(force, (size,), "force")
    if size < 3:
        raise OutOfRangeError("time", "at least 3 samples", f"{size}")
    if not (np.diff(t) > 0.0).all():
        at = int(np.argmin(np.diff(t) > 0.0)) + 1
        raise OutOfRangeError("time", "increasing times", f"{t[at]} after {t[at - 1]} s")
    if -f.min() > max(f.max(), SMALLEST_FORCE):
        raise OutOfRangeError("force", "positive out of the surface", f"a peak of {f.min():.3g} N")
    if f.max() <= SMALLEST_FORCE:
        expected = f"a contact, so samples above {SMALLEST_FORCE} N"
        raise OutOfRangeError("force", expected, f"a largest force of {f.max():.3g} N")
    return ForceRecord(read_only(t), read_only(f))
