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
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from queue import SimpleQueue

NICE = 5  # of the thread without a real-time priority: a third of the share of the node's own


class Job:
    """Work that was handed over."""

    def __init__(self, work: Callable[[], None]) -> None:
        """Begin unfinished."""
        self._work = work
        self._error: Exception | None = None
        self._unfinished = threading.Lock()
        self._unfinished.acquire()

    def run(self) -> None:
        """Do it, in the thread."""
        try:
            self._work()
        except Exception as error:
            self._error = error
        finally:
            self._unfinished.release()

    @property
    def over(self) -> bool:
        """Whether it is done."""
        return not self._unfinished.locked()

    def finish(self) -> None:
        """Wait until it is done.

        Raises:
            Exception: what the work has raised.
        """
        with self._unfinished:
            if self._error is not None:
                raise self._error


class Beside:
    """A thread that does one job after another."""

    def __init__(self) -> None:
        """Start it."""
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        threading.Thread(target=self._run, daemon=True, name="beside").start()

    def begin(self, work: Callable[[], None]) -> Job:
        """Hand work over, which must not use what the caller uses before it is done."""
        job = Job(work)
        self._jobs.put(job)
        return job

    def close(self) -> None:
        """End the thread after its last job."""
        self._jobs.put(None)

    @contextlib.contextmanager
    def helps(self) -> Iterator[None]:
        """Let deferred work within the context be handed over."""
        token = _helper.set(self)
        try:
            yield
        finally:
            _helper.reset(token)

    def _run(self) -> None:
        let_the_cycle_go_first()
        while (job := self._jobs.get()) is not None:
            job.run()


_helper: ContextVar[Beside | None] = ContextVar("helper", default=None)


def helper() -> Beside | None:
    """Return the thread to which deferred work may be handed over here, None without one."""
    return _helper.get()


def let_the_cycle_go_first() -> None:
    """Take a priority below that of the process, which the thread has inherited."""
    if not hasattr(os, "sched_getscheduler"):  # not on Linux
        return
    policy = os.sched_getscheduler(0)
    if policy in (os.SCHED_FIFO, os.SCHED_RR):
        lower = max(os.sched_getparam(0).sched_priority - 1, 1)
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, policy, os.sched_param(lower))
    else:
        os.nice(NICE)  # on Linux of the calling thread alone
