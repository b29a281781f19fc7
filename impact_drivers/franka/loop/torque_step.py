# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Rate limit of torque commands, as the arm requires."""

from __future__ import annotations

from math import isfinite

from impact_robots.compiling.array_kinds import ToVector, Vector
from impact_robots.compiling.compiled import compiled

RATE = 990.0  # libfranka refuses above 999.999 N.m/s, and the arm stops [N.m/s]
PERIOD = 1e-3  # of the arm [s]
STEP = RATE * PERIOD


@compiled
def write_limited(torque: Vector, last: Vector, sent: ToVector) -> bool:
    """Write the torque to send; return whether the last one is known: it is finite.

    Args:
        torque: desired, shape (7,) [N.m].
        last: last command reported by the arm, shape (7,) [N.m].
        sent: output, shape (7,) [N.m].
    """
    for i in range(len(sent)):
        if not isfinite(last[i]):
            return False
        change = torque[i] - last[i]
        if change > STEP:
            change = STEP
        elif change < -STEP:
            change = -STEP
        sent[i] = last[i] + change
    return True
