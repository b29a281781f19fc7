# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The two arms of a robot's ranges that an interval of loads is made of."""

from __future__ import annotations

import numpy as np

from impact_predictor.joint_load.load_case import scale_ends
from impact_predictor.joint_load.worst_load import ANNOUNCED
from impact_robots.robot import Robot

# ends of joint stiffness, damping, inertia; drawn arms stay between these two within a few percent
_HARD, _SOFT = (1, 0, 1), (0, 1, 0)


def joint_ends(robot: Robot, joints: str) -> list[np.ndarray]:
    """Return joints that make loads high and low; one if they are known, or not to vary.

    Args:
        robot: whose ranges count.
        joints: "announced" or "nominal".

    Returns:
        scales of stiffness, damping and motor inertia, each of shape (3, n) [-].
    """
    ends = scale_ends(robot.joint_ranges, robot.dof)
    if joints != ANNOUNCED or (ends == 1.0).all():
        return [np.ones_like(ends[0])]
    return [np.stack([ends[end, row] for row, end in enumerate(each)]) for each in (_HARD, _SOFT)]
