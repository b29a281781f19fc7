# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A grab in haste: what controllers are compared at, and one of the troubles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from impact_sim.humanoid.grab_scenario import GrabScenario

SPEED, RAMP, RUN_UP = 1.0, 10.0, 0.15  # of each palm [m/s], [m/s^2], [m]
HASTE = {"reference_speed": SPEED, "reference_ramp": RAMP, "run_up": RUN_UP}
PLANNED = "planned"
MODES = (PLANNED, "robust", "existential", "unaware")  # of the demo


def in_haste(scenario: GrabScenario, limits: str) -> GrabScenario:
    """Return a scenario at 1 m/s, under impact limits of that name, that ends with the lift.

    With its first box alone: what haste breaks, it breaks before.
    """
    first = scenario.box_masses[:1]
    changes: dict[str, Any] = {**HASTE, "impact_limits": limits, "box_masses": first}
    changes["tosses"] = False
    return replace(scenario, **changes)


def scenario_of_mode(scenario: GrabScenario, mode: str) -> GrabScenario:
    """Return what is run in one of :data:`MODES`: as it is, or in haste."""
    return scenario if mode == PLANNED else in_haste(scenario, mode)
