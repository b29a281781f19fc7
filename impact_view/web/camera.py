# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Viewpoint of a scene."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from impact_robots.robot import Robot


@dataclass(frozen=True)
class Camera:
    """A camera in base axes, upright."""

    position: tuple[float, float, float]  # [m]
    target: tuple[float, float, float]  # in the middle of the picture [m]
    fov: float = 0.8  # angle from top to bottom [rad]

    @property
    def wxyz(self) -> np.ndarray:
        """Its orientation, z forwards and y down, as a unit quaternion, shape (4,)."""
        forward = np.subtract(self.target, self.position)
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right = right / np.linalg.norm(right)
        rotation = np.column_stack([right, np.cross(forward, right), forward])
        x, y, z, w = pin.Quaternion(rotation).coeffs()
        return np.array([w, x, y, z])


STANDARD = Camera((0.75, -1.1, 1.15), (0.3, 0.25, 0.5))
STANDING = Camera((2.3, -1.5, 1.5), (0.2, 0.0, 0.75))  # for a robot as tall as a person


def camera_of(robot: Robot) -> Camera:
    """Return a camera that sees the whole robot."""
    return STANDING if robot.base == "floating" else STANDARD
