# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which mode of impact_msgs/ControllerStatus a phase of a grab is."""

from __future__ import annotations


def mode_of(phase: str, *, held: bool) -> str:
    """Return the name of the mode of a phase, or of a robot that is held instead."""
    if held or phase == "rest":
        return "hold"
    return {"approach": "approach", "back": "retract"}.get(phase, "press")
