# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What speaks against the estimate of an impact, in words."""

from __future__ import annotations

import numpy as np

from impact_analysis.analyze.reading.force_peaks import CONTACT_FORCE
from impact_analysis.analyze.reading.state_watch import GAP
from impact_analysis.analyze.sentences import text_of
from impact_detector.estimators.estimate import (
    IN_CONTACT,
    MISSING_SAMPLES,
    POOR_FIT,
    SECOND_IMPACT,
    SHORT_WINDOW,
    UNDERSAMPLED,
    Estimate,
)

AROUND = (0.05, 0.1)  # before and after the touch, where a gap matters [s]


def second_contact(t: np.ndarray, force: np.ndarray, duration: float) -> float:
    """Return when another contact begins after the first one's release, NaN: none [s]."""
    if not np.isfinite(duration):
        return float("nan")
    later = t > duration + 1e-3
    norm = np.linalg.norm(force[later], axis=1)
    noise = float(np.linalg.norm(force[t < -2e-3], axis=1).max(initial=0.0))
    pushing = np.flatnonzero(norm > max(CONTACT_FORCE, 2.0 * noise))
    return float(t[later][pushing[0]]) if pushing.size else float("nan")


def hole(t: np.ndarray, period: float) -> float:
    """Return the longest time without a joint state in the window, 0 if that is usual [s]."""
    near = t[(t > -AROUND[0]) & (t < AROUND[1])]
    longest = float(np.diff(near).max(initial=0.0))
    return longest if longest > GAP * period else 0.0


def quality_notes(estimate: Estimate, second: float) -> list[str]:
    """Return the quality of an estimate in words."""
    keys = {
        POOR_FIT: "poor_fit",
        SHORT_WINDOW: "short_window",
        MISSING_SAMPLES: "missing_samples",
        SECOND_IMPACT: "second_impact",
        UNDERSAMPLED: "undersampled",
        IN_CONTACT: "in_contact",
    }
    notes = [text_of(key) for bit, key in keys.items() if estimate.quality & bit]
    if np.isfinite(second) and not estimate.quality & SECOND_IMPACT:
        notes.append(text_of("second_contact", time=f"{1e3 * second:.0f}"))
    return notes
