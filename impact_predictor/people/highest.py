# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest speed at which something that grows with speed stays within its limit."""

from __future__ import annotations

from collections.abc import Callable

FASTEST = 10.0  # looked at [m/s]
_HALVINGS = 40
_CLOSE = 1e-5  # of the speed [-]


def highest_speed(over: Callable[[float], float]) -> float:
    """Return the highest speed at which a ratio is at most 1 [m/s], at most 10, 0 if there is none.

    Args:
        over: ratio to the limit at a speed [m/s], growing with it.
    """
    low, high = 0.0, FASTEST
    for _ in range(_HALVINGS):
        if high - low < _CLOSE * high:
            break
        middle = 0.5 * (low + high)
        low, high = (middle, high) if over(middle) <= 1.0 else (low, middle)
    return low
