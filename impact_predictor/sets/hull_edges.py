# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The edges of a convex hull, to draw it; the points may repeat and lie in a flat."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

_FLAT = 1e-6  # extent, relative to the largest, that counts as zero: invisible
_SAME_FACE = 1e-9  # one minus cosine of the angle between facets that are one face


def hull_edges(points: np.ndarray) -> np.ndarray:
    """Return the edges of the convex hull of ``points`` (k, 3) as pairs of them, shape (m, 2, 3).

    A single point has no edge, points on a line have one, points in a plane those of a polygon.
    Edges inside a face of more than three corners are left out.
    """
    points = np.unique(points, axis=0)
    offsets = points - points.mean(axis=0)
    _, extents, axes = np.linalg.svd(offsets, full_matrices=False)
    size = float(np.abs(points).max(initial=0.0))
    rank = int(np.sum(extents > _FLAT * max(extents[0], size)))
    # edges stay edges when the axes are scaled, and qhull likes points that fill the space
    within = offsets @ axes[:rank].T / extents[:rank]
    return points[np.array(_edges(within), dtype=int).reshape(-1, 2)]


def _edges(points: np.ndarray) -> list[tuple[int, int]]:
    """Return the edges of points (k, d) that fill all d dimensions, as pairs of indices."""
    d = points.shape[1]
    if d == 0:
        return []
    if d == 1:
        return [(int(points.argmin()), int(points.argmax()))]
    from scipy.spatial import ConvexHull  # loads slowly

    hull = ConvexHull(points)
    if d == 2:
        around = hull.vertices.tolist()  # in order
        return list(zip(around, around[1:] + around[:1], strict=True))
    return _solid_edges(hull)


def _solid_edges(hull: ConvexHull) -> list[tuple[int, int]]:
    """Return the edges between facets of a solid that are not in one plane."""
    normals = hull.equations[:, :3]
    owners: dict[tuple[int, int], list[int]] = {}
    for facet, corners in enumerate(hull.simplices.tolist()):
        for edge in combinations(sorted(corners), 2):
            owners.setdefault(edge, []).append(facet)
    return [
        edge
        for edge, (one, other) in owners.items()
        if normals[one] @ normals[other] < 1.0 - _SAME_FACE
    ]
