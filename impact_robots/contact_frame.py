# SPDX-License-Identifier: Apache-2.0
"""The contact frame p: z is the outward normal of the surface, towards the robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import RobotError


def contact_rotation(normal: ArrayLike) -> np.ndarray:
    """Return the rotation from contact axes p to base axes O, shape (3, 3).

    Args:
        normal: outward normal of the surface, towards the robot, in O, shape (3,); any length.

    The third column is the unit normal; the first is horizontal (the base's x axis if the normal
    is vertical), so a vertical wall has its first tangent sideways and its second upwards.

    Raises:
        RobotError: the normal is not three finite numbers, or is zero.
    """
    z = np.asarray(normal, dtype=float)
    if z.shape != (3,) or not np.all(np.isfinite(z)) or np.linalg.norm(z) < 1e-9:
        raise RobotError(f"normal: expected three finite numbers, not all zero, got {normal!r}")
    z = z / np.linalg.norm(z)
    x = np.cross([0.0, 0.0, 1.0], z)
    x = np.array([1.0, 0.0, 0.0]) if np.linalg.norm(x) < 1e-9 else x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
