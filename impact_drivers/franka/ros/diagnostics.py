# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka node's diagnostics: control cycle, detector and loop, once a second."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from impact_detector.ros.health import HealthMonitor
from impact_detector.ros.messages import diagnostic_message
from impact_drivers.franka.loop.loop_cycle import LoopCycle, counts_of
from impact_drivers.franka.memory.ring import RingReader
from impact_qp.ros.diagnostics import publishers_of
from impact_qp.ros.messages import diagnostics_message
from impact_ros.qos import STREAM


class LoopDiagnostics:
    """Diagnostics of controller and detector as by their nodes, and of the loop."""

    def __init__(self, node: Node) -> None:
        """Create the publisher on ``node``."""
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", STREAM)
        self.begin()

    def begin(self) -> None:
        """Begin to count."""
        self._health = HealthMonitor(self._now())

    def take(self, cycle: LoopCycle) -> None:
        """Count a cycle."""
        self._health.add(cycle.time, self._now())
        if cycle.status is not None:
            self._health.judged(cycle.status)

    def report(self, cycle: LoopCycle, ring: RingReader, fault: str) -> None:
        """Publish the diagnostics.

        Args:
            cycle: the last one.
            ring: that it came from.
            fault: why there are no commands, "" without.
        """
        name = self._node.get_fully_qualified_name().lstrip("/")
        stamp = self._node.get_clock().now().to_msg()
        health = self._health.report(self._now(), cycle.counts.dropped)
        counts = counts_of(cycle.counts, "" if cycle.answer is None else cycle.answer.note)
        publishers = publishers_of(self._node, ["joint_states"])
        message = diagnostics_message(name, stamp, fault, counts, publishers)
        message.status.extend(diagnostic_message(health, name, stamp).status)
        message.status.append(_loop_status(name, cycle, ring, fault))
        self._publisher.publish(message)

    def _now(self) -> int:
        return int(self._node.get_clock().now().nanoseconds)


def _loop_status(name: str, cycle: LoopCycle, ring: RingReader, fault: str) -> DiagnosticStatus:
    """Return the diagnostics of the loop and its link."""
    values = {
        "state": cycle.state.name.lower(),
        "success rate": f"{cycle.success_rate:.2f}",
        "collision thresholds": "raised for a hit" if cycle.raised else "low",
        "time to answer [us]": f"{cycle.cycle_time * 1e6:.0f}",
        "cycles lost in transfer": ring.lost,
        "of these overwritten while read": ring.torn,
        "errors of the arm": cycle.errors or "none",
    }
    level, text = DiagnosticStatus.OK, cycle.state.name.lower()
    if ring.lost:
        level, text = DiagnosticStatus.WARN, f"{ring.lost} cycles lost in transfer"
    if fault or cycle.errors:
        level, text = DiagnosticStatus.ERROR, fault or cycle.errors
    return DiagnosticStatus(
        level=level,
        name=f"{name}: loop",
        message=text,
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )
