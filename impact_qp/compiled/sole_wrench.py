# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The wrench of a sole, of forces along the edges of the friction pyramids at its corners."""

from __future__ import annotations

from impact_robots.compiling.array_kinds import Matrix, ToMatrix
from impact_robots.compiling.compiled import compiled
from impact_robots.compiling.small_algebra import cross


@compiled
def write_sole_wrench(corners: Matrix, edges: Matrix, wrench: ToMatrix) -> None:
    """Write the map from forces along edges to force and moment, world axes, shape (6, c s).

    Args:
        corners: from the sole's origin, world axes, shape (3, c) [m].
        edges: of the pyramid at each corner, world axes, shape (3, s).
        wrench: written; the edges of the first corner come first.
    """
    sides = edges.shape[1]
    for corner in range(corners.shape[1]):
        for side in range(sides):
            column = corner * sides + side
            moment = cross(corners[:, corner], edges[:, side])
            for axis in range(3):
                wrench[axis, column] = edges[axis, side]
                wrench[3 + axis, column] = moment[axis]
