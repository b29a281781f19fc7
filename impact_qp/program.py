# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The quadratic program that a controller asks: an object to print, test, draw and solve."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import daqp
import numpy as np
import quadprog
from scipy.linalg.lapack import dposv

from impact_qp.exceptions import ControlError

_INFINITE = 1e30  # what daqp takes for no bound
_OPTIMAL = 1  # its exit flag
_KEPT = 1e-10  # by how much a guessed solution may exceed a row


class QuadraticProgram(NamedTuple):
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


class Solution(NamedTuple):
    """What the solver found."""

    x: np.ndarray  # shape (nx,)
    active: tuple[str, ...]  # names of the rows that bind
    rows: tuple[int, ...]  # the same rows by number


class NoSolutionFound(ControlError):
    """A quadratic program has no solution; ``program`` is kept for a look."""

    def __init__(self, program: QuadraticProgram, reason: str) -> None:
        """Keep the program and the solver's reason."""
        super().__init__(f"no solution: {reason}")
        self.program = program


def solve(
    program: QuadraticProgram, solver: str = "quadprog", guess: tuple[int, ...] | None = None
) -> Solution:
    """Solve a program.

    Args:
        program: to solve.
        solver: of :data:`SOLVERS`: quadprog (Goldfarb and Idnani) or daqp (Arnstrom, Bemporad and
            Axehill), dual active-set methods both; daqp is two to three times as fast.
        guess: numbers of the rows that might bind, as those of the last cycle: tried before the
            solver, which has nothing to do if the conditions of optimality hold.

    Raises:
        NoSolutionFound: infeasible, not positive definite, or not finite.
        ControlError: no such solver.
    """
    if solver not in SOLVERS:
        raise ControlError(f"solver: expected one of {', '.join(SOLVERS)}, got {solver!r}")
    if guess is not None and (x_guessed := _binding(program, guess)) is not None:
        names = program.names
        return Solution(x_guessed, tuple([names[i] for i in guess]), guess)
    if not all([isfinite(part.dot(part)) for part in _flat(program)]):
        raise NoSolutionFound(program, "the program holds numbers that are not finite")
    x, active = SOLVERS[solver](program)
    if not isfinite(x.dot(x)):
        raise NoSolutionFound(program, "the solver returned numbers that are not finite")
    names = program.names
    return Solution(x, tuple([names[i] for i in active]), tuple(active))


def _binding(program: QuadraticProgram, rows: tuple[int, ...]) -> np.ndarray | None:
    """Return the solution if exactly these rows bind, which the optimality conditions tell."""
    H, c, G, h, _ = program
    right = np.empty((1 + len(rows), len(c)))
    right[0] = c
    for k, row in enumerate(rows, 1):
        right[k] = G[row]
    _, solved, failed = dposv(H, right.T)
    if failed:
        return None
    x = -solved[:, 0]
    if rows:
        A, N = right[1:], solved[:, 1:]
        _, force, failed = dposv(A.dot(N), A.dot(x) - h.take(rows))
        if failed or not min(force.tolist()) >= 0.0:
            return None
        x -= N.dot(force)
    if not isfinite(h.dot(h)):
        return None
    over = G.dot(x) - h
    return x if not len(h) or over.item(over.argmax()) <= _KEPT else None  # NaN: none


def _flat(program: QuadraticProgram) -> tuple[np.ndarray, ...]:
    """Return the numbers of a program as vectors."""
    return program.H.ravel(), program.c, program.G.ravel(), program.h


def _by_quadprog(program: QuadraticProgram) -> tuple[np.ndarray, list[int]]:
    """Return solution and indices of the rows that bind."""
    constraints = (-program.G.T, -program.h) if len(program.h) else (None, None)
    try:
        x, _, _, _, _, active = quadprog.solve_qp(program.H, -program.c, *constraints)
    except ValueError as error:
        raise NoSolutionFound(program, str(error)) from None
    return x, [i - 1 for i in active.tolist() if i > 0]


def _by_daqp(program: QuadraticProgram) -> tuple[np.ndarray, list[int]]:
    """Return solution and indices of the rows that bind."""
    rows = len(program.h)
    below, kinds = np.full(rows, -_INFINITE), np.zeros(rows, dtype=np.int32)
    x, _, flag, info = daqp.solve(program.H, program.c, program.G, program.h, below, kinds)
    if flag != _OPTIMAL:
        raise NoSolutionFound(program, f"daqp ended with {flag}")
    return x, np.flatnonzero(info["lam"] > 0.0).tolist()


SOLVERS = {"quadprog": _by_quadprog, "daqp": _by_daqp}
