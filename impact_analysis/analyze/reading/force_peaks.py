# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Force peaks that are impacts: they rise within milliseconds, a push by hand takes ten times that.

A contact of the robots of Wang 2022 and Rey Arias 2024 lasts 5 to 20 ms and rises in less than 10;
the steepest that half a sine of 0.1 s rises in 10 ms is a third of its peak, of one of 0.2 s a
sixth.
"""

from __future__ import annotations

import numpy as np

from impact_detector.estimators.impulse import runs
from impact_detector.signals.noise import STD_OF_MEDIAN

CONTACT_FORCE = 3.0  # norm that is a contact [N]
RISE = 0.01  # in which an impact rises by RISE_SHARE of its peak [s]
RISE_SHARE = 0.6
PEAK = 0.02  # after the rise, in which the peak lies [s]
SHORTEST = 1e-3  # contact; shorter is a disturbance of the sensor [s]
SLOWEST = 0.005  # time between samples at which a rise can be seen [s]
_SURE = 3.0  # a peak is this many levels high
_SIGMAS = 5.0
_APART = 0.1  # between peaks, within that they are one [s]


def force_peaks(t: np.ndarray, force: np.ndarray) -> list[tuple[float, float]]:
    """Return when force peaks of impacts begin [s], and how high they are [N].

    Forces count from their median, so that a sensor's offset and a load that is carried do not.

    Args:
        t: times, increasing, about a second, shape (N,) [s].
        force: at these times, shape (N, 3) [N].
    """
    if len(t) < 10 or np.median(np.diff(t)) > SLOWEST:
        return []
    period = float(np.median(np.diff(t)))
    change = force - np.median(force, axis=0)
    norm = np.linalg.norm(change, axis=1)
    noise = STD_OF_MEDIAN * float(np.median(np.abs(change), axis=0).max())
    level = max(CONTACT_FORCE, _SIGMAS * noise)
    found: list[tuple[float, float]] = []
    for first, end in runs(norm > level):
        if end - first < 2 or t[end - 1] - t[first] + period < SHORTEST:
            continue
        at, peak = _steepest(t, norm, first, end)
        if peak >= _SURE * level and not (found and at - found[-1][0] < _APART):
            found.append((at, peak))
    return found


def _steepest(t: np.ndarray, norm: np.ndarray, first: int, end: int) -> tuple[float, float]:
    """Return where a run of samples rises like an impact and the peak there, 0 if nowhere."""
    earlier = np.searchsorted(t, t[first:end] - RISE)
    later = np.searchsorted(t, t[first:end] + PEAK)
    rises = norm[first:end] - norm[earlier]
    for k in np.argsort(-rises, kind="stable")[:1]:
        peak = float(norm[earlier[k] : later[k]].max())
        if rises[k] >= RISE_SHARE * peak:
            return float(t[max(first, earlier[k])]), peak
    return float(t[first]), 0.0
