# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The parameters that a scenario gives the suite's nodes, over DDS and in one process."""

from __future__ import annotations

from typing import Any

from impact_robots.description.loader import load_robot
from impact_sim.scenarios import Scenario


def suite_settings(
    scenario: Scenario, impact_limits: str, *, lockstep: bool
) -> dict[str, dict[str, Any]]:
    """Return the parameters that differ from their defaults, by node.

    Args:
        scenario: what is hit, where.
        impact_limits: of the controller: unaware, robust, existential, nominal, joint_load.
        lockstep: the nodes wait for each other.
    """
    controller = scenario.controller_parameters(load_robot(scenario.robot))
    controller |= {"impact_limits": impact_limits, "lockstep": lockstep, "simulated": True}
    detector = {
        "robot": scenario.robot,
        "threshold": scenario.detection_threshold,
        "contact_normal": list(controller["contact_normal"]),
        "wrench_normal": list(controller["contact_normal"]),
        "lockstep": lockstep,
    }
    return {
        "impact_qp": controller,
        "impact_detector": detector,
        "impact_predictor": {"robot": scenario.robot},
    }
