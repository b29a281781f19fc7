# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The contact point of a robot, and its frame p: z is the outward normal of the surface."""

from __future__ import annotations

from math import hypot, inf, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import RobotError


class ContactPoint(NamedTuple):
    """A point that moves with a frame; what :meth:`~impact_robots.RobotState.at` takes."""

    frame: str | None = None  # of the model; none: the robot's contact frame
    offset: tuple[float, float, float] | None = None  # in that frame [m]; none: its origin


OWN = ContactPoint()  # the robot's contact frame


_ROUNDING = 1e-15  # of the length of a unit normal


def contact_rotation(normal: ArrayLike) -> np.ndarray:
    """Return the rotation from contact axes p to base axes O, shape (3, 3).

    Args:
        normal: outward normal of the surface, towards the robot, in O, shape (3,); of any
            length from 1e-9 on: a shorter one is a zero with rounding.

    The third column is the unit normal; the first is horizontal (the base's x axis if the normal
    is vertical), so a vertical wall has its first tangent sideways and its second upwards.

    Raises:
        RobotError: the normal is not three finite numbers, or is zero.
    """
    try:
        given = np.asarray(normal, dtype=float)
    except (TypeError, ValueError):
        given = np.empty(0)
    length = hypot(*given.tolist()) if given.shape == (3,) else nan
    if not 1e-9 <= length < inf:
        raise RobotError(
            f"normal: expected three finite numbers, at least 1e-9 long, got {normal!r}"
        )
    if abs(length - 1.0) < _ROUNDING:  # so that the axes of a unit normal are those that it is of
        length = 1.0
    nx, ny, nz = (given / length).tolist()
    level = hypot(nx, ny)
    x, y = (1.0, 0.0) if level < 1e-9 else (-ny / level, nx / level)
    return np.array([[x, -nz * y, nx], [y, nz * x, ny], [0.0, nx * y - ny * x, nz]])
