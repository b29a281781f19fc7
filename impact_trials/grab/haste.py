# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A grab at high speed, for the comparison of controllers."""

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

    Only with its first box: failures occur before the second.
    """
    first = scenario.box_masses[:1]
    changes: dict[str, Any] = {**HASTE, "impact_limits": limits, "box_masses": first}
    changes["tosses"] = False
    return replace(scenario, **changes)


def scenario_of_mode(scenario: GrabScenario, mode: str) -> GrabScenario:
    """Return the scenario of one of :data:`MODES`: unchanged, or at high speed."""
    return scenario if mode == PLANNED else in_haste(scenario, mode)
