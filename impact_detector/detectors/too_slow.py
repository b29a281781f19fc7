# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What to say of a detector that needs a higher rate than that of the joint states."""

from __future__ import annotations

from impact_detector.detectors.detector_kind import DETECTORS
from impact_detector.signals.sample import FORCE, from_seconds
from impact_ros.messages import NANOSECONDS

_SLOW = from_seconds(0.05)  # between samples, with which a detector that is recommended can do


def too_slow(name: str, largest_gap: int, period: int) -> str:
    """Return the words for a detector that needs a higher rate, with those to use instead.

    One that needs a controller's desired velocities is no replacement for one that does not.

    Args:
        name: of the detector.
        largest_gap: between its samples [ns].
        period: usual time between samples [ns].
    """
    needed, got = NANOSECONDS / largest_gap, NANOSECONDS / period
    gaps = {
        each: kind.detector.largest_gap
        for each, kind in DETECTORS.items()
        if each != name and not kind.detector.needs_reference_velocity
    }
    slow = {each: gap or 0 for each, gap in gaps.items() if gap is None or gap >= _SLOW}
    others = [*sorted(slow, key=lambda each: -slow[each]), FORCE]
    return f"{name} needs at least {needed:.0f} Hz, got {got:.0f} Hz: use {' or '.join(others)}"
