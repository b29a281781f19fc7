# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which arms change their references when one of them detects its impact."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Trigger(Enum):
    """How several arms hear of impacts.

    Shared, an arm that is late gets its clamp force before it touches: 20 ms late, its joint 6
    feels 11.6 instead of 6.9 N.m, and its plate 159 instead of 134 N (doc/reference_spreading.md).
    It is there to reproduce the published controller.
    """

    PER_ARM = "per_arm"
    SHARED = "shared"


def heard(detected: Mapping[str, bool], trigger: Trigger = Trigger.PER_ARM) -> dict[str, bool]:
    """Return which arms take it that they have hit something, by name."""
    if trigger is Trigger.SHARED:
        return dict.fromkeys(detected, any(detected.values()))
    return dict(detected)
