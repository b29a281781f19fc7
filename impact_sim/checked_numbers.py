# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks the numbers of a record."""

from __future__ import annotations

import math

from impact_sim.exceptions import SimulationError


def check_at_least(record: object, **lowest: float) -> None:
    """Check that fields are finite and not too low.

    Args:
        record: object with the fields.
        **lowest: smallest allowed value by field.

    Raises:
        SimulationError: one is not finite, or too small; named in the message.
    """
    for name, low in lowest.items():
        value = getattr(record, name)
        if not low <= value < math.inf:
            raise SimulationError(f"{name}: expected a number from {low:g}, got {value:g}")
