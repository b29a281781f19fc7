# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Points of a plane surface, evenly apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_qp.exceptions import ControlError

_LEVEL = 0.99  # vertical part of a normal from which on a surface counts as level


@dataclass(frozen=True)
class SurfaceGrid:
    """A rectangle of a plane, with points in rows.

    The rectangle's second side points up as far as the surface allows; on a level surface the
    first one is the x axis of the base.
    """

    centre: np.ndarray  # base axes, shape (3,) [m]
    normal: np.ndarray  # outward, base axes, shape (3,), of length 1
    size: tuple[float, float]  # width and height [m]
    count: tuple[int, int]  # points along width and height, at least 1

    def __post_init__(self) -> None:
        """Refuse a grid of nothing.

        Raises:
            ControlError: says what is wrong.
        """
        if not (np.isfinite(self.size).all() and min(self.size) >= 0.0):
            raise ControlError(f"size: expected two finite lengths >= 0, got {_two(self.size)}")
        if min(self.count) < 1:
            raise ControlError(f"grid: expected two numbers of points, got {_two(self.count)}")

    @property
    def axes(self) -> np.ndarray:
        """Directions of width and height, base axes, shape (2, 3)."""
        level = abs(self.normal[2]) > _LEVEL
        first = np.array([1.0, 0.0, 0.0]) if level else np.cross([0.0, 0.0, 1.0], self.normal)
        first = first - (first @ self.normal) * self.normal
        first = first / np.linalg.norm(first)
        return np.array([first, np.cross(self.normal, first)])

    def offsets(self, axis: int) -> np.ndarray:
        """Return where points are along width (0) or height (1), shape (count,) [m]."""
        half = 0.5 * self.size[axis]
        return np.linspace(-half, half, self.count[axis]) if self.count[axis] > 1 else np.zeros(1)

    def points(self) -> np.ndarray:
        """Return the points, lowest row first, base axes, shape (rows, columns, 3) [m]."""
        width, height = self.axes
        along, up = self.offsets(0), self.offsets(1)
        return self.centre + along[None, :, None] * width + up[:, None, None] * height


def _two(values: tuple[float, float]) -> str:
    return ",".join(f"{value:g}" for value in values)
