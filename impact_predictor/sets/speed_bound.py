# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest approach speed at which an impact respects limits on its effects.

Wang 2023, section 5: full reference in doc/theory.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, restitution_range


def robust_speed_bound(
    impulse_rows: np.ndarray, bounds: np.ndarray, unit_impulses: np.ndarray
) -> tuple[float, int | None]:
    """Return the speed [m/s] up to which every possible impulse respects the limits; and the row.

    The row is the index of the limit that binds: the smallest ``bounds_i/|(rows iota)_i|``
    over rows i and extreme impulses iota per unit of speed.
    Infinite, with no row, if no impulse has an effect on a limited quantity.

    Args:
        impulse_rows: impulse in p to limited quantities, shape (m, 3).
        bounds: largest magnitudes of these, shape (m,), >= 0.
        unit_impulses: from :func:`~impact_predictor.sets.feasible_sets.unit_impulses`, shape
            (3, k).

    Raises:
        OutOfRangeError: shapes differ, or a bound is negative or not finite.
    """
    rows, bounds = _limits(impulse_rows, bounds)
    both = np.vstack([rows, -rows])
    speed, index = one_sided_speed_bound(both, np.tile(bounds, 2), unit_impulses)
    return speed, None if index is None else index % len(bounds)


def one_sided_speed_bound(
    impulse_rows: np.ndarray, most: np.ndarray, unit_impulses: np.ndarray
) -> tuple[float, int | None]:
    """Return the speed [m/s] up to which rows iota <= most for every possible impulse; the row.

    The zero impulse is possible too: a row that every impulse makes smaller sets no speed. Negative
    where a bound is: it is exceeded already. Infinite, with no row, if no row sets a speed.

    Args:
        impulse_rows: impulse to limited quantities, shape (m, 3).
        most: largest values of these, shape (m,).
        unit_impulses: extreme impulses per unit of speed, in the axes of the rows, shape (3, k).
    """
    worst = np.asarray(impulse_rows @ unit_impulses).max(axis=1)
    speeds = np.full(len(most), math.inf)
    np.divide(most, worst, out=speeds, where=worst > 0.0)
    index = int(np.argmin(speeds))
    return (float(speeds[index]), index) if speeds[index] < math.inf else (math.inf, None)


def existential_speed_bound(
    W: np.ndarray,
    K: np.ndarray,
    impulse_rows: np.ndarray,
    bounds: np.ndarray,
    restitution: Sequence[float],
) -> float:
    """Return the speed [m/s] up to which at least one possible impulse respects the limits.

    Arguments and errors are those of :func:`existential_speed`, which returns the impulse, too.
    """
    return existential_speed(W, K, impulse_rows, bounds, restitution)[0]


def existential_speed(
    W: np.ndarray,
    K: np.ndarray,
    impulse_rows: np.ndarray,
    bounds: np.ndarray,
    restitution: Sequence[float],
) -> tuple[float, np.ndarray | None]:
    """Return the speed [m/s] up to which one possible impulse respects the limits; and it, (3,).

    The published reading, Wang 2023 (33)-(36): a linear programme over speed v and weights of K.
    At this speed the worst impulse can exceed the limits several times.

    Args:
        W: inverse inertia in p, shape (3, 3) [1/kg].
        K: edges of the friction pyramid, shape (3, N).
        impulse_rows: impulse in p to limited quantities, shape (m, 3).
        bounds: largest magnitudes of these, shape (m,), >= 0.
        restitution: range (low, high) of the coefficient of restitution [-].

    Raises:
        OutOfRangeError: an argument is out of its range or of the wrong shape.
        PredictionError: the solver failed.
    """
    from scipy.optimize import linprog  # loads slowly

    rows, bounds = _limits(impulse_rows, bounds)
    low, high = restitution_range(restitution)
    effect, normal = rows @ K, np.asarray(W)[2] @ K
    none = np.zeros((len(bounds), 1))
    A = np.block([[-(1 + high), normal], [1 + low, -normal], [none, effect], [none, -effect]])
    b = np.concatenate([np.zeros(2), bounds, bounds])
    cost = np.zeros(1 + K.shape[1])
    cost[0] = -1.0
    solution = linprog(cost, A_ub=A, b_ub=b, method="highs")
    if solution.status == 3:
        return math.inf, None
    if not solution.success:
        raise PredictionError(f"speed bound: linear programme failed: {solution.message}")
    return float(solution.x[0]), K @ solution.x[1:]


def _limits(impulse_rows: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (m, 3) and bounds (m,), checked."""
    bounds = np.asarray(bounds, dtype=float)
    rows = finite_array(impulse_rows, (bounds.size, 3), "impulse_rows")
    if not np.all(np.isfinite(bounds)) or np.any(bounds < 0.0):
        raise OutOfRangeError("bounds", "finite numbers, at least 0", bounds)
    return rows, bounds
