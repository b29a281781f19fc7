# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Velocities of an object before and after an impact, from its recorded pose or velocity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_analysis.spreading.arm_impact import LEFT
from impact_bags.reading.run_record import CellRecord
from impact_bags.series import Series

BEFORE = (-0.02, 0.0)  # around the first contact: window of the velocity before it [s]
SLOWEST = 0.02  # period of poses [s]


@dataclass
class ObjectMotion:
    """Velocities in the axes of ``frame``."""

    topic: str
    frame: str
    before: np.ndarray  # mean over 20 ms before the first contact, shape (3,) [m/s]
    after: np.ndarray  # mean from 20 to 100 ms after the last arm's contact, shape (3,) [m/s]
    note: str  # missing data, as text; empty: none


def object_motion(record: CellRecord, topic: str, first: int, last: int) -> ObjectMotion:
    """Return the velocities of the object about an impact.

    Args:
        record: of the bag.
        topic: of its pose or velocity.
        first: stamp of the first contact of any arm [ns].
        last: that of the last arm [ns].
    """
    rows = record.object
    before = _mean(rows, first, BEFORE, record.moves)
    after = _mean(rows, last, LEFT, record.moves)
    note = ""
    if not np.isfinite(before).all() or not np.isfinite(after).all():
        when = "before" if not np.isfinite(before).all() else "after"
        note = f"poses on {topic} do not cover the time {when} the impact at 50 Hz or more"
    return ObjectMotion(topic, record.frame, before, after, note)


def _mean(rows: Series, origin: int, window: tuple[float, float], moves: bool) -> np.ndarray:
    """Return the mean velocity over a window, NaN where rows do not cover it, shape (3,)."""
    reach = min(rows.period, SLOWEST) if len(rows.time) > 1 else 0.0
    near = rows.within(origin, window[0] - reach, window[1] + reach)
    t = near.since(origin)
    fits = len(t) > 1 and t[0] <= window[0] + 1e-9 and t[-1] >= window[1] - 1e-9
    if not fits or np.diff(t).max() > SLOWEST:
        return np.full(3, np.nan)
    if moves:
        inside = (t >= window[0]) & (t <= window[1])
        return near.values[inside].mean(axis=0)
    ends = [[np.interp(each, t, column) for column in near.values.T] for each in window]
    return (np.array(ends[1]) - ends[0]) / (window[1] - window[0])
