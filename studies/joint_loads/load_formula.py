# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The published load a/delta_t J^T iota of the named scenarios, compared with the joint torques."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load_case import LoadCase
from impact_qp.limits import Contact, RobustImpactLimit, SpeedBound
from impact_robots import ArmDynamics, Robot
from impact_sim.scenarios import Scenario, load_scenario, scenario_names
from studies.joint_loads.load_model import PassiveImpact, passive_impact_at
from studies.joint_loads.load_poses import WallPose

FRICTION = 0.05  # [-]
SURFACES = ((1.2e5, 0.3), (1e6, 0.3), (1e7, 0.02), (1e7, 0.3))  # stiffness [N/m], restitution [-]


class ScenarioImpact(NamedTuple):
    """One impact of a scenario at its published robust bound."""

    scenario: str
    bound: SpeedBound
    impact: PassiveImpact


def scenario_impacts(robot: Robot) -> list[ScenarioImpact]:
    """Return an impact of each scenario on each surface."""
    known = np.ones((3, robot.dof))
    return [
        _impact(robot, load_scenario(name), LoadCase(*surface, FRICTION, known))
        for name in scenario_names()
        for surface in SURFACES
    ]


def _impact(robot: Robot, scenario: Scenario, case: LoadCase) -> ScenarioImpact:
    """Let the arm fly into the wall of a case as fast as the published limit allows."""
    q = np.array(scenario.q_impact)
    point = ArmDynamics(robot)(q, np.zeros(robot.dof))
    contact = Contact(point.position, scenario.normal, scenario.friction, scenario.restitution)
    bound = RobustImpactLimit(robot, contact).speed_bound(point)
    impact = passive_impact_at(robot, WallPose(q, point), case, bound.speed)
    return ScenarioImpact(scenario.name, bound, impact)
