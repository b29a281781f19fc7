# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Composes tasks and limits into a quadratic program."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from impact_qp.limits import Limit
from impact_qp.program.program import QuadraticProgram
from impact_qp.tasks import Task
from impact_robots.compiling.direct_call import direct
from impact_robots.state.state import RobotState

REGULARISATION = 1e-6  # on every variable
SLACK_WEIGHT = 1e6  # on the amount by which yielding rows are exceeded


class ProgramBuilder:
    """Builds the program of the same tasks and limits at every cycle, in the same memory."""

    def __init__(
        self, dof: int, tasks: Sequence[Task], limits: Sequence[Limit], *, soften: bool = False
    ) -> None:
        """Set up.

        Args:
            dof: number of joints n.
            tasks: of the cost; with their present weights.
            limits: constraints.
            soften: relax the rows of yielding limits together, by the smallest possible amount:
                adds one variable, the last, at least 0, in the rows' own unit.
        """
        import scipy.linalg.lapack  # noqa: F401  here, not in the first control cycle: loads slowly

        from impact_qp.compiled import binding_rows  # noqa: F401  the same
        from impact_qp.compiled.cost import write_cost

        self._write_cost = direct(write_cost)
        self._dof, self._limits, self._soften = dof, tuple(limits), soften
        size = dof + sum(limit.variables for limit in limits) + int(soften)
        bounded = any(limit.bounded for limit in limits)
        self._slack_row = soften and not bounded  # else it has a bound
        count = sum(len(limit.names) for limit in limits) + int(self._slack_row)
        self._G, self._h = np.zeros((count, size)), np.zeros(count)
        self._H, self._c = REGULARISATION * np.eye(size), np.zeros(size)
        self._H_joints, self._c_joints = self._H[:dof, :dof], self._c[:dof]
        rows = sum(task.size for task in tasks)
        self._A, self._b = np.zeros((rows, dof)), np.zeros(rows)
        self._weights = weights_of(tasks)
        self._tasks, row = [], 0
        for task in tasks:
            block = slice(row, row + task.size)
            self._tasks.append((task, self._A[block], self._b[block]))
            row = block.stop
        self._rows = self._views()
        self._add_equalities_and_bounds(size)
        self._parts: list[tuple[str, ...]] | None = None
        self._names: tuple[str, ...] = ()
        if soften:
            self._H[-1, -1] = self._c[-1] = SLACK_WEIGHT
        if self._slack_row:
            self._G[-1, -1] = -1.0

    def _views(self) -> list[tuple[Limit, np.ndarray, np.ndarray, np.ndarray]]:
        """Return each limit with the place of its rows."""
        views, row, column = [], 0, self._dof
        diagonal = np.einsum("ii->i", self._H)
        for limit in self._limits:
            rows = slice(row, row + len(limit.names))
            columns = slice(column, column + limit.variables)
            diagonal[columns] += limit.variable_weight
            block = self._G[rows]
            views.append((limit, block[:, : self._dof], block[:, columns], self._h[rows]))
            if self._soften and limit.yields:
                block[:, -1] = -1.0
            row, column = rows.stop, columns.stop
        return views

    def _add_equalities_and_bounds(self, size: int) -> None:
        """Allocate memory for optional parts of limits."""
        self._equalities = tuple(name for limit in self._limits for name in limit.equalities)
        p = len(self._equalities)
        self._E = np.zeros((p, size)) if p else None
        self._e = np.zeros(p) if p else None
        bounded = any(limit.bounded for limit in self._limits)
        self._ends = np.zeros((2, size)) if bounded else None

    def _fill_equalities_and_bounds(self, state: RobotState) -> None:
        """Write them."""
        if self._ends is not None:
            self._ends[0], self._ends[1] = -inf, inf
            if self._soften:
                self._ends[0, -1] = 0.0
        row, column = 0, self._dof
        for limit in self._limits:
            rows = slice(row, row + len(limit.equalities))
            own = slice(column, column + limit.variables)
            if limit.equalities and self._E is not None and self._e is not None:
                block = self._E[rows]
                limit.equate(state, block[:, : self._dof], block[:, own], self._e[rows])
            if limit.bounded and self._ends is not None:
                limit.narrow(state, self._ends[:, : self._dof], self._ends[:, own])
            row, column = rows.stop, own.stop

    def build(self, state: RobotState, added: np.ndarray | None = None) -> QuadraticProgram:
        """Return the program at a state; it is overwritten by the next one.

        Args:
            state: of the arm.
            added: to the accelerations of the tasks, shape (n,) [rad/s^2].
        """
        for task, A, b in self._tasks:
            task.fill(state, A, b)
        if added is not None:
            self._b += self._A.dot(added)
        for limit, G, E, h in self._rows:
            limit.fill(state, G, E, h)
        self._write_cost(
            self._A, self._b, self._weights, REGULARISATION, self._H_joints, self._c_joints
        )
        if self._e is None and self._ends is None:
            return QuadraticProgram(self._H, self._c, self._G, self._h, self._named())
        self._fill_equalities_and_bounds(state)
        lower, upper = (None, None) if self._ends is None else self._ends
        return QuadraticProgram(
            self._H,
            self._c,
            self._G,
            self._h,
            self._named(),
            self._E,
            self._e,
            self._equalities,
            lower,
            upper,
            self._dof,
        )

    def _named(self) -> tuple[str, ...]:
        """Return the names of all rows; rebuilt only if one has changed."""
        parts = [limit.names for limit in self._limits]
        if parts != self._parts:
            self._parts, slack = parts, ("slack",) if self._slack_row else ()
            self._names = tuple(name for part in parts for name in part) + slack
        return self._names


def weights_of(tasks: Sequence[Task]) -> np.ndarray:
    """Return the present weights of the tasks' rows, stacked."""
    return np.repeat([float(task.weight) for task in tasks], [task.size for task in tasks])


def build(
    state: RobotState, tasks: Sequence[Task], limits: Sequence[Limit], *, soften: bool = False
) -> QuadraticProgram:
    """Return the program of the tasks under the limits, see :class:`ProgramBuilder`."""
    return ProgramBuilder(len(state.dq), tasks, limits, soften=soften).build(state)
