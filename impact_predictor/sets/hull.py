# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Half-spaces of the convex hull of points that may lie in a flat."""

from __future__ import annotations

from math import hypot

import numpy as np


def half_spaces(points: np.ndarray, flatness: float = 1e-9) -> tuple[np.ndarray, np.ndarray]:
    """Return A (m, d), b (m,) of the hull {x : A x <= b} of ``points``, shape (k, d).

    Where the points lie in a flat (a point, a line, a plane ...) each of its normals gives a pair
    of opposite half-spaces.

    Args:
        points: shape (k, d), any unit.
        flatness: extent, relative to the largest coordinate, that counts as zero.
    """
    scale = np.abs(points).max() or 1.0  # the tolerances of qhull are absolute
    points = points / scale
    centre = points.mean(axis=0)
    few = len(points) < points.shape[1]
    _, extents, axes = np.linalg.svd(points - centre, full_matrices=few)
    rank = int(np.sum(extents > flatness))
    within, normals = axes[:rank], axes[rank:]
    A, b = _full_dimensional((points - centre) @ within.T)
    A = np.vstack([A @ within, normals, -normals])
    return A, scale * (np.concatenate([b, np.zeros(2 * len(normals))]) + A @ centre)


def _full_dimensional(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return A, b of the hull of points (k, d) that fill all d dimensions; d may be 0."""
    d = points.shape[1]
    if d == 0:
        return np.empty((0, 0)), np.empty(0)
    if d == 1:
        return np.array([[1.0], [-1.0]]), np.array([points.max(), -points.min()])
    if d == 2:
        return _edges(points)
    from scipy.spatial import ConvexHull  # loads slowly

    equations = np.unique(ConvexHull(points).equations.round(12), axis=0)
    return equations[:, :-1], -equations[:, -1]


def _edges(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return A, b of a polygon by Andrew's monotone chain, which at this size is 10 times faster.

    Three points that are in line up to rounding count as in line.
    """
    ordered = sorted(set(map(tuple, points.tolist())))
    corners = _chain(ordered)[:-1] + _chain(ordered[::-1])[:-1]
    rows = []
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        length = hypot(bx - ax, by - ay)
        nx, ny = (by - ay) / length, (ax - bx) / length
        rows.append((nx, ny, nx * ax + ny * ay))
    table = np.array(rows)
    return table[:, :2], table[:, 2]


def _chain(ordered: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Return the lower hull of points in order of x, counter-clockwise."""
    chain: list[tuple[float, ...]] = []
    for x, y in ordered:
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-14:
                break
            chain.pop()
        chain.append((x, y))
    return chain
