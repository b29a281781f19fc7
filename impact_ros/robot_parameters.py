# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The parameters of every node of the suite that name its robot. Needs no ROS to import."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from impact_robots.loader import load_robot
from impact_robots.robot import Robot
from impact_robots.validation import HEAVIEST
from impact_ros.parameters import parameter

_NAN = float("nan")


@dataclass(frozen=True)
class RobotParameters:
    """Base of a node's parameters: which robot."""

    robot: str = parameter("panda", "Name of a robot of the suite, or path of its YAML.")
    urdf: str = parameter("", "Path of a URDF that replaces the robot's own; empty: its own.")
    joint_prefix: str = parameter(
        "", "Prefix of joint names that replaces the robot's own, such as fr3_; empty: its own."
    )

    payload: tuple[float, float] = parameter(
        (_NAN, _NAN),
        "Lowest and highest mass at the contact point beside the tool; NaN: the robot's own.",
        unit="kg",
        low=0.0,
        high=HEAVIEST,
    )

    def load_robot(self) -> Robot:
        """Return the robot.

        Raises:
            ImpactError: It cannot be loaded, or not carry the payload.
        """
        return load_robot(
            self.robot,
            urdf=self.urdf or None,
            joint_prefix=self.joint_prefix or None,
            payload=None if isnan(self.payload[0]) else self.payload,
        )
