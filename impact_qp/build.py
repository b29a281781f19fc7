# SPDX-License-Identifier: Apache-2.0
"""Composes tasks and limits into a quadratic program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_qp.limits import Limit
from impact_qp.limits.limit import Rows
from impact_qp.program import QuadraticProgram
from impact_qp.tasks import Task
from impact_robots.dynamics import ArmState

REGULARISATION = 1e-6  # on every variable
SLACK_WEIGHT = 1e6  # on the amount by which yielding rows give way


def build(
    state: ArmState, tasks: Sequence[Task], limits: Sequence[Limit], *, soften: bool = False
) -> QuadraticProgram:
    """Return the program of the tasks under the limits.

    Args:
        state: dynamics of the arm.
        tasks: what to do.
        limits: what not to do.
        soften: let the rows of yielding limits give way together, at the least possible amount:
            adds one variable, the last, at least 0, in the rows' own unit.
    """
    rows = [(limit.rows(state), limit.yields) for limit in limits]
    n = len(state.q)
    own = sum(r.E.shape[1] for r, _ in rows if r.E is not None)
    size = n + own + int(soften)
    H, c = _objective(state, tasks, size, soften)
    G, h, names = _constraints(rows, n, size, soften)
    return QuadraticProgram(H, c, G, h, names)


def _objective(
    state: ArmState, tasks: Sequence[Task], size: int, soften: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return H and c of all tasks over ``size`` variables."""
    n = len(state.q)
    H, c = REGULARISATION * np.eye(size), np.zeros(size)
    for task in tasks:
        H_task, c_task = task.objective(state)
        H[:n, :n] += H_task
        c[:n] += c_task
    if soften:
        H[-1, -1] = c[-1] = SLACK_WEIGHT
    return H, c


def _constraints(
    rows: list[tuple[Rows, bool]], n: int, size: int, soften: bool
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return all rows over ``size`` variables."""
    parts = [part for part, _ in rows]
    count = sum(len(part.h) for part in parts) + int(soften)
    G, h = np.zeros((count, size)), np.zeros(count)
    row, column = 0, n
    for part, yields in rows:
        block = slice(row, row + len(part.h))
        G[block, :n], h[block] = part.G, part.h
        if part.E is not None:
            G[block, column : column + part.E.shape[1]] = part.E
            column += part.E.shape[1]
        if soften and yields:
            G[block, -1] = -1.0
        row = block.stop
    names = tuple(name for part in parts for name in part.names)
    if soften:
        G[-1, -1], names = -1.0, (*names, "slack")
    return G, h, names
