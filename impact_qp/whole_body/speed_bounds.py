# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""The highest speed at which several contacts may arrive together, in closed form.

Every impulse of every contact, none at all included, respects row i if
:math:`\sum_a \max(0, \max_j D_{ia} V_{aj})\,s_a \le d_i` with s_a the approach speeds: a contact
that arrives first, alone, is covered.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_qp.limits import SpeedBound
from impact_qp.limits.impact_limits.contact import NO_BOUND
from impact_qp.whole_body.arrival import ArrivingImpulses
from impact_qp.whole_body.impact_rows import ImpactRows

_UNBOUNDED = 3  # HiGHS's status of a programme without an optimum


def worst_loads(rows: ImpactRows, impulses: Sequence[ArrivingImpulses]) -> np.ndarray:
    """Return the worst load of each contact on each row at 1 m/s, shape (m, k).

    Raises:
        UnboundedSetError: an impulse is unbounded.
    """
    worst = [
        (D @ each.unit).max(axis=1, initial=0.0) for D, each in zip(rows.D, impulses, strict=True)
    ]
    return np.stack(worst, axis=1)


def worst_case_bound(rows: ImpactRows, impulses: Sequence[ArrivingImpulses]) -> SpeedBound:
    """Return the highest common approach speed at which no impulse exceeds a row.

    Robust with the pyramid's directions, nominal with the normal alone.

    Raises:
        UnboundedSetError: an impulse is unbounded.
    """
    together = worst_loads(rows, impulses).sum(axis=1)
    speeds = np.full(len(together), np.inf)
    np.divide(rows.limits, together, out=speeds, where=together > 0.0)
    row = int(speeds.argmin())
    return SpeedBound(float(speeds[row]), rows.names[row] if speeds[row] < np.inf else "")


def existential_bound(rows: ImpactRows, impulses: Sequence[ArrivingImpulses]) -> SpeedBound:
    """Return the highest common speed at which one admissible impulse each respects the rows.

    The published reading (Wang 2023, 33 to 39): a linear programme over the speed and the weights
    of all directions. Other admissible impulses may exceed the rows several times.

    Raises:
        PredictionError: the solver failed.
        UnboundedSetError: an impulse is unbounded.
    """
    from scipy.optimize import linprog  # loads slowly

    A, b = _admissible(rows, impulses)
    found = linprog(np.append(-1.0, np.zeros(A.shape[1] - 1)), A_ub=A, b_ub=b, method="highs")
    if found.status == _UNBOUNDED:
        return NO_BOUND
    if not found.success:
        raise PredictionError(f"speed bound: linear programme failed: {found.message}")
    left = found.slack[-len(rows.names) :] / np.maximum(np.abs(rows.limits), 1e-12)
    return SpeedBound(float(found.x[0]), rows.names[int(left.argmin())])


def _admissible(
    rows: ImpactRows, impulses: Sequence[ArrivingImpulses]
) -> tuple[np.ndarray, np.ndarray]:
    """Return A and b of A [v; lambda] <= b: the slabs of restitution, then the rows."""
    count = sum(each.K.shape[1] for each in impulses)
    slabs, column = np.zeros((2 * len(impulses), 1 + count)), 1
    for i, each in enumerate(impulses):
        low, high = each.arrival.contact.restitution
        own = slice(column, column + each.K.shape[1])
        slabs[2 * i, 0], slabs[2 * i + 1, 0] = -(1.0 + high), 1.0 + low
        slabs[2 * i, own], slabs[2 * i + 1, own] = each.per_force, -each.per_force
        column = own.stop
    effects = [D @ each.K for D, each in zip(rows.D, impulses, strict=True)]
    A = np.vstack([slabs, np.hstack([np.zeros((len(rows.limits), 1)), *effects])])
    return A, np.append(np.zeros(len(slabs)), rows.limits)
