# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The worst load of an impact, followed from cycle to cycle at the cost of two cases each."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import numpy as np

from impact_predictor.joint_load.near_worst import near_worst
from impact_robots.state import PointState

if TYPE_CHECKING:
    from impact_predictor.joint_load.load_case import LoadCase
    from impact_predictor.joint_load.worst_load import RatedCase

JUMP = 0.02  # between two cycles; an arm that has moved farther is looked at anew [rad]


class LoadWatch:
    """Keeps the worst of all cases up to date while the arm moves.

    Every cycle rates two cases: of a search that begins anew when it is through, and in three of
    four cycles one that is known. A search compares cases, so all of a round (about 140 cases, .1 s
    at 1 kHz) are rated at the state in which it began: on the way a bound changes by more than what
    tells one case from the next. Those that are nearly the worst, of other joints and another
    friction, are then rated at the present state, and are what is known until the next round is
    through: which of them is the worst may change on the way. The worst is never older than two
    cycles. Before the first round is through, nothing is known.
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
        self._turn = 0
        self._forget()

    def whole(self, point: PointState) -> RatedCase:
        """Return the worst case of a whole search at a state (10 to 20 ms)."""
        self._forget()
        while not self._known:
            self._step(point)
        self._q = point.q
        return min(self._known, key=_speed)

    def worst(self, point: PointState) -> RatedCase | None:
        """Return the worst case at a state, rated there or at one of the last; none: not known.

        An arm that is far from where it was begins anew.
        """
        if self._q is not None and np.abs(point.q - self._q).max() > JUMP:
            self._forget()
        self._q, self._turn = point.q, self._turn + 1
        if self._known and self._turn % 4 != 2:
            self._renew(point)
        else:
            self._step(point)
        self._step(point)
        return min(self._known, key=_speed) if self._known else None

    def _forget(self) -> None:
        """Begin a round, and know nothing before it is through."""
        self._known: list[RatedCase] = []
        self._open_round()

    def _open_round(self) -> None:
        self._cases = self._search()
        self._next = next(self._cases)
        self._start: PointState | None = None  # where all cases of the round are rated
        self._round: list[RatedCase] = []
        self._chosen: list[RatedCase] = []  # of the round, to be rated at the present state
        self._again: list[RatedCase] = []  # and rated there

    def _renew(self, point: PointState) -> None:
        """Rate what is known at the present state: in turns the worst and one after the other."""
        speeds = [each.speed for each in self._known]
        turn, worst = self._turn // 4 % len(speeds), speeds.index(min(speeds))
        index = worst if self._turn % 2 else turn
        self._known[index] = self._rate(point, self._known[index].case)

    def _step(self, point: PointState) -> None:
        """Rate the next case of the round; after the last one those to be known; know these."""
        self._start = self._start or point
        if self._next is not None:
            self._round.append(self._rate(self._start, self._next))
            self._next = self._cases.send(self._round[-1])
            return
        self._chosen = self._chosen or near_worst(self._round)
        self._again.append(self._rate(point, self._chosen[len(self._again)].case))
        if len(self._again) == len(self._chosen):
            self._known = near_worst([*self._again, *self._known])
            self._open_round()


def _speed(rated: RatedCase) -> float:
    return rated.speed
