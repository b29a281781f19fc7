# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""ExecuteImpact goals at a scenario's surface with all other fields open."""

import numpy as np
import pinocchio as pin

from impact_msgs.action import ExecuteImpact
from impact_robots.surface import RANGES as QUANTITIES
from impact_ros.messages import set_vector

NAN = float("nan")
RANGES = tuple(f"{name}_{end}" for name in QUANTITIES for end in ("low", "high"))


def set_fields(message, **fields):
    """Set fields of a message, or of its surface."""
    for name, value in fields.items():
        setattr(message.surface if hasattr(message.surface, name) else message, name, value)


def open_goal(robot, scenario, **fields):
    """Return a goal at the scenario's surface, everything open but ``fields``."""
    goal = ExecuteImpact.Goal(speed=NAN, timeout=NAN)
    set_fields(goal, **dict.fromkeys(RANGES, NAN))
    set_vector(goal.contact.pose.position, scenario.surface_point(robot))
    turn = pin.Quaternion(np.array([0.0, 0.0, 1.0]), np.array(scenario.normal, float))
    for name in "xyzw":
        setattr(goal.contact.pose.orientation, name, getattr(turn, name))
    set_fields(goal, **fields)
    return goal
