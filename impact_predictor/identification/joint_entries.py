# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Identified joints as entries of a robot's YAML."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from impact_predictor.identification.joint_estimate import JointIdentification
from impact_robots.description.joint_ranges import JointRanges
from impact_robots.robot import Robot

DIGITS = 4  # of a number


def joint_entries(robot: Robot, found: JointIdentification) -> dict[str, list]:
    """Return replacements of a robot's entries: lists of n numbers, ranges of two such lists.

    Values are the identified ones where they are known, else those of the robot. Both motor
    inertias are scaled alike, and the torque loop keeps the constants that it has.

    Args:
        robot: whose entries were the nominal ones.
        found: identified values.
    """
    new = identified_robot(robot, found)
    entries = {
        "joint_stiffness": new.joint_stiffness,
        "joint_damping": new.joint_damping,
        "apparent_motor_inertia": new.apparent_motor_inertia,
        "reflected_motor_inertia": new.reflected_motor_inertia,
        "loop_damping_time": new.damping_time,
        "joint_stiffness_range": new.joint_ranges.stiffness,
        "joint_damping_range": new.joint_ranges.damping,
        "motor_inertia_range": new.joint_ranges.motor_inertia,
    }
    return {key: _rounded(each) for key, each in entries.items() if np.isfinite(each).all()}


def identified_robot(robot: Robot, found: JointIdentification) -> Robot:
    """Return the robot with the joints that were identified, as its YAML with these entries."""
    ranges = JointRanges(*np.swapaxes(found.bounds / found.values, 0, 1))
    return replace(robot.with_joints(found.values), joint_ranges=ranges)


def joint_entries_text(robot: Robot, found: JointIdentification) -> str:
    """Return the entries as text of a YAML, with a heading that names their source."""
    hits = ", ".join(map(str, found.hits))
    head = [
        f"# Joints of {robot.name}, identified from recorded hits ({hits} of joint 1 to"
        f" {robot.dof}).",
        "# These entries take the place of those in the robot's YAML. Ranges hold 95 % of each",
        "# figure by itself, or what was assumed where the hits did not tell more.",
    ]
    entries = joint_entries(robot, found)
    return "\n".join([*head, *(f"{key}: {value}" for key, value in entries.items()), ""])


def _rounded(values: np.ndarray) -> list:
    """Return plain numbers of few digits, in the shape of the array."""
    short = [float(f"{value:.{DIGITS}g}") for value in values.ravel()]
    return np.array(short).reshape(values.shape).tolist()
