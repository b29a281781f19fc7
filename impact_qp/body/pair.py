# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Two palms as a pair: a centre, a direction, and the distance of each palm from the centre."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.task.palm_task import FORWARD, PALMS

SIDES = np.array([1.0, -1.0])  # of the left and the right palm along the pair's y axis


class Pair(NamedTuple):
    """Target of both palms; world axes, the robot stands at the origin."""

    radius: float  # of the middle from the vertical through the robot [m]
    height: float  # of the middle [m]
    yaw: float  # of the middle about that vertical [rad]
    apart: np.ndarray  # of the left and the right palm from the middle, shape (2,) [m]

    @property
    def rotation(self) -> np.ndarray:
        """Axes of the pair, y from the right palm to the left one, shape (3, 3)."""
        return np.array(pin.utils.rotate("z", self.yaw))

    @property
    def middle(self) -> np.ndarray:
        """Between the palms, shape (3,) [m]."""
        ahead = self.radius * self.rotation[:, 0]
        return np.array([ahead[0], ahead[1], self.height])

    @property
    def normals(self) -> np.ndarray:
        """Directions out of the box towards the left and the right palm, shape (2, 3)."""
        return SIDES[:, None] * self.rotation[:, 1]

    @property
    def positions(self) -> np.ndarray:
        """Of the palms' points, shape (2, 3) [m]."""
        return np.asarray(self.middle + self.apart[:, None] * self.normals)

    @property
    def poses(self) -> dict[str, pin.SE3]:
        """Of the palms' frames, with fingers forward, by contact."""
        turned = self.rotation @ FORWARD
        return {palm: pin.SE3(turned, at) for palm, at in zip(PALMS, self.positions, strict=True)}

    def pressed(self, forces: np.ndarray) -> np.ndarray:
        """Return the pressing force of each palm, shape (2,), from forces on them, (2, 3) [N]."""
        return np.asarray((forces * self.normals).sum(axis=1))


def minimum_jerk(fraction: float) -> float:
    """Return the travelled fraction of a minimum-jerk motion (Flash, Hogan 1985) at a time."""
    s = min(max(fraction, 0.0), 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def between(one: Pair, other: Pair, fraction: float) -> Pair:
    """Return the pair at a fraction of the distance between two."""
    return Pair(
        one.radius + fraction * (other.radius - one.radius),
        one.height + fraction * (other.height - one.height),
        one.yaw + fraction * (other.yaw - one.yaw),
        one.apart + fraction * (other.apart - one.apart),
    )
