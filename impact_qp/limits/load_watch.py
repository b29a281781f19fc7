# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The worst load of an impact, followed from cycle to cycle at the cost of one case each."""

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

    On the way loads of different joints, and of different friction, change differently, so which
    case is the worst changes too. Searches go on all the time, in turns at the state of the arm and
    at that in which it will touch, each at one state from its first case to its last. Of both the
    cases that are nearly the worst are known, some ten; in seven of eight cycles one of them is
    rated at the present state: each is so every 20 cycles or so, the worst every fourth. The eighth
    cycle goes on with the search. Before both are through once, nothing is known, and a cycle rates
    two cases.
    """

    def __init__(
        self,
        rate: Callable[[PointState, LoadCase], RatedCase],
        search: Callable[[], Generator[LoadCase | None, RatedCase, None]],
        ahead: Callable[[PointState], PointState],
    ) -> None:
        """Set up.

        Args:
            rate: rates a case at a state.
            search: begins to yield cases, see ``LoadSearch.cases``.
            ahead: of a state, that in which the arm will touch.
        """
        self._rate, self._search, self._ahead = rate, search, ahead
        self._q: np.ndarray | None = None  # of the last state, shape (n,) [rad]
        self._turn = self._renewed = 0
        self._forget()

    def worst(self, point: PointState) -> RatedCase | None:
        """Return the worst case at a state, rated there or at one of the last; none: not known.

        An arm that is far from where it was begins anew.
        """
        if self._q is not None and np.abs(point.q - self._q).max() > JUMP:
            self._forget()
        self._q, self._turn = point.q, self._turn + 1
        if not self._known:
            self._step(point)
            self._step(point)
        elif self._turn % 8 == 7:
            self._step(point)
        else:
            self._renew(point)
        return min(self._known, key=_speed) if self._known else None

    def _forget(self) -> None:
        """Begin with the searches, and know nothing before both are through."""
        self._known: list[RatedCase] = []
        self._found: dict[bool, list[RatedCase]] = {}  # by whether it is of the touch
        self._at_touch = False
        self._begin()

    def _begin(self) -> None:
        """Begin a search, at the other state."""
        self._at_touch = not self._at_touch
        self._cases = self._search()
        self._next = next(self._cases)
        self._start: PointState | None = None  # where all cases of the search are rated
        self._rated: list[RatedCase] = []

    def _renew(self, point: PointState) -> None:
        """Rate what is known at the present state: the worst often, the others in turn."""
        if self._turn % 4 == 0:
            speeds = [each.speed for each in self._known]
            index = speeds.index(min(speeds))
        else:
            index = self._renewed = (self._renewed + 1) % len(self._known)
        self._known[index] = self._rate(point, self._known[index].case)

    def _step(self, point: PointState) -> None:
        """Rate the next case of the search; after the last one know those nearly the worst."""
        if self._start is None:
            self._start = self._ahead(point) if self._at_touch else point
        if self._next is not None:
            self._rated.append(self._rate(self._start, self._next))
            self._next = self._cases.send(self._rated[-1])
        if self._next is None:
            self._found[self._at_touch] = near_worst(self._rated)
            if len(self._found) == 2:
                both = _different([*self._found[True], *self._found[False]])
                self._known = [self._rate(point, each.case) for each in both]
            self._begin()


def _different(cases: list[RatedCase]) -> list[RatedCase]:
    """Return cases none of which is there twice."""
    return list({(*each.case[:3], each.case.scale.tobytes()): each for each in cases}.values())


def _speed(rated: RatedCase) -> float:
    return rated.speed
