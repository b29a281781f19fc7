# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes a plan as YAML, with the data that another controller needs to execute it."""

from __future__ import annotations

from typing import Any

import yaml

from impact_analysis.present.plain import plain
from impact_robots.robot import Robot

_HEAD = """\
# Written by `impact plan`: where and how fast to hit. Keys end with their SI units; vectors are in
# base axes, the normal points out of the surface. null: unlimited, or unknown.
# speed_bound_mps: highest approach speed against the normal, for an arm at rest.
"""


def plan_yaml(document: dict[str, Any], robot: Robot, interface: str) -> str:
    """Return the YAML: all of the command's JSON document, joint names, frames and limits.

    Args:
        document: the command's, of plain values.
        robot: the robot of the plan.
        interface: the commanded quantity.
    """
    more = {
        "interface": interface,
        "joint_names": list(robot.joint_names),
        "base_frame": robot.base_frame,
        "contact_frame": robot.contact_frame,
        "joint_limits": _limits(robot),
    }
    text = yaml.safe_dump(document | more, sort_keys=False, default_flow_style=None, width=100)
    return _HEAD + text


def _limits(robot: Robot) -> dict[str, Any]:
    """Return the joint limits, each (n,), None where unknown."""
    limits = robot.limits
    return plain(
        {
            "position_lower_rad": limits.position_lower,
            "position_upper_rad": limits.position_upper,
            "velocity_radps": limits.velocity,
            "acceleration_radps2": limits.acceleration,
            "torque_nm": limits.torque,
            "impulsive_torque_nm": limits.impulsive_torque,
        }
    )
