# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A detector's statistic as text, with its unit."""

from __future__ import annotations

from impact_detector.detectors.detector_kind import DETECTORS
from impact_detector.signals.sample import FORCE, Suppressed


def suppressed_text(suppressed: Suppressed) -> str:
    """Return time and value of a statistic above its threshold, and why there is no event."""
    unit = unit_of(suppressed.detector)
    return (
        f"{suppressed.time * 1e-9:.4f} s, {suppressed.detector} {suppressed.statistic:.3f} >"
        f" {suppressed.threshold:.3f} {unit}: {suppressed.reason}"
    )


def unit_of(detector: str) -> str:
    """Return the unit of a detector's statistic."""
    return "N" if detector == FORCE else DETECTORS.named(detector).unit
