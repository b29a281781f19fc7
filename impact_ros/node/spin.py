# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Runs nodes: with the fast executor if available, and an orderly shutdown.

rclpy's EventsExecutor (Kilted, Lyrical, and Jazzy from 7.1.6 on) takes a third of the processor
time of the others. Its `spin()` never dispatches in some builds and burns a core instead, and with
a time-out it returns only once nothing is left to do, so callbacks are run one by one here; older
rclpy gets the SingleThreadedExecutor.

rclpy's own signal handlers invalidate every publisher at once, before a controller can send its
last safe command. Here a signal only requests a stop; nodes end while they can still publish.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future

FINISHING = 0.2  # time for what has arrived before the end [s]
CLOSING = 3.0  # after a signal, further signals are ignored for this time [s]

# A signal is noticed within this time [s]; a condition within the shorter one.
SLICE = 0.05
SLICE_WITH_CONDITION = 0.005


class Stop:
    """Reason to stop; set from a signal handler, so it holds no lock.

    Attributes:
        reason: Empty while running, then for example "SIGINT".
    """

    def __init__(self) -> None:
        """Start without a reason."""
        self.reason = ""


def make_executor(context: Context) -> Any:
    """Make the fastest executor that this rclpy has.

    Args:
        context: Context of the nodes.

    Returns:
        EventsExecutor, or SingleThreadedExecutor where rclpy has no other.
    """
    try:
        from rclpy.experimental.events_executor import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor(context=context)
    return EventsExecutor(context=context)


def run_callbacks(executor: Any, duration: float) -> None:
    """Run callbacks for a time, also if they take longer than new ones need to become due.

    Args:
        executor: of `make_executor`.
        duration: After which no further callback is begun [s].
    """
    end = time.monotonic() + duration
    while (left := end - time.monotonic()) > 0.0 and executor.context.ok():
        executor.spin_once(timeout_sec=left)


def freeze_garbage() -> None:
    """Exempt all existing objects from garbage collection: its pauses cost control cycles.

    `spin` calls it once; a lifecycle node calls it again when it was configured.
    """
    gc.collect()
    gc.freeze()


def free_released() -> None:
    """Free what was exempt and is not used any more; takes as long as looking at all objects."""
    gc.unfreeze()
    freeze_garbage()


@contextlib.contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """Turn SIGINT and SIGTERM into a reason to stop.

    Further signals are ignored for ``CLOSING`` seconds, so that the last safe command is sent.
    After that, one more signal ends a hanging process.

    Yields:
        What `spin` watches. Outside the main thread signals are left alone.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    requested = float("inf")

    def handle(number: int, _frame: Any) -> None:
        nonlocal requested
        now = time.monotonic()
        if not stop.reason:
            stop.reason, requested = signal.Signals(number).name, now
        elif now - requested > CLOSING:
            os._exit(128 + number)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def spin(
    nodes: Sequence[Any],
    *,
    until: Callable[[], bool] | None = None,
    timeout: float | None = None,
    stop: Stop | None = None,
    look_every: float = SLICE_WITH_CONDITION,
) -> str:
    """Serve nodes of one context until a condition, signal or time-out. Nodes are not destroyed.

    Args:
        nodes: Nodes to serve, at least one.
        until: Condition that ends it.
        timeout: Time after which to give up [s of a monotonic clock].
        stop: Reason to stop from outside, as of `stop_on_signals`; without one, signals are
            handled here.
        look_every: Time between two looks at the condition [s].

    Returns:
        The reason: "condition", "timeout", "shutdown" (of the context), or the stop's reason.
    """
    if stop is None:
        with stop_on_signals() as own:
            return spin(nodes, until=until, timeout=timeout, stop=own, look_every=look_every)
    executor = make_executor(nodes[0].context)
    for node in nodes:
        executor.add_node(node)
    freeze_garbage()
    pause = SLICE if until is None else look_every
    try:
        reason = _spin_slices(executor, nodes[0].context, until, timeout, stop, pause)
        _finish(executor)
        return reason
    finally:
        for node in nodes:
            executor.remove_node(node)
        executor.shutdown()


def _finish(executor: Any) -> None:
    """Handle what has arrived, for a limited time: another executor would not learn of it."""
    from rclpy.executors import ExternalShutdownException

    over: Future[None] = Future()
    limit = threading.Timer(FINISHING, over.set_result, (None,))
    limit.start()
    try:
        with contextlib.suppress(ExternalShutdownException):
            if executor.context.ok():
                executor.spin_until_future_complete(over, timeout_sec=0.0)
    finally:
        limit.cancel()


def serve_beside(nodes: Sequence[Any]) -> Callable[[], None]:
    """Serve nodes of one context in a separate thread; an error ends it with a log line.

    Args:
        nodes: Nodes to serve; without any nothing happens.

    Returns:
        A function that ends it after the current callback.
    """
    if not nodes:
        return lambda: None
    stop = Stop()
    thread = threading.Thread(target=_serve, args=(nodes, stop), daemon=True)
    thread.start()

    def end() -> None:
        stop.reason = "over"
        thread.join()

    return end


def _serve(nodes: Sequence[Any], stop: Stop) -> None:
    executor = make_executor(nodes[0].context)
    for node in nodes:
        executor.add_node(node)
    try:
        _spin_slices(executor, nodes[0].context, None, None, stop, SLICE)
    except Exception as error:
        nodes[0].get_logger().fatal(f"stopped serving: {type(error).__name__}: {error}")
    finally:
        for node in nodes:
            executor.remove_node(node)
        executor.shutdown()


def _spin_slices(
    executor: Any,
    context: Context,
    until: Callable[[], bool] | None,
    timeout: float | None,
    stop: Stop,
    pause: float,
) -> str:
    from rclpy.executors import ExternalShutdownException

    end = float("inf") if timeout is None else time.monotonic() + timeout
    while context.ok():
        if until is not None and until():
            return "condition"
        if stop.reason:
            return stop.reason
        left = end - time.monotonic()
        if left <= 0.0:
            return "timeout"
        with contextlib.suppress(ExternalShutdownException):
            run_callbacks(executor, min(pause, left))
    return stop.reason or "shutdown"
