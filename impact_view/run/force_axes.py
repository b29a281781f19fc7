# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The frame in which each force sensor measures, and its rotation to base axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin

from impact_robots.robot import Robot


class ForceAxes:
    """Rotations from the frames of force sensors to base axes.

    Attributes:
        remarks: which forces are not shown, and why.
    """

    def __init__(self, robot: Robot, frames: Mapping[str, str]) -> None:
        """Set up.

        Args:
            robot: the arm.
            frames: of the force topics' messages; an empty one is the robot's base.
        """
        self._model, self._data = robot.model, robot.model.createData()
        self._fixed = {topic for topic, name in frames.items() if name in ("", robot.base_frame)}
        there = {frame.name for frame in robot.model.frames}
        self._moving = {
            topic: robot.model.getFrameId(name)
            for topic, name in frames.items()
            if topic not in self._fixed and name in there
        }
        self.remarks = tuple(
            f"forces on {topic} are not shown: {robot.name} has no frame {name!r}"
            for topic, name in frames.items()
            if topic not in self._fixed and topic not in self._moving
        )
        self._frames = frames

    def __call__(self, topic: str, q: np.ndarray) -> np.ndarray | None:
        """Return the rotation to base axes at ``q`` (n,) [rad], shape (3, 3); None: not known."""
        if topic in self._fixed or topic not in self._frames:
            return np.eye(3)
        if topic not in self._moving:
            return None
        frame = self._moving[topic]
        pin.framesForwardKinematics(self._model, self._data, q)
        return self._data.oMf[frame].rotation.copy()
