# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The surface that a robot hits: its position, and the ranges of its coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import OutOfRangeError
from impact_robots.robot import read_only
from impact_robots.state.contact_frame import contact_rotation
from impact_robots.validation import (
    finite_array,
    friction_range,
    restitution_range,
    stiffness_range,
)

Coefficient = float | Sequence[float]  # one number, or its range (low, high)
USUAL_FRICTION = (0.0, 0.3)  # of a hard, smooth tool on metal, wood or plastic [-]
USUAL_RESTITUTION = (0.0, 0.3)  # of an arm's impact [-]
ANY_STIFFNESS = (1e4, float("inf"))  # from soft rubber to a rigid wall [N/m]
RANGES = ("friction", "restitution", "stiffness")  # what a Surface has a range of


@dataclass(frozen=True, init=False, eq=False)
class Surface:
    """A plane, and what is known of hitting it; base axes O, arrays are read-only.

    The coefficients are those of Coulomb's law of friction and of Newton's law of restitution,
    v_n^+ = -e v_n^-; each lies anywhere in its range.
    """

    point: np.ndarray | None  # any point of it, shape (3,) [m]; none: not known
    normal: np.ndarray  # outward, towards the robot, shape (3,), unit
    friction: tuple[float, float]  # lowest and highest coefficient mu [-]
    restitution: tuple[float, float]  # lowest and highest coefficient e [-]
    stiffness: tuple[float, float]  # lowest and highest of the contact, may be infinite [N/m]
    rotation: np.ndarray = field(init=False, repr=False)  # R_Op, contact to base axes, (3, 3)

    def __init__(
        self,
        point: ArrayLike | None,
        normal: ArrayLike,
        friction: Coefficient = 0.0,
        restitution: Coefficient = 0.0,
        stiffness: Coefficient = ANY_STIFFNESS,
    ) -> None:
        """Check the values of the surface, and compute its contact axes.

        Args:
            point: any point of the surface in O, shape (3,) [m]; none where only its orientation
                matters, as in what messages say: it then has no gap.
            normal: outward, towards the robot, in O, shape (3,), any length.
            friction: coefficient >= 0 [-], one number or low, high.
            restitution: coefficient from 0 to 1 [-], one number or low, high.
            stiffness: of the contact, > 0 [N/m], one number or low, high; high may be infinite.

        Raises:
            OutOfRangeError: the point is not three finite numbers, or a coefficient is out of
                its range.
            RobotError: the normal is not three finite numbers, or is zero.
        """
        rotation = read_only(contact_rotation(normal))
        values = {
            "point": None if point is None else read_only(finite_array(point, (3,), "point")),
            "normal": read_only(rotation[:, 2]),
            "friction": friction_range(friction),
            "restitution": restitution_range(restitution),
            "stiffness": stiffness_range(stiffness),
            "rotation": rotation,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def middle(self) -> tuple[float, float]:
        """Friction and restitution in the middle of their ranges [-]."""
        return middle(self.friction), middle(self.restitution)

    @property
    def is_exact(self) -> bool:
        """Whether friction and restitution are one number each."""
        return all(low == high for low, high in (self.friction, self.restitution))

    def gap(self, position: np.ndarray) -> float:
        """Return the distance of a point from the surface, negative behind it [m].

        Args:
            position: of the point in O, shape (3,) [m].

        Raises:
            OutOfRangeError: no point of the surface is known.
        """
        return float(self.normal.dot(position - self._known_point()))

    def moved(self, distance: float) -> Surface:
        """Return the surface, moved by a ``distance`` along its normal, towards the robot [m].

        Raises:
            OutOfRangeError: no point of the surface is known.
        """
        return replace(self, point=self._known_point() + distance * self.normal)

    def approach_speed(self, velocity: np.ndarray) -> float:
        """Return how fast a point with a ``velocity`` (3,) in O [m/s] nears the surface [m/s]."""
        return -float(self.normal.dot(velocity))

    def _known_point(self) -> np.ndarray:
        if self.point is None:
            raise OutOfRangeError("surface", "a point of it, to say where it is", None)
        return self.point


def middle(bounds: tuple[float, float]) -> float:
    """Return the middle of a range, which of (x, x) is x."""
    return (bounds[0] + bounds[1]) / 2
