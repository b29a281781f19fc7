# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Whether a humanoid keeps its balance in a grab: under a palm's impulse, and with the box."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_predictor.balance.push_limit import (
    StanceMargin,
    StandingBody,
    carrying,
    footing_of,
    impulse_limit,
    stance_margin,
)
from impact_qp.exceptions import ControlError
from impact_qp.whole_body import Arrival, arriving_impulses
from impact_robots import ArmDynamics, Robot, RobotState
from impact_robots.task.palm_task import PalmTask


def grab_margin(robot: Robot, task: PalmTask, arrivals: Sequence[Arrival]) -> StanceMargin:
    """Return the largest push that the robot bears in a grab: the lower of before and with the box.

    Args:
        robot: of the task.
        task: object and grasp.
        arrivals: of both palms.

    Raises:
        ControlError: its own impulse, at the reference speed, or a box makes it fall.
        RobotError: the box is out of reach.
    """
    state = ArmDynamics(robot, "all").state(task.grabbing(robot), np.zeros(robot.nv))
    footing = footing_of(robot, state)
    if footing is None:
        raise ControlError(f"{task.name}: expected soles of {robot.name} on level ground")
    highest = balance_speed(robot, state, footing, arrivals)
    if task.reference_speed > highest:
        raise ControlError(
            f"{task.name}: reference_speed: expected at most {highest:.3g} m/s, beyond which a"
            f" palm's impulse makes {robot.name} fall, got {task.reference_speed:g}"
        )
    heaviest = max(task.box_masses)
    lifted = task.box_position + np.array([0.0, 0.0, task.lift])
    carried = stance_margin(carrying(footing, heaviest, lifted))
    if carried.sustained <= 0.0:
        raise ControlError(
            f"{task.name}: box_masses: expected boxes with which {robot.name} stands, got"
            f" {heaviest:g} kg"
        )
    return min(stance_margin(footing), carried, key=lambda each: each.sustained)


def balance_speed(
    robot: Robot, state: RobotState, footing: StandingBody, arrivals: Sequence[Arrival]
) -> float:
    """Return the speed of a palm at which one of its impulses makes the robot fall [m/s].

    Impulses of one palm alone: those of the other push back.
    """
    speeds = [np.inf]
    for each in arriving_impulses(robot, state, arrivals):
        for impulse in (each.arrival.contact.rotation @ each.unit).T:
            size = float(np.linalg.norm(impulse))
            limit = impulse_limit(footing, each.point.position, impulse / size)
            speeds.append(limit / size)
    return float(min(speeds))
