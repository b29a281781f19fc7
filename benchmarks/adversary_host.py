# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Real nodes in this process on a clock that advances only with the simulated world.

Messages are given to the subscriptions' own callbacks and taken from the publishers, so that a
second of control takes a fraction of one and is the same each time. Actions go over DDS.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message, serialize_message

from impact_ros.node.closing import close

CREEP = 1e-9  # by which each look at the clock moves it: somebody may wait for that [s]
BEGINS = {"configure": "unconfigured", "activate": "inactive", "deactivate": "active"}
ENDS = {"configure": "inactive", "activate": "active", "deactivate": "inactive"}
PACE = 0.001  # of real time, while an answer that takes real time is awaited [s]


def read(message: Any, kind: type) -> Any:
    """Return a message that a node publishes, which may be its bytes."""
    return deserialize_message(message, kind) if isinstance(message, bytes) else message


class VirtualClock:
    """Stands in for the process's clocks; who sleeps in the main thread lets the world move on.

    Attributes:
        now: [s]
        passing: called with the time that somebody sleeps [s]; lets the world move on.
    """

    def __init__(self) -> None:
        """Begin well after 0, as clocks do."""
        self.now = 1000.0
        self.passing: Callable[[float], None] = self.pass_by
        self._real = {name: getattr(time, name) for name in ("monotonic", "perf_counter", "sleep")}

    def pass_by(self, seconds: float) -> None:
        """Let time go by in which nothing happens."""
        self.now += seconds

    def _look(self, name: str) -> Callable[[], float]:
        real = self._real[name]

        def look() -> float:
            if threading.current_thread() is not threading.main_thread():
                return real()
            self.now += CREEP
            return self.now

        return look

    def sleep(self, seconds: float) -> None:
        """Sleep; other threads do so in real time."""
        if threading.current_thread() is not threading.main_thread():
            self._real["sleep"](seconds)
        elif seconds > 0.0:
            self.passing(seconds)

    def wait(self, seconds: float) -> None:
        """Wait in real time."""
        self._real["sleep"](seconds)

    @contextmanager
    def installed(self) -> Any:
        """Replace the process's clocks meanwhile, also those that the suite imported by name."""
        import impact_qp.limits.impact_limits.load_watch  # noqa: F401  has; not while the clocks are replaced

        virtual = {name: self._look(name) for name in ("monotonic", "perf_counter")}
        virtual["sleep"] = self.sleep
        known = [module for name, module in sys.modules.items() if name.startswith("impact_")]
        places = [
            (module, name)
            for name, real in self._real.items()
            for module in (time, *known)
            if getattr(module, name, None) is real
        ]
        for module, name in places:
            setattr(module, name, virtual[name])
        try:
            yield self
        finally:
            for module, name in places:
                setattr(module, name, self._real[name])


class Log:
    """Takes what a node logs, and keeps its errors."""

    def __init__(self) -> None:
        """Start empty."""
        self.errors: list[str] = []

    def error(self, line: str, **_options: Any) -> None:
        """Keep a line."""
        self.errors.append(line)

    fatal = error

    def info(self, line: str, **_options: Any) -> None:
        """Pass over a line."""

    debug = warning = info

    def get_child(self, _name: str) -> Log:
        """Return the same log."""
        return self


class Host:
    """One node and what stands around it: its inputs, its outputs, its timers, its actions.

    Attributes:
        log: what the node said.
        state: of its life cycle.
        driver: another node, for clients and as publisher of the node's inputs.
    """

    def __init__(
        self,
        kind: type[Any],
        hear: Callable[[str, Any], None],
        clock: VirtualClock,
        publishes: dict[str, type] | None = None,
        **parameters: Any,
    ) -> None:
        """Make the node.

        Args:
            kind: of node.
            hear: called with topic and message for all that the node publishes.
            clock: that its timers go by.
            publishes: topics that others say to publish, with their types.
            parameters: of the node.
        """
        self.context = Context()
        self.context.init(args=[])
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.log, self._hear, self._clock = Log(), hear, clock
        self.state = "unconfigured"
        try:
            self.node = kind(context=self.context, parameter_overrides=overrides)
        except BaseException:
            self.context.try_shutdown()
            raise
        self.node.get_logger = lambda: self.log
        self._make, self.node.create_publisher = self.node.create_publisher, self._publisher
        self.driver = Node("others", context=self.context)
        for topic, message in (publishes or {}).items():
            self.driver.create_publisher(message, topic, 10)
        self._executor = SingleThreadedExecutor(context=self.context)
        for each in (self.node, self.driver):
            self._executor.add_node(each)
        self._due: dict[Any, float] = defaultdict(float)

    def close(self) -> None:
        """End the node as its process does."""
        try:
            self.node.trigger_shutdown()
        finally:
            self._executor.shutdown()
            close(self.driver, self.node, context=self.context)

    def _publisher(self, kind: type, topic: str, *args: Any, **options: Any) -> Any:
        publisher = self._make(kind, topic, *args, **options)
        name = topic.removeprefix("~/")
        publisher.publish = lambda message: self._hear(name, read(message, kind))
        publisher.get_subscription_count = lambda: 1
        return publisher

    def request(self, transition: str) -> bool:
        """Ask for a transition of the life cycle; return whether it was made."""
        if self.state != BEGINS.get(transition, "inactive"):
            return False
        if getattr(self.node, f"trigger_{transition}")() != TransitionCallbackReturn.SUCCESS:
            return False
        self.state = ENDS.get(transition, "unconfigured")
        return True

    def give(self, topic: str, message: Any) -> None:
        """Give the node a message, if it listens."""
        for each in list(self.node.subscriptions):
            if each.topic_name == f"/{topic}":
                each.callback(serialize_message(message) if each.raw else message)

    def tick(self) -> None:
        """Let the node's timers do what is due."""
        for timer in list(self.node.timers):
            period = timer.timer_period_ns * 1e-9
            due = self._due[timer] or self._clock.now + period
            if self._clock.now >= due and not timer.is_canceled():
                timer.callback()
                due = self._clock.now + period
            self._due[timer] = due

    def serve(self, seconds: float = 0.0) -> None:
        """Serve what waits, or comes within a real time [s]."""
        self._executor.spin_once(timeout_sec=seconds)

    def wait_for(self, condition: Callable[[], bool], seconds: float = 10.0) -> bool:
        """Serve clients until a condition holds, in real time; return whether it does."""
        for _ in range(round(seconds / PACE)):
            if condition():
                return True
            self.serve(PACE)
        return condition()
