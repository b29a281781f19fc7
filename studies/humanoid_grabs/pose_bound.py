# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Highest speed of both palms in the posture of a scenario, in closed form."""

from __future__ import annotations

from impact_qp.body.grab_phases import announced_arrivals
from impact_qp.whole_body import arrival_speed
from impact_robots import load_robot
from impact_sim.humanoid.grab_scenario import GrabScenario


def pose_bound(scenario: GrabScenario, reading: str = "robust", *, at_box: bool = True) -> float:
    """Return the bound on both palms' speed, independent of each other as published [m/s].

    Args:
        scenario: whose box is announced.
        reading: of :data:`~impact_qp.whole_body.READINGS`.
        at_box: where palms are at the box; else where they start.

    Raises:
        RobotError: the posture is out of reach.
    """
    robot = load_robot(scenario.robot)
    box = scenario.half_width, scenario.box_position, scenario.friction, scenario.restitution
    q = scenario.grabbing(robot) if at_box else scenario.start(robot)
    return arrival_speed(robot, q, announced_arrivals(*box), reading).speed
