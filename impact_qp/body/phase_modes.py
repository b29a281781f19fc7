# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which mode of impact_msgs/ControllerStatus a phase of a grab is."""

from __future__ import annotations

APPROACH, RETRACT, HOLD, PRESS = 2, 4, 5, 6  # MODE_ of the message; a test compares


def mode_of(phase: str, *, held: bool) -> int:
    """Return the mode of a phase, or of a robot that is held instead."""
    if held or phase == "rest":
        return HOLD
    return {"approach": APPROACH, "back": RETRACT}.get(phase, PRESS)
