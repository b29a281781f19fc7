# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What has to be said with every speed towards a person."""

from __future__ import annotations

from collections.abc import Sequence

ALWAYS = (
    "not a certified safety function; verify by measurement with a force gauge",
    "simulation of a frozen arm: a nonlinear one differs, the more the farther a joint is sent on",
    "pressure is not covered: the area of contact is unknown",
    "contact with head or face is excluded",
    "speeds are relative: subtract the speed of the person",
    "edges, and clamping by other links, are not covered",
)
FROM_MEMORY = (
    "forces of the built-in table are from memory: check against your copy of ISO/TS 15066"
)
COASTS = "assumes a controller that does not push after contact, then brakes (control: coasting)"
PUSHES_ON = "assumes no reaction: the arm pushes on after contact"
SHORT_PEAK = (
    "a peak within 2 ms of contact: the mass without motors counts, the formula is too careful"
)


def cautions(points: Sequence[str], *more: str) -> list[str]:
    """Return all that is to be said.

    Args:
        points: of the arm that were looked at.
        more: that applies to this plan.
    """
    at = ", ".join(points)
    return [
        *ALWAYS,
        f"looked at {at} of the arm; other points hit differently, often the elbow",
        *more,
    ]
