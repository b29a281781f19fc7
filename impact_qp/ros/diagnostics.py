# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A controller's diagnostics, once a second, and a warning when a topic has two publishers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock
from rclpy.node import Node

from impact_qp.control.status import Counts
from impact_qp.ros.messages import diagnostics_message
from impact_ros.messages import from_nanoseconds
from impact_ros.node.throttled_log import ThrottledLog
from impact_ros.qos import STREAM

PERIOD, LOG_PERIOD = 1.0, 10.0  # [s]


def publishers_of(node: Node, topics: Iterable[str]) -> dict[str, int]:
    """Return how many publishers each topic has, by the name that it has in a node."""
    return {each: node.count_publishers(node.resolve_topic_name(each)) for each in topics}


class DiagnosticsReporter:
    """Publishes a node's fault, its counts and the numbers of publishers of its topics.

    States of two arms, or commands of two controllers, on one topic are obeyed in turn.
    """

    def __init__(
        self,
        node: Node,
        clock: Clock,
        owners: dict[str, str],
        condition: Callable[[], tuple[str, Counts, int | None]],
    ) -> None:
        """Begin to report.

        Args:
            node: to report on.
            clock: of the period.
            owners: whose the one publisher of each topic is, ``{"joint_states": "the arm's"}``.
            condition: returns the fault, "" without, the counts, and the stamp of the last state
                [ns], None before the first.
        """
        self._node, self._owners, self._condition = node, owners, condition
        self._log = ThrottledLog(node.get_logger(), LOG_PERIOD)
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", STREAM)
        self._timer = node.create_timer(PERIOD, self._report, clock=clock)

    def destroy(self) -> None:
        """End the reports."""
        self._node.destroy_publisher(self._publisher)
        self._node.destroy_timer(self._timer)

    def _report(self) -> None:
        node, owners = self._node, self._owners
        publishers = publishers_of(node, owners)
        for topic, count in publishers.items():
            if count > 1:
                line = f"{topic} has {count} publishers, expected one: {owners[topic]}"
                self._log.warning(line, kind=topic)
        name = node.get_fully_qualified_name().lstrip("/")
        fault, counts, newest = self._condition()
        stamp = from_nanoseconds(node.get_clock().now().nanoseconds if newest is None else newest)
        message = diagnostics_message(name, stamp, fault, counts, publishers)
        self._publisher.publish(message)
