# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tracks the worst load of an impact from cycle to cycle at the cost of one case each."""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.worst_load import near_worst
from impact_qp.limits.beside import Job, helper
from impact_robots.compiling.direct_call import direct
from impact_robots.state.state import PointState

if TYPE_CHECKING:
    from impact_predictor.joint_load.load import LoadRun
    from impact_predictor.joint_load.load_case import LoadCase, RatedCase
    from impact_robots.state.packed_state import PackedState

JUMP = 0.02  # between two cycles; after a larger one everything is searched again [rad]
PER_CASE = 1.5e-4  # travel of the contact point per rated case of a search [m]
IDLE = PER_CASE / 8.0  # assumed travel per cycle if the arm moves less [m]
PER_RENEWAL = 7e-5  # the same per renewal of a known case: at rest in four cycles [m]
MAX_CASES = 3  # of a search in a cycle
AHEAD = 0.02  # about the travel of the arm during a search [m]
LATE = 0.005  # travel since the last renewal of a known case, after which nothing is known [m]
FIRST = (inf, 0.0)  # the first searches are at contact, and at the present state [m]
TICKS = 20  # of an impact that is followed piece by piece, of 250 us

Result = TypeVar("Result")
# of work, its result returned at the end; an impact is to be followed before work continues
Pieces: TypeAlias = Generator["LoadRun | None", None, Result]


class LoadWatch:
    """Updates the worst of all cases while the arm moves.

    During the motion the loads of different joints and friction values change differently, so the
    worst case changes, too. Searches run all the time, faster if the arm moves faster: the first
    at the contact state and at the initial state, then each at the predicted state of the arm at
    the end of the search. Their nearly worst cases are known, about ten; in every other cycle, less
    often for a slow arm, one of them is rated at the present state, every third time the worst.
    Before the first two searches are complete, nothing is known.

    A state is rated after its result was read: a command does not wait for it. A caller with little
    time until the next state passes a deadline; begun work continues in the next cycles, at the
    state where it began, and meanwhile no other state is rated. If the time is too short to keep up
    with the motion, nothing is known any more.

    Attributes:
        broken: a load at the last state was not finite; then nothing is known.
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
            ahead: returns the state after the arm has moved by a distance [m], at most to contact;
                piece by piece.
        """
        from impact_qp.compiled.motion_step import change  # loads slowly

        self._change = direct(change)
        self._rate, self._search, self._ahead = rate, search, ahead
        self._last: PointState | PackedState | None = None
        self._due: PointState | PackedState | None = None  # at which no work has begun yet
        self._work: Pieces[None] | None = None  # begun, not finished
        self._job: Job | None = None  # the part of it that another thread does
        self._turn = self._renewed = 0
        self._way = 0.0  # travel of the contact point without a rated case [m]
        self._unrenewed = 0.0  # the same for known cases [m]
        self.broken = False
        self._forget()

    def worst(self, state: PointState | PackedState) -> RatedCase | None:
        """Return the worst case at a state, rated at a recent one; None: unknown.

        After a large jump of the arm everything restarts.
        """
        if self._due is not None:
            self.catch_up()
        last, self._last, self._due = self._last or state, state, state
        jump, way = self._change(last.q, state.q, last.position, state.position)
        if jump > JUMP or (self._known and self._unrenewed > LATE):
            self._forget()
        way = max(IDLE, way)
        self._way += way
        self._unrenewed += way
        return self._worst

    def catch_up(self, until: float = inf) -> None:
        """Rate the due case at the last state, if not done yet.

        Args:
            until: time by :func:`time.perf_counter` after which only a first piece is begun;
                minus infinity: nothing is [s].
        """
        due, self._due = self._due, None
        if until == -inf:
            return
        if self._work is None and due is not None:
            self._work = self._rating(due if isinstance(due, PointState) else due.point)
        try:
            while self._work is not None and self._is_free(until):
                piece = next(self._work, self)
                if isinstance(piece, LoadWatch):  # over
                    self._work, self.broken = None, False
                elif piece is not None:
                    self._follow(piece, until)
                if perf_counter() >= until:
                    return
        except PredictionError:
            self._forget()
            self.broken = True

    def _follow(self, run: LoadRun, until: float) -> None:
        """Follow an impact: a part of it now, or all of it in another thread."""
        if until < inf and (other := helper()) is not None:
            self._job = other.begin(run.go_on)
        else:
            run.go_on(TICKS)

    def _is_free(self, until: float) -> bool:
        """Return whether no other thread is at work, without a deadline once it is not."""
        if self._job is not None and (until == inf or self._job.over):
            job, self._job = self._job, None
            job.finish()
        return self._job is None

    def _rating(self, point: PointState) -> Pieces[None]:
        """Rate the due case at a state.

        Raises:
            PredictionError: a load is not finite.
        """
        self._turn += 1
        if not self._known:
            self._way = 2.0 * PER_CASE
        begun = bool(self._known and self._turn % 2 and self._unrenewed >= PER_RENEWAL)
        if begun:
            yield from self._renew(point)
        for _ in range(min(MAX_CASES, int(self._way / PER_CASE))):
            if begun:
                yield None  # between two cases
            begun = True
            self._way -= PER_CASE
            yield from self._step(point)
        self._way = min(self._way, PER_CASE)

    def _forget(self) -> None:
        """Begin with the searches; nothing is known before the first are complete."""
        self._know([])
        self._found: list[list[RatedCase]] = []  # of the first searches, and of the last one
        self._waiting: list[RatedCase] = []  # to become known after rating at the present state
        self._fresh: list[RatedCase] = []  # of these, already rated
        self._work = None
        self._begin()

    def _know(self, cases: list[RatedCase]) -> None:
        """Take the known cases, and note the worst of them."""
        self._known = cases
        self._worst = min(cases, key=_speed) if cases else None

    def _begin(self) -> None:
        """Begin a search."""
        self._cases = self._search()
        self._next = next(self._cases)
        self._start: PointState | None = None  # where all cases of the search are rated
        self._rated: list[RatedCase] = []

    def _renew(self, point: PointState) -> Pieces[None]:
        """Rate known cases at the present state: the worst often, the others in turn."""
        self._unrenewed = 0.0
        if self._turn % 6 == 1:
            index = [each is self._worst for each in self._known].index(True)
        else:
            index = self._renewed = (self._renewed + 1) % len(self._known)
        fresh = yield from self._rate(point, self._known[index].case)
        self._know([*self._known[:index], fresh, *self._known[index + 1 :]])

    def _step(self, point: PointState) -> Pieces[None]:
        """Rate the next case of the search; after the last one store the nearly worst ones."""
        if self._waiting:
            fresh = yield from self._rate(point, self._waiting[-1].case)
            self._waiting.pop()
            self._fresh.append(fresh)
            if not self._waiting:
                self._know(self._fresh)
                self._fresh = []
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
            yield None  # to compare all takes as long as a case
            self._found = [*self._found[: len(FIRST)], near_worst(self._rated)]
            if len(self._found) >= len(FIRST):
                self._waiting = _different([each for found in self._found for each in found])
            self._begin()


def _different(cases: list[RatedCase]) -> list[RatedCase]:
    """Return cases without duplicates."""
    return list({(*each.case[:3], each.case.scale.tobytes()): each for each in cases}.values())


def _speed(rated: RatedCase) -> float:
    return rated.speed
