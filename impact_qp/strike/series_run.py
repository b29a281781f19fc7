# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes of one goal, until the nail is at its depth. Needs no ROS to import."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from math import nan
from typing import Any, NamedTuple

import numpy as np

from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController
from impact_qp.control.phases import Phase
from impact_qp.exceptions import ControlError
from impact_qp.goals.goal import (
    INPUT_LOST,
    INTERNAL_ERROR,
    NOT_FEASIBLE,
    OK,
    TIMEOUT,
    UNSAFE,
    End,
    unforeseen,
)
from impact_qp.strike.strike_record import StrikeRecorder
from impact_qp.strike.strike_run import StrikeRun
from impact_qp.strike.strike_series import StrikeSeries
from impact_robots.exceptions import ImpactError

MOST_STRIKES = 1000  # of a goal
AFTER = 0.2  # of a contact, when what was measured of it is kept [s]
MISSED = 2  # strikes in a row that meet nothing, after which no other follows

Begun = tuple[StrikeRun, ImpactController]


class WantedStrikes(NamedTuple):
    """What a goal asks for."""

    strikes: int = MOST_STRIKES  # at most
    depth: float | None = None  # of the nail [m]; none: that of the target, if it has one
    learns: bool = False  # handle, head and nail, from the first strikes


class Follow(NamedTuple):
    """How a goal goes on from one strike to the next."""

    submit: Callable[[Callable[[], Any]], Future[Any]]  # works beside the thread that answers
    start: Callable[[ImpactController], str]  # lets a controller take over; returns why not


class _Evaluated(NamedTuple):
    """What came of a strike, and what follows."""

    load: float | None  # measured, of a limit [-]; none: it met nothing
    depth: float  # of the nail before it [m]
    then: Begun | End


@dataclass
class SeriesRun:
    """Watches strikes, and begins the next one, until their goal ends.

    Attributes:
        met: how many strikes met something.
        load: largest fraction of a limit that the torque sensors showed in the last of them [-].
        highest_load: in any of them [-].
        contact_speed: of the last of them [m/s].
        depth: of the nail before the last of them, by the joints [m].
    """

    series: StrikeSeries
    now: StrikeRun
    begin: Callable[[], Begun | End]  # the next strike; takes seconds
    most: int  # strikes
    follow: Follow
    learned: Callable[[], None] = lambda: None  # called after each evaluated strike
    number: int = 1  # of the present strike
    met: int = 0
    load: float = nan
    highest_load: float = nan
    contact_speed: float = nan
    depth: float = nan
    _missed: int = field(default=0, repr=False)
    _contact: int | None = field(default=None, repr=False)  # time of it by the detector [ns]
    _record: StrikeRecorder | None = field(default=None, repr=False)  # of its contact
    _work: Future[_Evaluated] | None = field(default=None, repr=False)
    _evaluated: StrikeRun | None = field(default=None, repr=False)  # the last one

    def add(
        self, stamp: int, q: np.ndarray, dq: np.ndarray, command: Command, impact: bool
    ) -> End | None:
        """Take one cycle; return the end, if reached. Arguments as of :meth:`.GoalRun.add`."""
        if self._work is None:
            end = self.now.add(stamp, q, dq, command, impact)
            self._keep(stamp, last=end is not None)
            if end is None:
                return None
            if (failed := self._failure(end, command)) is not None:
                return failed
            time = (self._contact or self.now.impact_time) if end.success else None
            self._evaluated = self.now
            self._work = self.follow.submit(partial(self._evaluate, time))
        return self._go_on() if self._work.done() else None

    def _keep(self, stamp: int, *, last: bool) -> None:
        """Keep what was measured of the contact, before the recorder forgets it."""
        contact = self.now.impact_time
        if contact is None or self._record is not None:
            return
        if last or (stamp - contact) * 1e-9 > AFTER:
            self._record = self.now.controller.recorder.kept()

    def _failure(self, end: End, command: Command) -> End | None:
        """Return why no strike follows one that ended, None if one may."""
        missed = end.code == TIMEOUT and command.phase is Phase.HOLD
        if not (end.success or missed):
            return replace(end, message=f"strike {self.number}: {end.message}")
        self._missed = self._missed + 1 if missed else 0
        if self._missed < MISSED:
            return None
        return End(TIMEOUT, f"{MISSED} strikes in a row met nothing, the last was {self.number}")

    def _evaluate(self, contact: int | None) -> _Evaluated:
        """Learn from a strike with a contact at a time [ns], and plan the next one."""
        series, load, record = self.series, None, self._record
        if contact is not None and record is not None:
            if (rows := record.rows) is None:
                line = "effort: expected joint torques in joint_states, got none"
                return _Evaluated(None, series.depth, End(INPUT_LOST, line))
            try:
                load = series.learn(rows, record.since(contact))
            finally:  # a load counts in any case
                self.learned()
        return _Evaluated(load, series.depth, self._then(hit=contact is not None))

    def remember(self) -> Future[None] | None:
        """Let the load of a strike count that something else ended before it was evaluated.

        Returns:
            The work, whose error is the caller's; None if there is none.
        """
        contact = self._contact or self.now.impact_time
        if contact is None or self._evaluated is self.now:
            return None
        self._evaluated = self.now
        record = self._record or self.now.controller.recorder.kept()
        return self.follow.submit(partial(self._remembered, record, contact))

    def _remembered(self, record: StrikeRecorder, contact: int) -> None:
        """Take the load of the last strike."""
        if (rows := record.rows) is None:
            return
        try:
            self.series.remember(rows, record.since(contact))
        finally:  # as of :meth:`_evaluate`
            self.learned()

    def _then(self, *, hit: bool) -> Begun | End:
        """Return what follows a strike that met something or not: the next one, or an end."""
        series = self.series
        if series.planner.problem:
            return End(UNSAFE, series.planner.problem)
        if series.done:
            return End(OK, f"the nail is {1e3 * series.depth:.1f} mm deep, {self.number} strikes")
        if self.number >= self.most:
            met = self.met + hit
            return End(OK if met else TIMEOUT, f"{self.number} strikes, {met} met something")
        return self.begin()

    def _go_on(self) -> End | None:
        """Begin the next strike, if there is one."""
        assert self._work is not None  # it is done
        work, self._work, self._contact = self._work, None, None
        self._record = None
        try:
            load, depth, then = work.result()
        except ImpactError as error:
            return End(NOT_FEASIBLE, f"after strike {self.number}: {error}")
        except Exception as error:  # ends this goal only
            return End(INTERNAL_ERROR, unforeseen(error))
        if load is not None:
            self.met, self.load, self.depth = self.met + 1, load, depth
            self.highest_load = float(np.fmax(self.highest_load, load))
            self.contact_speed = self.now.contact_speed
        if isinstance(then, End):
            return then
        run, controller = then
        if reason := self.follow.start(controller):
            return End(NOT_FEASIBLE, f"strike {self.number + 1}: {reason}")
        self.now, self.number = run, self.number + 1
        return None

    def take_estimate(self, estimate: Any, time: int) -> None:
        """Take the detector's estimate of an impact at ``time`` [ns], if it is of this strike."""
        self.now.take_estimate(estimate, time)
        if self.now.estimate is estimate:
            self._contact = time


def most_strikes(wanted: WantedStrikes, series: StrikeSeries) -> int:
    """Return the highest number of strikes.

    Raises:
        ControlError: neither a number nor a depth is said, or the number is too high.
    """
    if wanted.strikes > MOST_STRIKES:
        raise ControlError(f"strikes: expected up to {MOST_STRIKES}, got {wanted.strikes}")
    if not wanted.strikes and series.wanted is None:
        raise ControlError("strikes: expected a number, or a depth to drive a nail to")
    return wanted.strikes or MOST_STRIKES
