# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The worst load of an impact, followed from cycle to cycle at the cost of one case each."""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.worst_load import near_worst
from impact_robots.state.state import PointState

if TYPE_CHECKING:
    from impact_predictor.joint_load.load_case import LoadCase, RatedCase

JUMP = 0.02  # between two cycles; an arm that has moved farther is looked at anew [rad]
PER_CASE = 1.5e-4  # way of the contact point for which a case of a search is rated [m]
IDLE = PER_CASE / 8.0  # what counts as way in a cycle in which the arm moves less [m]
PER_RENEWAL = 7e-5  # the same for which a known case is rated anew: at rest in four cycles [m]
MOST = 3  # cases of a search in a cycle
AHEAD = 0.02  # about the way that the arm moves during a search [m]
LATE = 0.005  # way since a known case was rated anew, after which nothing is known any more [m]
FIRST = (inf, 0.0)  # the first searches are at the touch, and where the arm is [m]

Result = TypeVar("Result")
Pieces: TypeAlias = Generator[None, None, Result]  # of work, its result returned at the end


class LoadWatch:
    """Keeps the worst of all cases up to date while the arm moves.

    On the way loads of different joints, and of different friction, change differently, so which
    case is the worst changes too. Searches go on all the time, the faster the arm moves: the first
    at the state in which it will touch and at that where it begins, then each at that in which the
    arm will be when the search is through. Of these the cases that are nearly the worst are known,
    some ten; in every other cycle, of an arm that creeps more rarely, one of them is rated at the
    present state, every third time the worst. Before the first two searches are through, nothing is
    known.

    A state is rated after what is known was asked for at it: a command does not wait for that. Who
    has little time until the next state says so, and what is begun then goes on in the next cycles,
    at the state where it began; meanwhile no other one is rated. Where too little time is left to
    keep up with the arm's way, nothing is known any more.

    Attributes:
        broken: a load at the last state was no number; then nothing is known.
    """

    def __init__(
        self,
        rate: Callable[[PointState, LoadCase], Pieces[RatedCase]],
        search: Callable[[], Generator[LoadCase | None, RatedCase, None]],
        ahead: Callable[[PointState, float], Pieces[PointState]],
    ) -> None:
        """Set up.

        Args:
            rate: rates a case at a state, piece by piece.
            search: begins to yield cases, see ``LoadSearch.cases``.
            ahead: of a state, that in which the arm will be when it has moved by a way [m], at
                most that of the touch; piece by piece.
        """
        self._rate, self._search, self._ahead = rate, search, ahead
        self._last: PointState | None = None
        self._due: PointState | None = None  # at which nothing was begun yet
        self._work: Pieces[None] | None = None  # begun, not finished
        self._turn = self._renewed = 0
        self._way = 0.0  # of the contact point, for which no case was rated yet [m]
        self._unrenewed = 0.0  # the same for known cases [m]
        self.broken = False
        self._forget()

    def worst(self, point: PointState) -> RatedCase | None:
        """Return the worst case at a state, rated at one of the last; none: not known.

        An arm that is far from where it was begins anew.
        """
        if self._due is not None:
            self.catch_up()
        last, self._last, self._due = self._last or point, point, point
        if np.abs(point.q - last.q).max() > JUMP or (self._known and self._unrenewed > LATE):
            self._forget()
        way = max(IDLE, float(np.linalg.norm(point.position - last.position)))
        self._way += way
        self._unrenewed += way
        return min(self._known, key=_speed) if self._known else None

    def catch_up(self, until: float = inf) -> None:
        """Rate what is due at the last state, if that was not done yet.

        Args:
            until: after that no piece is begun but the first, by :func:`time.perf_counter` [s].
        """
        point, self._due = self._due, None
        if self._work is None and point is not None:
            self._work = self._rating(point)
        try:
            while self._work is not None:
                if next(self._work, self) is self:
                    self._work, self.broken = None, False
                if perf_counter() >= until:
                    return
        except PredictionError:
            self._forget()
            self.broken = True

    def _rating(self, point: PointState) -> Pieces[None]:
        """Rate what is due at a state.

        Raises:
            PredictionError: a load is no number.
        """
        self._turn += 1
        if not self._known:
            self._way = 2.0 * PER_CASE
        elif self._turn % 2 and self._unrenewed >= PER_RENEWAL:
            yield from self._renew(point)
        for _ in range(min(MOST, int(self._way / PER_CASE))):
            self._way -= PER_CASE
            yield from self._step(point)
        self._way = min(self._way, PER_CASE)

    def _forget(self) -> None:
        """Begin with the searches, and know nothing before the first are through."""
        self._known: list[RatedCase] = []
        self._found: list[list[RatedCase]] = []  # of the first searches, and of the last one
        self._waiting: list[RatedCase] = []  # to be known, and rated where the arm is before
        self._fresh: list[RatedCase] = []  # of these, already rated
        self._work = None
        self._begin()

    def _begin(self) -> None:
        """Begin a search."""
        self._cases = self._search()
        self._next = next(self._cases)
        self._start: PointState | None = None  # where all cases of the search are rated
        self._rated: list[RatedCase] = []

    def _renew(self, point: PointState) -> Pieces[None]:
        """Rate what is known at the present state: the worst often, the others in turn."""
        self._unrenewed = 0.0
        if self._turn % 6 == 1:
            speeds = [each.speed for each in self._known]
            index = speeds.index(min(speeds))
        else:
            index = self._renewed = (self._renewed + 1) % len(self._known)
        self._known[index] = yield from self._rate(point, self._known[index].case)

    def _step(self, point: PointState) -> Pieces[None]:
        """Rate the next case of the search; after the last one know those nearly the worst."""
        if self._waiting:
            fresh = yield from self._rate(point, self._waiting[-1].case)
            self._waiting.pop()
            self._fresh.append(fresh)
            if not self._waiting:
                self._known, self._fresh = self._fresh, []
                self._unrenewed = PER_RENEWAL  # the first is due
            return
        first = len(self._found) < len(FIRST)
        if self._start is None:
            self._start = yield from self._ahead(point, FIRST[len(self._found)] if first else AHEAD)
        if self._next is not None:
            rated = yield from self._rate(self._start, self._next)
            self._rated.append(rated)
            self._next = self._cases.send(self._rated[-1])
        if self._next is None:
            self._found = [*self._found[: len(FIRST)], near_worst(self._rated)]
            if len(self._found) >= len(FIRST):
                self._waiting = _different([each for found in self._found for each in found])
            self._begin()


def _different(cases: list[RatedCase]) -> list[RatedCase]:
    """Return cases none of which is there twice."""
    return list({(*each.case[:3], each.case.scale.tobytes()): each for each in cases}.values())


def _speed(rated: RatedCase) -> float:
    return rated.speed
