# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Highest safe speeds at a pose: by the published robust limit, and by the joint loads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load_limits import LoadLimits, load_limits
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_qp.limits import RobustImpactLimit
from impact_qp.planning import safe_speed
from impact_robots import Robot
from impact_robots.description.joint_ranges import ANNOUNCED, NOMINAL
from studies.joint_loads.load_hits import announced, load_limit
from studies.joint_loads.load_poses import WallPose


class PoseBounds(NamedTuple):
    """Bounds of the approach speed at one pose [m/s]."""

    robust: float  # published
    known_change: float  # joints known, change of torque alone
    known: float  # joints known, change and range
    announced: float  # joints anywhere in the ranges of the robot's YAML, change and range
    name: str  # of the limit that sets the last one


def pose_bounds(robot: Robot, pose: WallPose) -> PoseBounds:
    """Return the bounds at a pose, as ``plan`` gives them, each with its limit's own margin."""
    contact = announced(pose)
    limits = (
        RobustImpactLimit(robot, contact),
        load_limit(robot, contact, NOMINAL),
        load_limit(robot, contact, ANNOUNCED),
    )
    robust, known, ours = (safe_speed(robot, limit, pose.point.q).bound for limit in limits)
    change = _change(load_limits(robot, pose.point.g, limits[1].margin))
    worst = LoadSearch(robot, contact, joints=NOMINAL).worst(pose.point, change)[0]
    return PoseBounds(robust.speed, worst.speed, known.speed, ours.speed, ours.name)


def _change(limits: LoadLimits) -> LoadLimits:
    """Return the limits without those of the range."""
    none = np.full_like(limits.up, np.nan)
    return limits._replace(up=none, down=none)
