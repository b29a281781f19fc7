# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Where the time from a state to its command goes: time stamps taken in the nodes of ``qp_loop``.

The same processes as there, with wrapped parts that note when they begin and end: rclpy's take of
a message (which copies and converts it), what the controller or the echo does with it, publishing.
All processes read one clock. Run it with ``./impact bench qp_loop_trace`` (half a minute).
"""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
import qp_loop
from rclpy.publisher import Publisher
from rclpy.subscription import Subscription

from impact_bringup import suite
from impact_detector.node import DetectorNode
from impact_qp.control.guarded import GuardedController
from impact_qp.ros.inputs import Inputs
from impact_qp.ros.outputs import Outputs
from impact_ros.node.main import main_for
from impact_ros.state_stream import StateStream

ROUNDS = 5
FOLDER = "QP_LOOP_TRACE"  # environment variable: where the nodes write
# of a node between take and publish, in this order
OWN = ("read bytes", "convert", "guard", "compute")
Event = tuple[str, float, float]  # what, begin and end [s of perf_counter]


class Log:
    """What happened in a process and when."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._takes: dict[int, Take] = {}  # by subscription

    def arrays(self) -> Times:
        """Return begins and ends by label, in order."""
        found: dict[str, list[tuple[float, float]]] = {}
        for label, begin, end in self.events:
            found.setdefault(label, []).append((begin, end))
        return {label: np.array(sorted(times)) for label, times in found.items()}

    def wrap_messages(self) -> None:
        """Note takes and publications of messages."""
        Subscription.callback = property(self._taking, Subscription.callback.fset)
        self.wrap(Publisher, "publish", lambda each: f"publish {each.topic_name}")

    def wrap(self, kind: Any, name: str, label: str | Callable[[Any], str]) -> None:
        """Let a method note when it was called.

        Args:
            kind: class of the method.
            name: of the method.
            label: of the event, or what returns it for an object.
        """
        call, note = getattr(kind, name), self.events.append
        label_of = label if callable(label) else lambda _: label
        labels: dict[int, str] = {}

        def timed(own: Any, *arguments: Any, **options: Any) -> Any:
            begin = perf_counter()
            try:
                return call(own, *arguments, **options)
            finally:
                end = perf_counter()
                key = id(own)
                if key not in labels:
                    labels[key] = label_of(own)
                note((labels[key], begin, end))

        setattr(kind, name, timed)

    def _taking(self, subscription: Any) -> Callable[[Any], None]:
        """Return the callback, which the executor asks for right before it takes the message."""
        key = id(subscription)
        if key not in self._takes:  # the executor owns no reference to what it gets here
            label = f"take {subscription.logger_name} {subscription.topic_name}"
            self._takes[key] = Take(label, subscription._callback, self.events)
        take = self._takes[key]
        take.begin = perf_counter()
        return take


class Take:
    """A subscription's callback that notes how long its message was taken."""

    def __init__(self, label: str, call: Callable[[Any], None], events: list[Event]) -> None:
        self._label, self._call, self._events, self.begin = label, call, events, 0.0

    def __call__(self, message: Any) -> None:
        """Take the message."""
        self._events.append((self._label, self.begin, perf_counter()))
        self._call(message)


def _run(name: str) -> int:
    """Run the suite or the echo with stamps."""
    log = Log()
    log.wrap_messages()
    atexit.register(lambda: np.save(Path(os.environ[FOLDER]) / name, log.arrays(), True))
    if name == qp_loop.ECHO:
        floor = qp_loop.EchoNode
        log.wrap(floor, "compute", "compute")
        return main_for(floor)([])
    log.wrap(StateStream, "read", "read bytes")
    log.wrap(Inputs, "read", "convert")
    log.wrap(GuardedController, "accepts", "guard")
    log.wrap(GuardedController, "answer", "compute")
    log.wrap(GuardedController, "catch_up", "catch up")
    log.wrap(Outputs, "begin_answer", "send command")
    log.wrap(Outputs, "finish_answer", "send reports")
    log.wrap(DetectorNode, "_on_state", "detect")
    log.wrap(DetectorNode, "_publish", "detector publishes")
    return suite.main(sys.argv[1:])


def measure(rounds: int = ROUNDS) -> dict[str, float]:
    """Return medians and 99 % of each part's time, in microseconds.

    Args:
        rounds: in each of which there is a block of every kind.
    """
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {FOLDER: folder}):
        module = Path(__file__).stem
        own = Log()
        own.wrap_messages()
        with (
            qp_loop.suite_and_echo(qp_loop.BLOCK_SETTINGS, module, module),
            qp_loop.active_driver() as driver,
        ):
            blocks = _blocks(driver, rounds)
        logs = {name: _events(Path(folder) / f"{name}.npy") for name in ("suite", qp_loop.ECHO)}
    figures: dict[str, float] = {}
    for kind, (sent, received) in blocks.items():
        node = "suite" if kind == "suite" else qp_loop.ECHO
        parts = _parts(sent, received, logs[node], own.arrays(), qp_loop.KINDS[kind])
        for part, times in parts.items():
            if np.isnan(times).all():
                continue
            for percent in qp_loop.PERCENTS:
                figures[f"{kind}, {part}, p{percent} [us]"] = 1e6 * float(
                    np.nanpercentile(times, percent)
                )
    return figures | _rest(blocks["suite"], logs["suite"])


Times = dict[str, np.ndarray]  # begin and end of each event by label, (m, 2) [s]


def _blocks(driver: qp_loop.Driver, rounds: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return when the answered states were sent, and their answers received [s], by kind."""
    found: dict[str, tuple[list[float], list[float]]] = {kind: ([], []) for kind in qp_loop.KINDS}
    for kind, delays in qp_loop.turns(driver, rounds):
        sent = driver.sent[qp_loop.KINDS[kind]]
        for k, delay in delays.items():
            found[kind][0].append(sent[k])
            found[kind][1].append(sent[k] + delay)
    return {kind: (np.array(sent), np.array(got)) for kind, (sent, got) in found.items()}


def _events(path: Path) -> Times:
    """Return what a process of this benchmark has written."""
    found: Times = np.load(path, allow_pickle=True).item()
    return found


def _parts(sent: np.ndarray, received: np.ndarray, node: Times, driver: Times, name: str) -> Times:
    """Return how long each part of each state's way took, shape (m,) each [s]."""
    states = "joint_states" if name == qp_loop.CONTROLLER else f"{name}/joint_states"
    take = _within(node[f"take {name} /{states}"], sent, received)
    command = _within(node[f"publish /{name}/command"], take[:, 1], received)
    send = _within(driver[f"publish /{states}"], sent, received)
    taken = _within(driver[f"take driver /{name}/command"], sent, received + 1e-4, last=received)
    parts = {
        "send": send[:, 1] - send[:, 0],
        "until take": take[:, 0] - send[:, 1],
        "take": take[:, 1] - take[:, 0],
    }
    for label in OWN:
        if label in node:
            event = _within(node[label], take[:, 1], command[:, 0])
            parts[label] = event[:, 1] - event[:, 0]
    between = command[:, 0] - take[:, 1]
    parts["between"] = between - sum(np.nan_to_num(parts.get(label, 0.0)) for label in OWN)
    parts["publish"] = command[:, 1] - command[:, 0]
    parts["until taken back"] = taken[:, 0] - command[:, 1]
    parts["taken back"] = received - taken[:, 0]
    parts["all"] = received - sent
    return parts


def _within(
    events: np.ndarray, begin: np.ndarray, end: np.ndarray, last: np.ndarray | None = None
) -> np.ndarray:
    """Return the first event that begins in each interval, or the last one that begins before.

    Args:
        events: begin and end, in order, (m, 2) [s].
        begin: of the intervals, (k,) [s].
        end: of the intervals, (k,) [s].
        last: the event is the last one before that time, (k,) [s].

    Returns:
        Its begin and end, shape (k, 2), NaN without one.
    """
    padded = np.vstack((events, [[np.inf, np.inf]]))
    if last is None:
        index = np.searchsorted(events[:, 0], begin)
    else:
        index = np.searchsorted(events[:, 0], last) - 1
    found = padded[index].copy()
    found[~((found[:, 0] >= begin) & (found[:, 0] <= end))] = np.nan
    return found


def _rest(block: tuple[np.ndarray, np.ndarray], node: Times) -> dict[str, float]:
    """Return medians of what else the suite does while states come, in microseconds."""
    sent, received = block
    figures: dict[str, float] = {}
    for label in sorted(node):
        inside = (node[label][:, 0] > sent[0]) & (node[label][:, 0] < received[-1])
        if np.sum(inside) > len(sent) / 2 and label not in OWN:
            times = np.diff(node[label][inside])
            figures[f"suite, each {label}, p50 [us]"] = 1e6 * float(np.median(times))
    return figures


if __name__ == "__main__":
    sys.exit(_run(qp_loop.ECHO if sys.argv[1:2] == [qp_loop.ECHO] else "suite"))
