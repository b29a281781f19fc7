# SPDX-License-Identifier: Apache-2.0
"""The quadratic program that a controller asks: an object to print, test, draw and solve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import quadprog

from impact_qp.exceptions import NoSolutionFound


@dataclass(frozen=True)
class QuadraticProgram:
    r"""Minimise :math:`\tfrac12 x^T H x + c^T x` subject to :math:`G x \le h`.

    ``x`` stacks the joint accelerations, shape (n,) [rad/s^2], and whatever the limits add.
    """

    H: np.ndarray  # shape (nx, nx), positive definite
    c: np.ndarray  # shape (nx,)
    G: np.ndarray  # shape (m, nx)
    h: np.ndarray  # shape (m,)
    names: tuple[str, ...]  # of the m rows

    def __str__(self) -> str:
        """Return one line a row: its name and its bound."""
        size = f"{len(self.c)} variables, {len(self.h)} rows"
        rows = [f"  {name} <= {bound:.6g}" for name, bound in zip(self.names, self.h, strict=True)]
        return "\n".join([f"quadratic program: {size}", *rows])

    def violation(self, x: np.ndarray) -> np.ndarray:
        """Return by how much ``x`` exceeds each row, at least 0, shape (m,)."""
        return np.maximum(0.0, self.G @ x - self.h)


@dataclass(frozen=True)
class Solution:
    """What the solver found."""

    x: np.ndarray  # shape (nx,)
    active: tuple[str, ...]  # names of the rows that bind


def solve(program: QuadraticProgram) -> Solution:
    """Solve with quadprog (Goldfarb and Idnani).

    Raises:
        NoSolutionFound: infeasible, not positive definite, or not finite.
    """
    parts = (program.H, program.c, program.G, program.h)
    if not all(np.all(np.isfinite(part)) for part in parts):
        raise NoSolutionFound(program, "the program holds numbers that are not finite")
    constraints = (-program.G.T, -program.h) if len(program.h) else (None, None)
    try:
        x, _, _, _, _, active = quadprog.solve_qp(program.H, -program.c, *constraints)
    except ValueError as error:
        raise NoSolutionFound(program, str(error)) from None
    if not np.all(np.isfinite(x)):
        raise NoSolutionFound(program, "the solver returned numbers that are not finite")
    return Solution(x, tuple(program.names[i - 1] for i in active if i > 0))
