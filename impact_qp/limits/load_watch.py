# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The worst load of an impact, followed from cycle to cycle at the cost of one case each."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import numpy as np

from impact_robots.state import PointState

if TYPE_CHECKING:
    from impact_predictor.joint_load.load_case import LoadCase
    from impact_predictor.joint_load.worst_load import RatedCase

JUMP = 0.02  # between two cycles; an arm that has moved farther is looked at anew [rad]
KEPT = 10  # cases that are known at a time, the worst


class LoadWatch:
    """Keeps the worst of all cases up to date while the arm moves.

    In turns it rates the worst case so far and the next case of a search that begins anew when it
    is through, so the worst case is never older than two cycles, the others not older than two
    rounds (of about 100 cases, .2 s at 1 kHz). On such a way a load changes by a few percent, and
    all loads alike. No cycle rates more than two cases: before the first round is through, nothing
    is known.
    """

    def __init__(
        self,
        rate: Callable[[PointState, LoadCase], RatedCase],
        search: Callable[[], Generator[LoadCase | None, RatedCase, None]],
    ) -> None:
        """Set up.

        Args:
            rate: rates a case at a state.
            search: begins to yield cases, see ``LoadSearch.cases``.
        """
        self._rate, self._search = rate, search
        self._q: np.ndarray | None = None  # of the last state, shape (n,) [rad]
        self._turn = False
        self._forget()

    def whole(self, point: PointState) -> RatedCase:
        """Return the worst case of a whole search at a state (10 to 20 ms)."""
        self._forget()
        while not self._known:
            self._step(point)
        self._q = point.q
        return self._known[0]

    def worst(self, point: PointState) -> RatedCase | None:
        """Return the worst case at a state, rated there or at one of the last; none: not known.

        An arm that is far from where it was begins anew.
        """
        if self._q is not None and np.abs(point.q - self._q).max() > JUMP:
            self._forget()
        self._q, self._turn = point.q, not self._turn
        if not self._known:
            self._step(point)
            self._step(point)
        elif self._turn:
            insort(self._known, self._rate(point, self._known.pop(0).case), key=_speed)
        else:
            self._step(point)
            for rated in self._round[-1:]:
                insort(self._known, rated, key=_speed)
        del self._known[KEPT:]
        return self._known[0] if self._known else None

    def _forget(self) -> None:
        """Begin a round, and know nothing before it is through."""
        self._known: list[RatedCase] = []
        self._open_round()

    def _open_round(self) -> None:
        self._cases = self._search()
        self._next = next(self._cases)
        self._round: list[RatedCase] = []

    def _step(self, point: PointState) -> None:
        """Rate the next case of the round; after the last one know the worst of them."""
        if self._next is None:
            self._known = sorted(self._round, key=_speed)[:KEPT]
            self._open_round()
        else:
            self._round.append(self._rate(point, self._next))
            self._next = self._cases.send(self._round[-1])


def _speed(rated: RatedCase) -> float:
    return rated.speed
