# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Fit of wall and joints in a box to hits, with the covariance of the unknowns.

The cost is :math:`\frac12|x|^2/s^2 + \sum|r|^2/(2T)` with unknowns x from -1 to 1, their uniform
deviation s and residuals r over their standard deviation, which T = 2 tempers: residuals of one
hit depend on each other. Every hit has an unknown time of contact besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from impact_predictor.learning.hit_residual import (
    LATE,
    all_residuals,
    contact_time,
    modelled,
    residual,
)
from impact_predictor.learning.hit_window import HitWindow
from impact_predictor.learning.learning_box import FRICTION, LearningBox

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

PRIOR = 3.0**-0.5  # standard deviation of a uniform variable from -1 to 1
TOUCH = 0.5  # standard deviation of a contact's time [ms]
TEMPER = 2.0
GRID = np.linspace(-0.9, 0.9, 10), np.array([-0.5, 0.5])  # of starts: stiffness, restitution
SLIPS = -0.7, 0.5  # starts of friction: a contact that slides, one that may stick
STEP, TIME_STEP = 0.02, 0.01  # of the slopes: unknowns [-], times [ms]
SECANT = 0.02, 0.3, 0.6  # shortest, longest by two standard deviations, and a wide one [-]
REPEATED = 3  # hits: more do not help, since model errors are common to all
GOOD = 0.7  # misfit up to which the covariance is not scaled
EXPLAINED = 1.0  # misfit of a new hit below which no other minimum is searched
BETTER = 0.5  # fraction of it, at least, where the model is better than that
EVALUATIONS, TOLERANCE = 25, 1e-3


class BoxFit(NamedTuple):
    """Best fit to h hits."""

    x: np.ndarray  # unknowns, -1 to 1, shape (p,)
    covariance: np.ndarray  # of them, shape (p, p)
    late: np.ndarray  # contact times after their detections, shape (h,) [s]
    misfit: np.ndarray  # mean squared residual of each hit, shape (h,) [-]


def fit_box(
    box: LearningBox, windows: Sequence[HitWindow], known: np.ndarray | None = None
) -> BoxFit:
    """Return the unknowns that explain hits.

    Args:
        box: of the unknowns.
        windows: of the hits, at least one.
        known: a further start, such as of the hits before, shape (p,).
    """
    from scipy.optimize import least_squares  # loads slowly

    problem = _Problem(box, windows)
    edge = np.append(np.ones(box.size), np.full(len(windows), 1e3 * LATE))
    found: list[OptimizeResult] = []
    for start in problem.starts(known):
        found.append(
            least_squares(
                problem.cost,
                np.clip(start, -0.999 * edge, 0.999 * edge),
                problem.slopes,
                (-edge, edge),
                ftol=TOLERANCE,
                xtol=TOLERANCE,
                max_nfev=EVALUATIONS,
            )
        )
        best = min(found, key=lambda each: each.cost)
        left = all_residuals(box, windows, best.x)
        misfit = np.array([float(np.mean(each**2)) for each in left])
        if known is not None and misfit[-1] < EXPLAINED:
            break  # the known values also explain the new hit
    first = problem.covariance(best.jac)
    secants = problem.secants(best.x, best.fun, 2.0 * np.sqrt(np.diag(first)))
    covariance = problem.covariance(np.column_stack([secants, best.jac[:, box.size :]]))
    worse = max(BETTER, float(misfit.mean()) / GOOD)
    return BoxFit(best.x[: box.size], worse * covariance, 1e-3 * best.x[box.size :], misfit)


class _Problem(NamedTuple):
    """Least squares of z: p unknowns, then the contact times [ms]."""

    box: LearningBox
    windows: Sequence[HitWindow]

    def cost(self, z: np.ndarray) -> np.ndarray:
        """Return all residuals, tempered, followed by those of the prior."""
        hits = np.concatenate(all_residuals(self.box, self.windows, z)) / np.sqrt(TEMPER)
        return np.concatenate([hits, z * self._prior])

    @property
    def _prior(self) -> np.ndarray:
        return np.repeat([1.0 / PRIOR, 1.0 / TOUCH], [self.box.size, len(self.windows)])

    def starts(self, known: np.ndarray | None) -> Iterator[np.ndarray]:
        """Yield starts of the search: the known values, and the best of coarse grids."""
        free = np.flatnonzero(self.box.free)
        grids = [grid if index in free else np.zeros(1) for index, grid in enumerate(GRID)]
        if known is not None:
            yield self._timed(known)[1]
        for slip in SLIPS if FRICTION in free else (0.0,):
            rated = []
            for values in product(*grids):
                x = np.zeros(self.box.size)
                for index, value in enumerate((*values, slip)):
                    x[free == index] = value
                rated.append(self._timed(x))
            yield min(rated, key=lambda each: each[0])[1]

    def _timed(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the squared residual and z at unknowns, each contact time at its best fit."""
        each = [contact_time(window, modelled(self.box, window, x)) for window in self.windows]
        return sum(cost for _, cost in each), np.append(x, [1e3 * late for late, _ in each])

    def slopes(self, z: np.ndarray) -> np.ndarray:
        """Return the Jacobian of the cost, one-sided towards the middle, shape (r, p + h)."""
        here, columns = self.cost(z), []
        for j in range(self.box.size):
            step = -np.copysign(STEP, z[j])
            columns.append((self.cost(_moved(z, j, step)) - here) / step)
        return np.column_stack([*columns, self._time_slopes(z, len(here))])

    def _time_slopes(self, z: np.ndarray, rows: int) -> np.ndarray:
        """Return the columns of contact times, which need no further model runs."""
        p, columns, row = self.box.size, np.zeros((rows, len(self.windows))), 0
        for k, window in enumerate(self.windows):
            model, late = modelled(self.box, window, z[:p]), z[p + k]
            sides = [residual(window, model, 1e-3 * (late + s)) for s in (-TIME_STEP, TIME_STEP)]
            end = row + len(sides[0])
            columns[row:end, k] = (sides[1] - sides[0]) / (2.0 * TIME_STEP * np.sqrt(TEMPER))
            columns[rows - len(self.windows) + k, k] = 1.0 / TOUCH
            row = end
        return columns

    def secants(self, z: np.ndarray, here: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """Return the weaker of wide secants to either side, shape (r, p).

        A sticking contact is insensitive to a higher friction, and may begin to stick near the
        estimate: friction is also varied over a larger distance.
        """
        columns, figures = [], np.flatnonzero(self.box.free)
        for j, width in enumerate(np.clip(reach, *SECANT[:2])):
            widths = (width, *SECANT[1:]) if figures[j] == FRICTION else (width,)
            steps = [side for wide in widths for side in (-wide, wide)]
            inside = [s for s in steps if abs(z[j] + s) <= 1.0] or [-np.copysign(width, z[j])]
            sides = [(self.cost(_moved(z, j, step)) - here) / step for step in inside]
            columns.append(min(sides, key=lambda side: float(side @ side)))
        return np.column_stack(columns)

    def covariance(self, jacobian: np.ndarray) -> np.ndarray:
        """Return the covariance of the unknowns, shape (p, p), the contact times eliminated."""
        p, h = self.box.size, len(self.windows)
        hits = jacobian[: -(p + h)]
        counted = min(1.0, REPEATED / h)
        information = counted * hits.T @ hits + np.diag(self._prior**2)
        return np.asarray(np.linalg.inv(information)[:p, :p])


def _moved(z: np.ndarray, place: int, step: float) -> np.ndarray:
    moved = z.copy()
    moved[place] += step
    return moved
