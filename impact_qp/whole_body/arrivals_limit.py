# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact limits of several contacts as rows of a program."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

import numpy as np

from impact_predictor.exceptions import UnboundedSetError
from impact_qp.limits import Limit, SpeedBound
from impact_qp.limits.limit import NO_EFFECT
from impact_qp.whole_body.arrival import Arrival, ArrivingImpulses, arriving_impulses
from impact_qp.whole_body.impact_rows import CentroidalBounds, several_impact_rows
from impact_qp.whole_body.speed_bounds import worst_loads
from impact_robots import Robot, RobotState

_SAME = 1e-9  # relative; a row that is exceeded by no more is no row of its own


class WorstCaseArrivalsLimit(Limit):
    r"""Every impulse of all arrivals, none included, respects the rows (see ``speed_bounds``).

    With c_ia what arrival a takes up of row i at 1 m/s, :math:`\sum_a c_{ia}\max(0, s_a) \le d_i`
    on the previewed approach speeds :math:`s_a = -n_a^T(J_a(\dot q + \ddot q T_p) + \dot J_a\dot q
    T_p)`: for each set of arrivals the rows that those of less do not imply. For one arrival that
    is one row, a bound on its speed; for two, one each and what both push together, as the chest.
    All rows are in m/s.
    """

    yields = True

    def __init__(
        self,
        robot: Robot,
        most_arrivals: int = 2,
        *,
        along_normal: bool = False,
        margin: float = 0.01,
        preview: float = 0.02,
        generators: int = 8,
        centroidal: CentroidalBounds | None = None,
    ) -> None:
        """Set up.

        Args:
            robot: that arrives.
            most_arrivals: that there may be at a time.
            along_normal: the nominal reading: impulses along the normals, at the highest
                restitution; else the robust one.
            margin: share of every bound that is kept in reserve.
            preview: T_p [s].
            generators: of the friction pyramids, which contain the cones.
            centroidal: bounds on the whole robot's motion after the impact.
        """
        self.robot, self.preview, self.margin = robot, preview, margin
        self.arrivals: tuple[Arrival, ...] = ()  # those now announced; none: no rows
        self.bound = SpeedBound(np.inf, "")  # on a common speed, as of the last ``fill``
        self.used = 0  # rows of the last ``fill``, the first ones; the others have no effect
        self._centroidal = centroidal
        self._impulses = {"along_normal": along_normal, "generators": generators}
        rows = 4 * robot.dof + (0 if centroidal is None else len(centroidal.names))
        shared = 2**most_arrivals - 1 - most_arrivals
        self.names = tuple(f"impact {i + 1}" for i in range(most_arrivals + shared * rows))

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows."""
        G[:], h[:], self.used = 0.0, NO_EFFECT, 0
        if not self.arrivals:
            return
        impulses = arriving_impulses(self.robot, state, self.arrivals, **self._impulses)  # type: ignore[arg-type]
        rows = several_impact_rows(self.robot, state, impulses, self._centroidal)
        most = (1.0 - self.margin) * rows.most
        try:
            loads = worst_loads(rows, impulses)
        except UnboundedSetError:  # friction so high that impulses have no end: no approach
            loads, most = np.eye(len(impulses)), np.zeros(len(impulses))
        self.bound = _common(loads, most, rows.names)
        gradients, offsets = self._approach(impulses)
        for c, d in binding_rows(loads, most):
            row = self.used
            G[row], h[row] = c @ gradients, d - c @ offsets
            self.used += 1

    def _approach(self, impulses: tuple[ArrivingImpulses, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return gradients (k, nv) and offsets (k,) of the previewed approach speeds."""
        T_p, gradients, offsets = self.preview, [], []
        for each in impulses:
            point, normal = each.point, each.arrival.contact.normal
            gradients.append(-T_p * (normal @ point.J[:3]))
            offsets.append(-normal @ (point.velocity + T_p * point.drift[:3]))
        return np.array(gradients), np.array(offsets)


def binding_rows(loads: np.ndarray, most: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """Yield c (k,) and d of the rows c s <= d that bound approach speeds s, in m/s.

    Args:
        loads: what each of k arrivals takes up of each row at 1 m/s, at least 0, shape (m, k).
        most: what all may take up, shape (m,).
    """
    ratios = np.full(loads.shape, np.inf)
    np.divide(most[:, None], loads, out=ratios, where=loads > 0.0)
    alone, k = ratios.min(axis=0), loads.shape[1]
    for a in np.flatnonzero(np.isfinite(alone)):
        yield np.eye(k)[a], float(alone[a])
    for group in chain.from_iterable(combinations(range(k), size) for size in range(2, k + 1)):
        own = np.zeros_like(loads)
        own[:, group] = loads[:, group]
        used = (loads[:, group] > 0.0).all(axis=1)
        at_most = own[used] @ np.where(np.isfinite(alone), alone, 0.0)
        exceeded = at_most > most[used] + _SAME * np.abs(most[used])
        for c, d in zip(own[used][exceeded], most[used][exceeded], strict=True):
            yield c / c.sum(), float(d / c.sum())


def _common(loads: np.ndarray, most: np.ndarray, names: tuple[str, ...]) -> SpeedBound:
    """Return the highest speed that all arrivals may have, and the row that sets it."""
    together = loads.sum(axis=1)
    speeds = np.full(len(most), np.inf)
    np.divide(most, together, out=speeds, where=together > 0.0)
    row = int(speeds.argmin())
    return SpeedBound(float(speeds[row]), names[row] if speeds[row] < np.inf else "")
