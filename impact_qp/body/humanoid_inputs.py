# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joins the messages of a humanoid's topics that have one stamp. Needs no ROS to import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from impact_qp.body.state_check import HumanoidState
from impact_robots.robot import Robot
from impact_ros.exceptions import MessageError
from impact_ros.messages import JointReader, vector

JOINTS, BASE = "joint_states", "odom"
MAX_WAITING = 8  # stamps with incomplete messages


class StampedSets:
    """Collects one message of each topic with the same stamp."""

    def __init__(self, topics: Sequence[str]) -> None:
        """Wait for the messages of these topics."""
        self.topics = tuple(topics)
        self._waiting: dict[int, dict[str, Any]] = {}

    def add(self, topic: str, stamp: int, message: Any) -> dict[str, Any] | None:
        """Take a message with its stamp [ns]; return all of that stamp once complete."""
        waiting = self._waiting.setdefault(stamp, {})
        waiting[topic] = message
        if len(waiting) < len(self.topics):
            if len(self._waiting) > MAX_WAITING:
                del self._waiting[next(iter(self._waiting))]
            return None
        return self._waiting.pop(stamp)

    def forget(self, stamp: int) -> None:
        """Drop waiting messages that are not newer than a stamp [ns]."""
        self._waiting = {time: had for time, had in self._waiting.items() if time > stamp}

    @property
    def missing(self) -> tuple[str, ...]:
        """Topics without a message at the newest waiting stamp; all, if none waits."""
        had = self._waiting[max(self._waiting)] if self._waiting else {}
        return tuple(topic for topic in self.topics if topic not in had)


class HumanoidReader:
    """Reads such a set of messages as a state.

    Attributes:
        topics: names, joints first, then the base, palms and soles.
    """

    def __init__(self, robot: Robot) -> None:
        """Read the messages of a robot with a floating base, palms and soles."""
        self._joints = JointReader(robot.joint_names)
        palms = [each.name for each in robot.contacts if each.half_extents is None]
        soles = [each.name for each in robot.contacts if each.half_extents is not None]
        self.palms, self.soles = ([f"{name}/wrench" for name in each] for each in (palms, soles))
        self.topics = (JOINTS, BASE, *self.palms, *self.soles)

    def read(self, messages: Mapping[str, Any]) -> HumanoidState:
        """Return the state in the messages of all topics; its values are not checked.

        Raises:
            MessageError: joints are missing, or have no position or velocity.
        """
        joints = self._joints.read(messages[JOINTS])
        if not (len(messages[JOINTS].position) and len(messages[JOINTS].velocity)):
            raise MessageError(f"{JOINTS}: expected positions and velocities, got none")
        pose, twist = messages[BASE].pose.pose, messages[BASE].twist.twist
        turn = [getattr(pose.orientation, axis) for axis in "xyzw"]
        q = np.concatenate([vector(pose.position), turn, joints.position])
        v = np.concatenate([vector(twist.linear), vector(twist.angular), joints.velocity])
        palms, soles = (
            np.array([vector(messages[topic].wrench.force) for topic in topics])
            for topics in (self.palms, self.soles)
        )
        return HumanoidState(q, v, palms, soles)
