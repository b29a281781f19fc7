# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Keeps a torque command near the one before it, as the arm demands."""

from __future__ import annotations

import numpy as np

RATE = 990.0  # libfranka refuses above 999.999 N.m/s, and the arm stops [N.m/s]
PERIOD = 1e-3  # of the arm [s]


def limited(torque: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return the torque to send, shape (7,) [N.m].

    Args:
        torque: wanted, shape (7,) [N.m].
        last: that the arm says it was sent last, shape (7,) [N.m].
    """
    step = RATE * PERIOD
    change = np.minimum(np.maximum(torque - last, -step), step)
    return np.asarray(last + change)
