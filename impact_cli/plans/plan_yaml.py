# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes a plan as YAML, with what another controller needs to carry it out."""

from __future__ import annotations

from typing import Any

import yaml

from impact_analysis.present.plain import plain
from impact_robots.robot import Robot

_HEAD = """\
# Where and how fast to hit, of `impact plan`. SI units are in the names of the keys; vectors in
# base axes, the normal out of the surface towards the robot. null: unlimited, or unknown.
# speed_bound_mps: highest approach speed against the normal; the arm's own velocity was left out.
"""


def plan_yaml(document: dict[str, Any], robot: Robot, interface: str) -> str:
    """Return the YAML: all of the command's JSON document, joint names, frames and limits.

    Args:
        document: the command's, of plain values.
        robot: that it is a plan of.
        interface: what the arm is sent.
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
    """Return the limits of the joints, each (n,), None for one that is not known."""
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
