# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The line of a strike: how far head and axis are off it, and back to it."""

from __future__ import annotations

from dataclasses import dataclass
from math import acos
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.state.state import PointState
from impact_robots.tools.tool import Tool

BACK, HIGHEST = 5.0, 0.02  # speed back over the distance [1/s], and its limit [m/s]


class Off(NamedTuple):
    """How far the head of a tool is off its line."""

    centre: float  # of the head's centre beside it [m]
    angle: float  # between its axis and the line [rad]

    @property
    def text(self) -> str:
        """Both, for people."""
        return f"head {1e3 * self.centre:.1f} mm beside the line, axis {self.angle:.3f} rad off it"


@dataclass(frozen=True, eq=False)
class StrikeLine:
    """A line through what is struck; base axes."""

    point: np.ndarray  # that is struck, shape (3,) [m]
    direction: np.ndarray  # of the strike, unit, shape (3,)
    highest: Off  # errors that the strike was planned for

    @classmethod
    def of(cls, tool: Tool, point: np.ndarray, normal: np.ndarray) -> StrikeLine:
        """Return the line of a tool onto a surface, its normal towards the robot, (3,) each."""
        return cls(point, -normal, Off(tool.off_centre, tool.off_angle))

    def off(self, head: PointState) -> Off:
        """Return how far a head is off the line; its frame has z along the strike."""
        beside = self._beside(head.position)
        cosine = float(np.clip(head.rotation[:, 2] @ self.direction, -1.0, 1.0))
        return Off(float(np.linalg.norm(beside)), acos(cosine))

    def problem(self, off: Off) -> str:
        """Return that a head is farther off than was planned for, "" if it is not."""
        most = self.highest
        if off.centre <= most.centre and off.angle <= most.angle:
            return ""
        return f"{off.text}; planned for at most {1e3 * most.centre:g} mm and {most.angle:g} rad"

    def back(self, position: np.ndarray) -> np.ndarray:
        """Return a velocity across the line towards it, shape (3,) [m/s]."""
        velocity = -BACK * self._beside(position)
        return np.asarray(velocity * (HIGHEST / max(float(np.linalg.norm(velocity)), HIGHEST)))

    def aligned(self, rotation: np.ndarray) -> np.ndarray:
        """Return axes of the head turned onto the line, by the smallest angle, shape (3, 3)."""
        turn = pin.Quaternion.FromTwoVectors(rotation[:, 2], self.direction)
        return np.asarray(turn.matrix() @ rotation)

    def _beside(self, position: np.ndarray) -> np.ndarray:
        away = position - self.point
        return np.asarray(away - (away @ self.direction) * self.direction)
