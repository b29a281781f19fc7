# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Worker processes that end with their work, or with their parent process."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.synchronize import Event
from typing import Any

from impact_bags.exceptions import AnalysisError
from impact_robots.exceptions import UsageError
from impact_ros.interrupts import interrupts_blocked

Work = Callable[..., Any]
Arguments = Iterable[tuple[Any, ...]]
Keep = Callable[[Any], None]
AHEAD = 8  # pieces of work handed out per process; the others are not made yet
_stop: Event | None = None  # of a worker: set when it has to stop


def no_result(result: Any) -> None:
    """Ignore a result."""


class StoppedError(AnalysisError):
    """The work was interrupted."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


class Workers:
    """Processes of this machine or of a Dask cluster; with one job, this process.

    A context manager: leaving it stops unfinished work.
    """

    def __init__(self, jobs: int, command: str, dask: str = "") -> None:
        """Prepare processes; they start with the first work.

        Args:
            jobs: number of processes, at least 1.
            command: name of the command, for error messages.
            dask: address of the scheduler of a cluster to use instead.
        """
        self._jobs, self._command, self._dask = jobs, command, dask
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

    def finished(self, work: Work, arguments: Arguments) -> Iterator[Any]:
        """Yield ``work(*each)`` for each of ``arguments`` as it is finished.

        Raises:
            AnalysisError: a process died; says in which command.
            UsageError: there is no such cluster.
        """
        if self._dask:
            yield from _on_dask(work, arguments, self._dask)
            return
        left = iter(arguments)
        first = list(itertools.islice(left, 2))
        if min(self._jobs, len(first)) < 2:
            yield from (work(*each) for each in itertools.chain(first, left))
        else:
            yield from self.on_processes(work, itertools.chain(first, left))

    def in_order(self, work: Work, arguments: Arguments, keep: Keep = no_result) -> Iterator[Any]:
        """Yield ``work(*each)`` for each of ``arguments`` in their order.

        Args:
            work: to do.
            arguments: of each piece of it.
            keep: on an early end, called with results that were finished before their turn.

        Raises:
            AnalysisError: a process died; says in which command.
            UsageError: there is no such cluster.
        """
        numbered = ((number, work, *each) for number, each in enumerate(arguments))
        early: dict[int, Any] = {}
        expected = 0
        try:
            for number, result in self.finished(_numbered, numbered):
                early[number] = result
                while expected in early:
                    result = early.pop(expected)
                    if isinstance(result, Exception):
                        raise result
                    yield result
                    expected += 1
        finally:
            for result in early.values():
                if not isinstance(result, Exception):
                    keep(result)

    def on_processes(self, work: Work, arguments: Arguments) -> Iterator[Any]:
        """Do the same as :meth:`finished`, always on processes of this machine."""
        left, given = iter(arguments), set[Future[Any]]()
        try:
            while True:
                with interrupts_blocked():  # processes inherit that: only this one is interrupted
                    for each in itertools.islice(left, AHEAD * self._jobs - len(given)):
                        given.add(self._pool.submit(work, *each))
                if not given:
                    return
                done, given = wait(given, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        except BrokenProcessPool:
            line = f"{self._command}: a process died; was there enough memory?"
            raise AnalysisError(line) from None


def finished(
    work: Work, arguments: Arguments, jobs: int, command: str, dask: str = ""
) -> Iterator[Any]:
    """Yield the results of :meth:`Workers.finished` with temporary workers."""
    with Workers(jobs, command, dask) as workers:
        yield from workers.finished(work, arguments)


def in_order(
    work: Work,
    arguments: Arguments,
    jobs: int,
    command: str,
    dask: str = "",
    keep: Keep = no_result,
) -> Iterator[Any]:
    """Yield the results of :meth:`Workers.in_order` with temporary workers."""
    with Workers(jobs, command, dask) as workers:
        yield from workers.in_order(work, arguments, keep)


def _numbered(number: int, work: Work, *arguments: Any) -> tuple[int, Any]:
    """Return the number, and the result or error, which is raised in its turn."""
    try:
        return number, work(*arguments)
    except Exception as error:
        return number, error


def _on_dask(work: Work, arguments: Arguments, address: str) -> Iterator[Any]:
    """Yield ``work(*each)``, of a module that the cluster has too, as it is finished.

    Raises:
        UsageError: the package distributed is missing, or there is no scheduler.
    """
    try:
        from distributed import Client
        from distributed import as_completed as as_done
    except ImportError:
        line = "--dask: expected the package distributed: pip install distributed"
        raise UsageError(line) from None
    try:
        client = Client(address, timeout="5s")
    except (OSError, ValueError) as error:
        raise UsageError(f"--dask: no scheduler at {address!r}: {error}") from None
    left = iter(arguments)
    with client:
        ahead = AHEAD * max(1, sum(client.nthreads().values()))

        def submit(count: int) -> list[Any]:
            some = itertools.islice(left, count)
            return [client.submit(work, *each, pure=False) for each in some]

        given = as_done(submit(ahead))
        for future in given:
            yield future.result()
            given.update(submit(1))


def check_stopped() -> None:
    """Stop when the result is no longer needed; called repeatedly by long work.

    Raises:
        StoppedError: the work has to stop.
    """
    if _stop is not None and _stop.is_set():
        raise StoppedError("stopped")


def _begin(stop: Event) -> None:
    """Start a worker, which ends with its work or with the parent process."""
    global _stop
    _stop = stop
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
