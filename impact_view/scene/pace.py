# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Playback rate of a run: slower around contacts, which last milliseconds."""

from __future__ import annotations

import numpy as np

SLOW = 0.02  # playback rate near a contact
BEFORE, AFTER = 0.02, 0.06  # interval around the beginning of a contact [s]
RATES = {"1x": 1.0, "0.25x": 0.25, "0.1x": 0.1, "0.02x": 0.02}


def rate(time: float, touches: np.ndarray, chosen: float) -> float:
    """Return the playback rate of a run [s/s].

    Args:
        time: in the run [s].
        touches: when contacts begin, shape (k,) [s].
        chosen: rate elsewhere.
    """
    near = (time >= touches - BEFORE) & (time < touches + AFTER)
    return min(SLOW, chosen) if near.any() else chosen


def advance(time: float, elapsed: float, touches: np.ndarray, chosen: float) -> float:
    """Return the time of a run after ``elapsed`` [s] of playback, stopping at the next slow part.

    Args:
        time: in the run before [s].
        elapsed: since then, of the viewer [s].
        touches: when contacts begin, shape (k,) [s].
        chosen: rate where there is no contact.
    """
    step = elapsed * rate(time, touches, chosen)
    ahead = touches[touches - BEFORE > time] - BEFORE
    return float(min([time + step, *ahead]))
