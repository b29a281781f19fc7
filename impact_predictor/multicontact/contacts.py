# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contacts and joints between bodies, in world axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.exceptions import UnknownNameError
from impact_robots import contact_rotation
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, friction_coefficient, restitution_coefficient

WORLD = "world"  # name of the fixed world
JOINTS = ("weld", "hinge", "ball", "translation", "table")


@dataclass(frozen=True)
class BodyContact:
    """One contact point of bodies ``a`` and ``b``; b receives the opposite impulse of a."""

    point: ArrayLike  # in the world, shape (3,) [m]
    normal: ArrayLike  # out of b, towards a, in the world, any length, shape (3,)
    a: str
    b: str = WORLD
    friction: float = 0.0  # mu [-]
    restitution: float = 0.0  # e [-]
    jacobian_a: ArrayLike | None = None  # of the point on a, world axes, (3, n); None: the tool
    jacobian_b: ArrayLike | None = None  # the same on b

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            OutOfRangeError: the point is not three finite numbers, or a coefficient is out of
                its range.
            RobotError: the normal is not three finite numbers, or is zero.
        """
        finite_array(self.point, (3,), "point")
        contact_rotation(self.normal)
        friction_coefficient(self.friction)
        restitution_coefficient(self.restitution)

    def rotation(self) -> np.ndarray:
        """Return R_Wp, from contact axes to world axes, shape (3, 3); see ``contact_rotation``."""
        return contact_rotation(self.normal)


@dataclass(frozen=True)
class Loop:
    """A joint that holds body ``a`` to body ``b`` during the impact, or from the impact on."""

    point: ArrayLike  # in the world, shape (3,) [m]
    a: str
    b: str = WORLD
    joint: str = "weld"  # of JOINTS; a grasp is a weld, "translation" turns not, nor does "table",
    axis: ArrayLike = (0.0, 0.0, 1.0)  # of a hinge, or that a table holds, in the world, (3,)
    closes: bool = False  # the impact stops the relative motion; False: it stays unchanged

    def rows(self) -> np.ndarray:
        """Return the directions of the relative twist that are held, shape (6, 5, 4 or 3, 6).

        Raises:
            UnknownNameError: no such joint.
        """
        if self.joint not in JOINTS:
            raise UnknownNameError("joint", self.joint, JOINTS)
        held = np.eye(6)
        if self.joint == "ball":
            return held[:3]
        if self.joint == "hinge":
            across = np.zeros((2, 6))
            across[:, 3:] = contact_rotation(self.axis)[:, :2].T
            return np.vstack([held[:3], across])
        if self.joint == "table":
            along = np.append(contact_rotation(self.axis)[:, 2], np.zeros(3))
            return np.vstack([along, held[3:]])
        return held[3:] if self.joint == "translation" else held


def face_points(center: ArrayLike, rotation: ArrayLike, half_extents: ArrayLike) -> np.ndarray:
    """Return the corners of a rectangular face, in the world, shape (4, 3) [m].

    A flat face needs contacts at its corners, not at its middle: a point cannot keep a body from
    turning.

    Args:
        center: of the face, in the world, shape (3,) [m].
        rotation: to world axes, from axes whose x and y are along the face's edges, shape (3, 3).
        half_extents: of the face along x and y, shape (2,) [m].

    Raises:
        OutOfRangeError: an array of the wrong shape, or a half extent that is not positive.
    """
    half = finite_array(half_extents, (2,), "half_extents")
    if np.any(half <= 0.0):
        raise OutOfRangeError("half_extents", "two numbers above 0", half_extents)
    signs = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    R = finite_array(rotation, (3, 3), "rotation")
    return finite_array(center, (3,), "center") + (signs * half) @ R[:, :2].T
