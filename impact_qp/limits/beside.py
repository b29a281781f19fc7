# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A thread beside the control cycle, for long compiled work that does not hold Python's lock.

The thread that answers states hands such work over and goes on; it looks for the result in a later
cycle. The rest of deferred work, which is Python, stays with it: two threads would wait for each
other's lock.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar


class Beside:
    """A thread that does one job after another."""

    def __init__(self) -> None:
        """Start it."""
        self._thread = ThreadPoolExecutor(1, "beside", _let_the_cycle_go_first)
        self._thread.submit(int)  # starts it now, not within a cycle

    def begin(self, work: Callable[[], None]) -> Future[None]:
        """Hand work over, which must not use what the caller uses before it is done."""
        return self._thread.submit(work)

    def close(self) -> None:
        """End the thread after its last job."""
        self._thread.shutdown(wait=False)

    @contextlib.contextmanager
    def helps(self) -> Iterator[None]:
        """Let deferred work within the context be handed over."""
        token = _helper.set(self)
        try:
            yield
        finally:
            _helper.reset(token)


_helper: ContextVar[Beside | None] = ContextVar("helper", default=None)


def helper() -> Beside | None:
    """Return the thread to which deferred work may be handed over here, None without one."""
    return _helper.get()


def _let_the_cycle_go_first() -> None:
    """Take a real-time priority below that of the process, which the thread has inherited."""
    if not hasattr(os, "sched_getscheduler"):  # not on Linux
        return
    policy = os.sched_getscheduler(0)
    if policy in (os.SCHED_FIFO, os.SCHED_RR):
        lower = max(os.sched_getparam(0).sched_priority - 1, 1)
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, policy, os.sched_param(lower))
