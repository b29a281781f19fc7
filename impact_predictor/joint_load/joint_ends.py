# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The two arms of a robot's ranges that an interval of loads is made of."""

from __future__ import annotations

import numpy as np

from impact_predictor.joint_load.load_case import HARD, SOFT, common_scale, scale_ends
from impact_robots.description.joint_ranges import ANNOUNCED
from impact_robots.robot import Robot


def joint_ends(robot: Robot, joints: str) -> list[np.ndarray]:
    """Return joints that make loads high and low; one if they are known, or not to vary.

    Drawn arms stay between these two within a few percent.

    Args:
        robot: whose ranges count.
        joints: "announced" or "nominal".

    Returns:
        scales of stiffness, damping and motor inertia, each of shape (3, n) [-].
    """
    ends = scale_ends(robot.joint_ranges, robot.dof)
    if joints != ANNOUNCED or (ends == 1.0).all():
        return [np.ones_like(ends[0])]
    return [common_scale(ends, each) for each in (HARD, SOFT)]
