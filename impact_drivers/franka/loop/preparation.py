# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A goal's controller, made by a second thread outside the arm's cycle."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from math import inf
from queue import SimpleQueue
from time import perf_counter

from impact_qp.control.controller import ImpactController
from impact_qp.control.plan import Plan
from impact_qp.limits.beside import let_the_cycle_go_first
from impact_robots.exceptions import ImpactError

Outcome = ImpactController | str  # or the reason of failure
ITS_TURN, OURS = 2e-5, 1.0  # switch intervals of Python's lock [s]


class Preparation:
    """Makes one controller at a time; a new request replaces the previous one.

    Python runs one thread at a time. Within a cycle the loop's thread keeps Python's lock, however
    long it takes; it hands it over only in :meth:`work`, and gets it back within some 20 us.
    """

    def __init__(self, make: Callable[[Plan], ImpactController]) -> None:
        """Start the thread, which waits for requests.

        Args:
            make: makes a controller; may take long.
        """
        self._make = make
        self._asked: SimpleQueue[tuple[int, Plan]] = SimpleQueue()
        self._number, self._made = 0, threading.Event()
        self._outcome: tuple[int, Outcome] = (0, "")
        threading.Thread(target=self._run, daemon=True, name="preparation").start()

    def begin(self, plan: Plan) -> None:
        """Begin to make the controller of a plan."""
        self._number += 1
        self._made.clear()
        self._asked.put((self._number, plan))

    def outcome(self) -> Outcome | None:
        """Return the controller, or the reason of failure; None while it is being made."""
        number, outcome = self._outcome
        return outcome if number == self._number else None

    def work(self, until: float) -> None:
        """Let the thread work, at most until some time by ``perf_counter`` [s]; inf: to its end."""
        while self.outcome() is None:
            left = until - perf_counter()
            if left <= 0.0:
                return
            before = sys.getswitchinterval()
            sys.setswitchinterval(ITS_TURN)
            try:
                self._made.wait(None if left == inf else left)
            finally:
                sys.setswitchinterval(before)
            if self.outcome() is None:
                self._made.clear()  # of the previous request

    def _run(self) -> None:
        let_the_cycle_go_first()  # of equal threads on a core, one runs until it waits
        while True:
            number, plan = self._asked.get()
            try:
                outcome: Outcome = self._make(plan)
            except Exception as error:  # an error of a goal ends this goal only
                outcome = str(error) if isinstance(error, ImpactError) else f"goal: {error!r}"
            self._outcome = number, outcome
            self._made.set()


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Keep Python's lock in this thread, except during its own waits."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(OURS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
