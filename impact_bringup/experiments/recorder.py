# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Records serialised topics without decoding them."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from impact_bags import BagWriter, RecordingError
from impact_ros.exceptions import RosError
from impact_ros.messages import NANOSECONDS
from impact_ros.node.closing import one_core
from impact_ros.qos import recording_profile

DISCOVERY_PERIOD = 0.2
# Diagnostics are stamped by the wall clock: in a simulation's recording they would lie years away.
HIDDEN = "/_"  # in names of topics that are not for users, such as those of actions
NOT_RECORDED = ("/rosout", "/parameter_events", "/diagnostics")
UNSTAMPED_LIMIT = 10_000


class RecordedTopic(NamedTuple):
    """A topic to record.

    Attributes:
        name: Name of the topic, as seen from the recorder's namespace.
        message_class: Class of its messages.
        qos: Profile to subscribe with.
    """

    name: str
    message_class: type
    qos: QoSProfile


class Recorder(Node):
    """Writes the bytes of topics into one recording.

    The time of a message in the recording is that of its header, so that recordings of a lockstep
    simulation do not depend on the wall clock. A message without a header, or whose stamp is zero,
    gets the latest time recorded before it; those before any stamped message get that one's time.
    If the recorder is killed, `impact detect` reads all but the last second.

    Attributes:
        writer: The recording.
        skipped: Topics that could not be recorded, and why.
    """

    def __init__(
        self,
        path: str | Path,
        topics: Sequence[RecordedTopic | tuple[str, type, QoSProfile]] | None = None,
        *,
        name: str = "impact_recorder",
        context: Context | None = None,
    ) -> None:
        """Open the recording and subscribe.

        Args:
            path: Folder to make.
            topics: Topics to record; by default every topic that appears.
            name: Name of the node.
            context: Context of the node.

        Raises:
            RecordingError: The folder exists.
            WriteError: It cannot be made.
        """
        self.writer = BagWriter(path)
        super().__init__(name, context=context)
        try:
            self.writer.__enter__()
        except RecordingError:
            with one_core():
                super().destroy_node()
            raise
        self.skipped: dict[str, str] = {}
        self._latest = 0
        self._waiting: list[tuple[str, str, bytes]] = []
        self._topics: set[str] = set()
        if topics is None:
            steady = Clock(clock_type=ClockType.STEADY_TIME)  # also while simulated time stands
            self.create_timer(DISCOVERY_PERIOD, self.discover, clock=steady)
            self.discover()
        for item in topics or ():
            self.record(*item)

    def record(self, topic: str, message_class: Any, qos: QoSProfile) -> None:
        """Subscribe to one more topic.

        Args:
            topic: Name of the topic.
            message_class: Class of its messages.
            qos: Profile to subscribe with.

        Raises:
            RecordingError: The recording was closed.
        """
        resolved = self.resolve_topic_name(topic)
        if resolved in self._topics:
            return
        self._topics.add(resolved)
        kind = type_name(message_class)
        latched = qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
        try:
            self.writer.add_topic(resolved, kind, latched=latched)
        except RecordingError as error:
            self._skip(resolved, str(error))
            return
        stamped = has_header(message_class)

        def write(data: bytes) -> None:
            self._write(resolved, kind, data, stamp_of(data) if stamped else 0)

        self.create_subscription(message_class, topic, write, qos, raw=True)

    def discover(self) -> None:
        """Subscribe to all topics that have appeared and have a publisher, but hidden ones."""
        for topic, types in self.get_topic_names_and_types():
            known = topic in self._topics or topic in NOT_RECORDED
            if known or HIDDEN in topic or len(types) != 1:
                continue
            offered = [item.qos_profile for item in self.get_publishers_info_by_topic(topic)]
            if not offered:
                continue
            try:
                message_class = message_class_of(types[0])
            except RosError as error:
                self._topics.add(topic)
                self._skip(topic, str(error))
                continue
            self.record(topic, message_class, recording_profile(offered))

    def close(self) -> None:
        """Finish the recording. Closing twice does no harm.

        Raises:
            WriteError: The disk refused; what was written stays readable with `salvage`.
        """
        now = self._latest or self.get_clock().now().nanoseconds
        self._release(now)
        self.writer.close()

    def destroy_node(self) -> None:
        """Finish the recording, then the node."""
        try:
            self.close()
        finally:
            super().destroy_node()

    def _write(self, topic: str, kind: str, data: bytes, time_ns: int) -> None:
        if time_ns <= 0 and not self._latest and len(self._waiting) < UNSTAMPED_LIMIT:
            self._waiting.append((topic, kind, data))
            return
        time_ns = time_ns if time_ns > 0 else self._latest
        self._latest = max(self._latest, time_ns)
        self._release(time_ns)
        self.writer.write_raw(topic, kind, data, time_ns)

    def _release(self, time_ns: int) -> None:
        waiting, self._waiting = self._waiting, []
        for topic, kind, data in waiting:
            self.writer.write_raw(topic, kind, data, time_ns)

    def _skip(self, topic: str, reason: str) -> None:
        self.skipped[topic] = reason
        self.get_logger().warning(f"not recording {topic}: {reason}")


def stamp_of(data: bytes) -> int:
    """Read the stamp of a message whose first field is a header, without decoding the rest.

    Args:
        data: Serialised message: four bytes of encapsulation, then seconds and nanoseconds.

    Returns:
        Time [ns]; 0 when the data are too short.
    """
    if len(data) < 12:
        return 0
    seconds, rest = struct.unpack_from("<iI" if data[1] & 1 else ">iI", data, 4)
    return int(seconds * NANOSECONDS + rest)


def has_header(message_class: Any) -> bool:
    """Return whether the first field of a message class is a std_msgs Header."""
    fields = message_class.get_fields_and_field_types()
    return next(iter(fields.values()), "") == "std_msgs/Header"


def type_name(message_class: Any) -> str:
    """Return the full name of a message class, such as "sensor_msgs/msg/JointState"."""
    package, kind, *_ = message_class.__module__.split(".")
    return f"{package}/{kind}/{message_class.__name__}"


def message_class_of(name: str) -> Any:
    """Import the class of a message type.

    Args:
        name: Full name of the type.

    Returns:
        The class.

    Raises:
        RosError: It is not installed, or no message.
    """
    package, _, kind = name.partition("/msg/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), kind)
    except (ImportError, AttributeError) as error:
        raise RosError(f"message type {name} is not installed") from error
