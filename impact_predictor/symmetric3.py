# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Symmetric matrices of three rows in plain floats, faster than arrays at this size.

Compiled too.
"""

from __future__ import annotations

from collections.abc import Sequence

Triple = tuple[float, float, float]
Matrix = Sequence[Sequence[float]]
Rows = tuple[Triple, Triple, Triple]  # of a matrix, as compiled functions have them


def times(A: Matrix, x: Triple) -> Triple:
    """Return A x."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = A
    a, b, c = x
    return xx * a + xy * b + xz * c, xy * a + yy * b + yz * c, xz * a + yz * b + zz * c


def solve(A: Matrix, b: Triple, regular: float = 1e-12) -> Triple | None:
    """Return x with A x = b; None if det A is below ``regular`` times its largest entry cubed.

    Args:
        A: positive semidefinite; its upper triangle is read.
        b: right-hand side.
        regular: smallest relative determinant [-].
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
