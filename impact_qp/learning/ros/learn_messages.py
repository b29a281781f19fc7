# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the messages of the action LearnSurface, and the goals of its hits."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np

from impact_msgs.action import ExecuteImpact, LearnSurface
from impact_predictor.learning.learned_file import JOINTS
from impact_predictor.learning.learning_box import FIGURES
from impact_predictor.learning.wall_change import LearnedHit
from impact_predictor.learning.wall_interval import interval, wall_ranges
from impact_qp.goals.goal import End
from impact_qp.learning.surface_learner import NextHit, SurfaceLearner
from impact_qp.learning.wall_approach import AHEAD
from impact_robots.surface import RANGES
from impact_ros.message_fields import write
from impact_ros.messages import fill
from impact_ros.surface_message import QUANTITIES, surface_fields

PATIENCE = 5.0  # beside a multiple of the time of the distance at the requested speed [s]
SLOWER = 4.0  # the controller's own limit may allow half of that speed


def hit_goal(contact: Any, hit: NextHit, cap: float) -> ExecuteImpact.Goal:
    """Return the goal of a hit: the learned speed, and the learned ranges for the limit joint_load.

    The message has no joints, so the controller takes theirs as its robot's YAML announces them.

    Args:
        contact: geometry_msgs/PoseStamped, where.
        hit: requested.
        cap: of the reference speed, which is a tenth above that of the hit [m/s].
    """
    goal = ExecuteImpact.Goal(impact_limits="joint_load", after=ExecuteImpact.Goal.AFTER_RETRACT)
    goal.contact, goal.highest_speed = contact, hit.speed
    goal.speed = min(AHEAD * hit.speed, cap)
    goal.timeout = PATIENCE + SLOWER * hit.gap / hit.speed
    write(goal.surface, surface_fields({name: getattr(hit.surface, name) for name in RANGES}))
    return goal


def feedback(
    learner: SurfaceLearner, hit: NextHit, learned: LearnedHit | None = None
) -> LearnSurface.Feedback:
    """Return the feedback on a hit, before it or after learning from it."""
    message = LearnSurface.Feedback(
        hit=hit.number,
        learned=learned is not None,
        bound=hit.safe.speed,
        reason=hit.safe.reason,
        speed=hit.speed,
        contact_speed=nan if learned is None else learned.speed,
        load=nan if learned is None else learned.load,
        misfit=nan if learned is None else learned.misfit,
        contradicted=learned is not None and learned.contradicted,
    )
    write(message.surface, surface_fields(interval(learner.learned.known)))
    return message


def result(end: End, learner: SurfaceLearner | None, hit_code: int) -> LearnSurface.Result:
    """Return the result of a goal; without a learner numbers are NaN."""
    message = LearnSurface.Result(success=end.success, code=end.code, message=end.message)
    message.hit_code = hit_code
    message.speed_reached = message.highest_load = nan
    if learner is None:
        write(message.surface, surface_fields(dict.fromkeys(QUANTITIES, (nan, nan))))
        return message
    box = learner.learned.known.narrowed
    write(message.surface, surface_fields(wall_ranges(box)))
    message.joint_names = list(box.robot.joint_names)
    ends = np.stack([box.low[FIGURES:], box.high[FIGURES:]]).reshape(2, 3, -1)
    for row, name in enumerate(JOINTS):
        for end_name, values in zip(("low", "high"), ends[:, row], strict=True):
            fill(getattr(message, f"{name.removesuffix('_range')}_{end_name}"), values)
    message.hits = len(learner.hits)
    if learner.hits:
        message.speed_reached = learner.hits[-1].speed
        message.highest_load = max(each.load for each in learner.hits)
    return message
