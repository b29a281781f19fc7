# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Worker processes that end with their work, or with their parent process."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextvars import ContextVar
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from impact_bags.exceptions import AnalysisError
from impact_robots.exceptions import UsageError
from impact_ros.interrupts import interrupts_blocked

Work = Callable[..., Any]
Arguments = Iterable[tuple[Any, ...]]
Keep = Callable[[Any], None]
AHEAD = 8  # pieces of work handed out per process; the others are not made yet
TASKS_AHEAD = 3  # tasks handed out per thread of a cluster
TASK, MOST = 0.5, 64  # work of a task [s], and pieces: to hand out one takes milliseconds
_cluster: ContextVar[str] = ContextVar("cluster", default="")  # see `on_cluster`
_stop: Event | None = None  # of a worker: set when it has to stop


def no_result(result: Any) -> None:
    """Ignore a result."""


class StoppedError(AnalysisError):
    """The work was interrupted."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


@contextlib.contextmanager
def on_cluster(address: str) -> Iterator[None]:
    """Let a Dask cluster do all work that is handed to :class:`Workers` meanwhile.

    Args:
        address: of its scheduler, or a scheduler file (``dask scheduler --scheduler-file``); empty:
            processes of this machine.
    """
    token = _cluster.set(address)
    try:
        yield
    finally:
        _cluster.reset(token)


def cluster_address() -> str:
    """Return the address that :func:`on_cluster` was given, empty without one."""
    return _cluster.get()


class Workers:
    """Processes of this machine or of a Dask cluster; with one job, this process.

    A context manager: leaving it stops unfinished work.
    """

    def __init__(self, jobs: int, command: str) -> None:
        """Prepare processes; they start with the first work.

        Args:
            jobs: number of processes, at least 1.
            command: name of the command, for error messages.
        """
        self._jobs, self._command, self._dask = jobs, command, cluster_address()
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

        A cluster gets absolute paths: of a Path, and of what has a method ``with_absolute_paths``.

        Raises:
            AnalysisError: a process died; says in which command.
            UsageError: there is no such cluster.
        """
        if self._dask:
            sent = (tuple(map(_absolute, each)) for each in arguments)
            yield from _on_dask(work, sent, self._dask)
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


def finished(work: Work, arguments: Arguments, jobs: int, command: str) -> Iterator[Any]:
    """Yield the results of :meth:`Workers.finished` with temporary workers."""
    with Workers(jobs, command) as workers:
        yield from workers.finished(work, arguments)


def in_order(
    work: Work, arguments: Arguments, jobs: int, command: str, keep: Keep = no_result
) -> Iterator[Any]:
    """Yield the results of :meth:`Workers.in_order` with temporary workers."""
    with Workers(jobs, command) as workers:
        yield from workers.in_order(work, arguments, keep)


def _numbered(number: int, work: Work, *arguments: Any) -> tuple[int, Any]:
    """Return the number, and the result or error, which is raised in its turn."""
    try:
        return number, work(*arguments)
    except Exception as error:
        return number, error


def _absolute(value: Any) -> Any:
    """Return what a value is in every folder."""
    if isinstance(value, Path):
        return value.resolve()
    own = getattr(value, "with_absolute_paths", None)
    return value if own is None else own()


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
        known = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
        client = Client(**known, timeout="5s")
    except (OSError, ValueError) as error:
        raise UsageError(f"--dask: no scheduler at {address!r}: {error}") from None
    left, size = iter(arguments), 1
    with client:
        threads = max(1, sum(client.nthreads().values()))

        def tasks(count: int) -> Iterator[Any]:
            for _ in range(count):
                if some := list(itertools.islice(left, size)):
                    yield client.submit(_done, work, some, pure=False)

        given = as_done(tasks(TASKS_AHEAD * threads))
        for future in given:
            seconds, results = future.result()
            size = round(min(MOST, max(1.0, TASK * len(results) / seconds)))
            yield from results
            given.update(tasks(1))


def _done(work: Work, arguments: list[tuple[Any, ...]]) -> tuple[float, list[Any]]:
    """Return what some pieces of work took [s], and their results."""
    start = time.perf_counter()
    results = [work(*each) for each in arguments]
    return time.perf_counter() - start, results


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
