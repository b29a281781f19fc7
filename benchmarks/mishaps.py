# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Robust control with deviations from the announcement; figures, no times.

Simulated approaches of the demo's Panda. Run it with ``./impact bench mishaps`` (half a minute).
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from disturbances import DISTURBANCES, run_disturbance


def measure() -> dict[str, float]:
    """Return contact speed, impulsive and commanded torque over their limits, per disturbance."""
    figures = {}
    for name, disturbance in DISTURBANCES.items():
        outcome = run_disturbance(disturbance)
        figures[f"{name}: contact speed [m/s]"] = outcome.contact_speed
        figures[f"{name}: impulsive torque / limit"] = outcome.impulsive_torque
        figures[f"{name}: commanded torque / limit"] = outcome.torque
        figures[f"{name}: impact limit gave way by [m/s]"] = outcome.gave_way
    return figures
