# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Symmetric matrices of three rows in plain floats, faster than arrays at this size."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, cos, pi, sqrt

Vector = tuple[float, float, float]
Matrix = Sequence[Sequence[float]]


def times(A: Matrix, x: Vector) -> Vector:
    """Return A x."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = A
    a, b, c = x
    return xx * a + xy * b + xz * c, xy * a + yy * b + yz * c, xz * a + yz * b + zz * c


def solve(A: Matrix, b: Vector, regular: float = 1e-12) -> Vector | None:
    """Return x with A x = b; none if det A is below ``regular`` times its largest entry cubed.

    Args:
        A: positive semidefinite; its upper triangle is read.
        b: right-hand side.
        regular: what counts as regular [-].
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = A
    c0, c1, c2 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    determinant = xx * c0 + xy * c1 + xz * c2
    if determinant <= regular * max(xx, yy, zz) ** 3:
        return None
    c4, c5, c8 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    a, b_, c = b
    return (
        (c0 * a + c1 * b_ + c2 * c) / determinant,
        (c1 * a + c4 * b_ + c5 * c) / determinant,
        (c2 * a + c5 * b_ + c8 * c) / determinant,
    )


def extreme_eigenvalues(A: Matrix) -> tuple[float, float]:
    """Return the smallest and the largest eigenvalue."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = A
    mean = (xx + yy + zz) / 3
    a, b, c = xx - mean, yy - mean, zz - mean
    spread = sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6)
    if spread == 0.0:
        return mean, mean
    determinant = (
        a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)
    ) / spread**3
    angle = acos(min(1.0, max(-1.0, determinant / 2))) / 3
    largest = mean + 2 * spread * cos(angle)
    return mean + 2 * spread * cos(angle + 2 * pi / 3), largest
