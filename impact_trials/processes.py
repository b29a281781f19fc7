# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Worker processes that end with their work, or with the process that gave it to them."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.synchronize import Event
from typing import Any

from impact_bags.exceptions import AnalysisError
from impact_ros.interrupts import interrupts_blocked

_stop: Event | None = None  # of a worker: set when its work is no longer wanted


class StoppedError(AnalysisError):
    """The work was interrupted."""


class Workers:
    """Some processes, a context manager; leaving it ends the work that is not finished."""

    def __init__(self, jobs: int) -> None:
        """Prepare ``jobs`` processes; they start with the first work."""
        context = multiprocessing.get_context("spawn")
        self._stop = context.Event()
        self._pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(self._stop,))

    def __enter__(self) -> Workers:
        """Return the workers."""
        return self

    def __exit__(self, *_: object) -> None:
        """Tell the workers to stop, and wait for that."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def submit(
        self, work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
    ) -> list[Future[Any]]:
        """Hand out work: ``work(*each)`` for each of ``arguments``."""
        with interrupts_blocked():  # the processes inherit that: only this one is interrupted
            return [self._pool.submit(work, *each) for each in arguments]


def result_of(future: Future[Any], command: str) -> Any:
    """Wait for a result.

    Raises:
        AnalysisError: the process died; says in which command.
    """
    try:
        return future.result()
    except BrokenProcessPool:
        raise AnalysisError(f"{command}: a process died; was there enough memory?") from None


def in_order(
    work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], jobs: int, command: str
) -> Iterator[Any]:
    """Yield ``work(*each)`` for each of ``arguments`` in their order, with one job in this process.

    Raises:
        AnalysisError: a process died; says in which command.
    """
    if min(jobs, len(arguments)) < 2:
        yield from (work(*each) for each in arguments)
        return
    with Workers(min(jobs, len(arguments))) as workers:
        for future in workers.submit(work, arguments):
            yield result_of(future, command)


def check_stopped() -> None:
    """Give up when nobody waits for the work any more; long work calls it now and then.

    Raises:
        StoppedError: so it is.
    """
    if _stop is not None and _stop.is_set():
        raise StoppedError("stopped")


def _begin(stop: Event) -> None:
    """Start a worker, which ends when its work does, or the process that gave it."""
    global _stop
    _stop = stop
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
