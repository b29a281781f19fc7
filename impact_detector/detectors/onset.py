# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""When an impact began, seen from the sample that detected it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_detector.signals.sample import from_seconds

LONGEST_RISE = from_seconds(0.010)  # detection takes 3 to 6 ms in the literature
RISE_FRACTION = 0.2


def onset_time(times: Sequence[int], statistics: Sequence[float]) -> int:
    """Return the last time before the statistic left its level of before the impact.

    Args:
        times: of successive samples [ns], the last one being the detection; at least one.
        statistics: of the same samples.

    The level of before is the median of the older half. The onset is the newest sample that lies
    below it plus a fifth of the rise, and at most 10 ms before the detection.
    """
    values = np.asarray(statistics, dtype=float)
    before = float(np.median(values[: max(1, len(values) // 2)]))
    quiet = np.flatnonzero(values[:-1] <= before + RISE_FRACTION * (values[-1] - before))
    onset = times[int(quiet[-1])] if quiet.size else times[-1]
    return max(onset, times[-1] - LONGEST_RISE)
