# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The quadratic program of a controller: an object to print, test, draw and solve."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from math import isfinite
from typing import NamedTuple

import daqp
import numpy as np
import quadprog

from impact_qp.exceptions import ControlError

_INFINITE = 1e30  # daqp's value of a missing bound
_OPTIMAL = 1  # its exit flag
_EQUALITY = 5  # its flag of an equality row
ROW_TOLERANCE = 1e-10  # largest excess of a guessed solution over a row
TRIES = 8  # sets of rows that compiled programs try before a solver is used


class QuadraticProgram(NamedTuple):
    r"""Minimise :math:`\tfrac12 x^T H x + c^T x` under rows, equalities and bounds.

    :math:`G x \le h`, :math:`A x = b`, :math:`l \le x \le u`. ``x`` stacks the joint accelerations,
    shape (n,) [rad/s^2], and the variables that limits add.
    """

    H: np.ndarray  # shape (nx, nx), positive definite
    c: np.ndarray  # shape (nx,)
    G: np.ndarray  # shape (m, nx)
    h: np.ndarray  # shape (m,)
    names: tuple[str, ...]  # of the m rows
    A: np.ndarray | None = None  # shape (p, nx); none: no equalities
    b: np.ndarray | None = None  # shape (p,)
    equalities: tuple[str, ...] = ()  # names of the p equalities
    lower: np.ndarray | None = None  # shape (nx,), -inf: none; no array: no bounds at all
    upper: np.ndarray | None = None  # shape (nx,), inf: none
    coupled: int | None = None  # variables with more than a diagonal in H, the first; none: all

    def __str__(self) -> str:
        """Return one line a row: its name and its bound."""
        size = f"{len(self.c)} variables, {len(self.h)} rows"
        rows = [f"  {name} <= {bound:.6g}" for name, bound in zip(self.names, self.h, strict=True)]
        right = () if self.b is None else self.b.tolist()
        rows += [
            f"  {name} = {each:.6g}" for name, each in zip(self.equalities, right, strict=True)
        ]
        if self.lower is not None and self.upper is not None:
            ends = zip(self.lower.tolist(), self.upper.tolist(), strict=True)
            rows += [f"  {low:.6g} <= variable {i} <= {up:.6g}" for i, (low, up) in enumerate(ends)]
        return "\n".join([f"quadratic program: {size}", *rows])

    @property
    def stacked(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows G, shape (k, nx), and h, shape (k,), with lower and then upper bounds as rows."""
        if self.lower is None or self.upper is None:
            return self.G, self.h
        identity = np.eye(len(self.c))
        return np.vstack([self.G, -identity, identity]), np.concatenate(
            [self.h, -self.lower, self.upper]
        )

    def named(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Return the names of some rows of :attr:`stacked`."""
        return tuple([self._name(row) for row in rows])

    def _name(self, row: int) -> str:
        """Return the name of a row of :attr:`stacked`: bounds come last, the lower ones first."""
        if row < len(self.names):
            return self.names[row]
        end, variable = divmod(row - len(self.names), len(self.c))
        return f"variable {variable} {('lower', 'upper')[end]}"

    def violation(self, x: np.ndarray) -> np.ndarray:
        """Return by how much ``x`` exceeds each row of :attr:`stacked`, at least 0, shape (k,)."""
        G, h = self.stacked
        return np.maximum(0.0, G @ x - h)


class Solution(NamedTuple):
    """Result of the solver."""

    x: np.ndarray  # shape (nx,)
    active: tuple[str, ...]  # names of the rows and bounds that bind; equalities always do
    rows: tuple[int, ...]  # the same by their number in ``QuadraticProgram.stacked``


class NoSolutionFound(ControlError):
    """A quadratic program has no solution; ``program`` is stored for inspection."""

    def __init__(self, program: QuadraticProgram, reason: str) -> None:
        """Store the program and the solver's reason."""
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
            solver, which is not run if the optimality conditions hold.

    Raises:
        NoSolutionFound: infeasible, not positive definite, or not finite.
        ControlError: no such solver.
    """
    if solver not in SOLVERS:
        raise ControlError(f"solver: expected one of {', '.join(SOLVERS)}, got {solver!r}")
    if guess is not None and (x_guessed := _binding(program, guess)) is not None:
        return Solution(x_guessed, program.named(guess), guess)
    if problem := _wrong(program):
        raise NoSolutionFound(program, problem)
    x, active = SOLVERS[solver](program)
    if not isfinite(x.dot(x)):
        raise NoSolutionFound(program, "the solver returned numbers that are not finite")
    return Solution(x, program.named(active), tuple(active))


def _binding(program: QuadraticProgram, rows: tuple[int, ...]) -> np.ndarray | None:
    """Return the solution if exactly these rows bind, by the optimality conditions."""
    if program.b is None and program.lower is None:
        x, found = _minimum_on()(*program[:4], numbers_of(rows), ROW_TOLERANCE)
        return x if found else None
    return _binding_with_equalities(program, rows)


@cache
def _minimum_on() -> Callable[..., tuple[np.ndarray, bool]]:
    from impact_qp.compiled.binding_rows import minimum_on  # loads slowly

    return minimum_on


@lru_cache(maxsize=256)  # mostly those of the previous cycle
def numbers_of(rows: tuple[int, ...]) -> np.ndarray:
    """Return the numbers of rows for compiled functions, read-only."""
    return np.array(rows, dtype=np.int64)


def _binding_with_equalities(program: QuadraticProgram, rows: tuple[int, ...]) -> np.ndarray | None:
    """Return the same with equalities, which always bind and have any sign, and with bounds."""
    from scipy.linalg.lapack import dposv  # loaded by the program's builder

    H, c, G, h, _, A, b, _, lower, upper, coupled = program
    p = 0 if b is None else len(b)
    right, ends = np.empty((1 + p + len(rows), len(c))), np.empty(p + len(rows))
    right[0] = c
    if p:
        right[1 : 1 + p], ends[:p] = A, b
    for k, row in enumerate(rows, p):
        right[1 + k], ends[k] = _side(program, row)
    moved = right / H.diagonal()  # by a unit multiplier of each, where the cost does not couple
    _, solved, failed = dposv(H[:coupled, :coupled], right[:, :coupled].T)
    if failed:
        return None
    moved[:, :coupled] = solved.T
    x = -moved[0]
    if p or rows:
        normals, N = right[1:], moved[1:].T
        _, force, failed = dposv(normals.dot(N), normals.dot(x) - ends)
        pushes = force[p:].tolist() if p else force.tolist()
        if failed or (pushes and not min(pushes) >= 0.0):
            return None
        x -= N.dot(force)
        if (
            A is not None
            and b is not None
            and not abs(A.dot(x) - b).max(initial=0.0) <= ROW_TOLERANCE
        ):
            return None
    if not isfinite(h.dot(h)):
        return None
    over = [G.dot(x) - h]
    if lower is not None and upper is not None:
        over += [lower - x, x - upper]
    return (
        x if all([each.max(initial=0.0) <= ROW_TOLERANCE for each in over]) else None
    )  # NaN: none


def _side(program: QuadraticProgram, row: int) -> tuple[np.ndarray, float]:
    """Return a row of :attr:`QuadraticProgram.stacked`, shape (nx,), and its upper bound."""
    m, n = len(program.h), len(program.c)
    if row < m:
        return program.G[row], program.h[row]
    upper, variable = divmod(row - m, n)
    normal, end = np.zeros(n), program.upper if upper else program.lower
    assert end is not None  # else the row does not exist
    normal[variable] = 1.0 if upper else -1.0
    return normal, float(end[variable] if upper else -end[variable])


def _wrong(program: QuadraticProgram) -> str:
    """Return why the program cannot be passed to a solver, "" if it can."""
    H, c, G, h, _, A, b, _, lower, upper, _ = program
    parts = [H.ravel(), c, G.ravel(), h]
    if A is not None and b is not None:
        parts += [A.ravel(), b]
    if not all([isfinite(part.dot(part)) for part in parts]):
        return "the program holds numbers that are not finite"
    if lower is not None and upper is not None and not (lower <= upper).all():
        return "a variable's lower bound is above its upper one"
    return ""


def _by_quadprog(program: QuadraticProgram) -> tuple[np.ndarray, list[int]]:
    """Return solution and indices of the rows that bind."""
    G, h = program.stacked
    rows, p = np.arange(len(h)), 0
    if program.lower is not None:
        rows = np.flatnonzero(np.isfinite(h))
        G, h = G[rows], h[rows]
    left, right = -G, -h
    if program.A is not None and program.b is not None:
        left, right, p = np.vstack([program.A, left]), np.append(program.b, right), len(program.b)
    constraints = (left.T, right, p) if len(right) else ()
    try:
        x, _, _, _, _, active = quadprog.solve_qp(program.H, -program.c, *constraints)
    except ValueError as error:
        raise NoSolutionFound(program, str(error)) from None
    return x, [int(rows[i - 1 - p]) for i in active.tolist() if i > p]


def _by_daqp(program: QuadraticProgram) -> tuple[np.ndarray, list[int]]:
    """Return solution and indices of the rows that bind."""
    rows = len(program.h)
    left, high, low = program.G, program.h, np.full(rows, -_INFINITE)
    kinds, size = np.zeros(rows, dtype=np.int32), 0
    if program.A is not None and program.b is not None:
        left = np.vstack([left, program.A])
        high, low = np.append(high, program.b), np.append(low, program.b)
        kinds = np.append(kinds, np.full(len(program.b), _EQUALITY, dtype=np.int32))
    if program.lower is not None and program.upper is not None:  # daqp's bounds come first
        size = len(program.c)
        high = np.append(np.minimum(program.upper, _INFINITE), high)
        low = np.append(np.maximum(program.lower, -_INFINITE), low)
        kinds = np.append(np.zeros(size, dtype=np.int32), kinds)
    x, _, flag, info = daqp.solve(program.H, program.c, left, high, low, kinds)
    if flag != _OPTIMAL:
        raise NoSolutionFound(program, f"daqp ended with {flag}")
    force = info["lam"]
    active = np.flatnonzero(force[size : size + rows] > 0.0).tolist()
    active += [rows + i for i in np.flatnonzero(force[:size] < 0.0)]
    active += [rows + size + i for i in np.flatnonzero(force[:size] > 0.0)]
    return x, [int(i) for i in active]


SOLVERS = {"quadprog": _by_quadprog, "daqp": _by_daqp}
