# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads a recording of any kind into a :class:`ViewRecord`."""

from __future__ import annotations

import contextlib
import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from impact_bags import BagReader
from impact_bags.bag_recording import UNREADABLE, TopicChoice
from impact_bags.exceptions import RecordingError
from impact_bags.open_recording import CSV, open_recording
from impact_bags.reading.recording import Item
from impact_bags.reading.sources import has_suffix
from impact_bags.windows.files import is_window_file
from impact_bags.writing.suite_messages import CONTROLLER_STATUS, EVENT
from impact_detector.signals.sample import JointSample
from impact_robots.robot import Robot
from impact_ros.messages import to_nanoseconds
from impact_view.run.collector import Collector
from impact_view.run.force_axes import ForceAxes
from impact_view.run.free_collector import KINDS, FreeCollector
from impact_view.run.record import ViewRecord

FORCE_TYPES = ("geometry_msgs/msg/WrenchStamped", "impact_msgs/msg/WrenchBatch")
_LAST = 1  # after the measurement of the same time


def read_view(path: Path, robot: Robot, choice: TopicChoice) -> ViewRecord:
    """Read a bag, or a CSV, with the joint states of ``robot``.

    Args:
        path: of one recording.
        robot: whose states they are.
        choice: which of several topics.

    Raises:
        RecordingError: it cannot be read, or holds no state of the robot.
    """
    if is_window_file(path):  # which lack the axes of forces, and time between windows
        raise RecordingError.at(
            path, "expected a bag or a CSV, got contact windows, which view does not show"
        )
    if robot.base == "floating":
        return _read_free(path, robot, choice)
    recording = open_recording(path, robot, choice)
    messages, frames = ([], {}) if has_suffix(path, CSV) else _beside(path)
    collector = Collector(ForceAxes(robot, frames))
    for item in heapq.merge(
        _keyed(recording.items(references=False)), messages, key=lambda e: e[:2]
    ):
        _take(collector, item[2])
    if not len(collector):
        raise RecordingError.at(
            path, f"expected joint states of {robot.name}, got none (of another arm: --robot)"
        )
    return collector.record()


def _read_free(path: Path, robot: Robot, choice: TopicChoice) -> ViewRecord:
    """Read a bag with the joint states and the odometry of a robot with a free base.

    Raises:
        RecordingError: it cannot be read, or holds no state of the robot.
    """
    collector = FreeCollector(robot, choice.state)
    with BagReader(path, salvage=True) as bag:
        kinds = {topic: info.type_name for topic, info in bag.topics.items()}
        topics = [topic for topic, kind in kinds.items() if kind in KINDS]
        for topic, _, message in bag.messages(topics) if topics else ():
            with contextlib.suppress(*UNREADABLE):  # of another robot, or damaged
                collector.add(topic, kinds[topic], message)
    if not len(collector):
        raise RecordingError.at(
            path, f"expected joint states of {robot.name} and nav_msgs/Odometry, got not both"
        )
    return collector.record()


def _keyed(items: Iterator[Item]) -> Iterator[tuple[int, int, Any]]:
    """Yield measurements with their time [ns] and place among what has that time."""
    newest = 0
    for item in items:
        newest = max(newest, item.time)
        yield newest, 0 if isinstance(item, JointSample) else -1, item


def _take(collector: Collector, item: Any) -> None:
    """Pass an item, or a message of a node, to the collector."""
    kind = getattr(item, "__msgtype__", "")
    if kind == CONTROLLER_STATUS:
        collector.add_controller_status(item)
    elif kind == EVENT:
        collector.add_event(item)
    else:
        collector.add(item)


def _beside(path: Path) -> tuple[list[tuple[int, int, Any]], dict[str, str]]:
    """Return messages of controller and detector with times [ns], and the frames of forces."""
    messages: list[tuple[int, int, Any]] = []
    frames: dict[str, str] = {}
    with BagReader(path, salvage=True) as bag:
        kinds = {topic: info.type_name for topic, info in bag.topics.items()}
        for topic in (topic for topic, kind in kinds.items() if kind in FORCE_TYPES):
            first = next(bag.messages([topic]), None)
            frames[topic] = first[2].header.frame_id if first else ""
        topics = [topic for topic, kind in kinds.items() if kind in (CONTROLLER_STATUS, EVENT)]
        for _, _, message in bag.messages(topics) if topics else ():
            with contextlib.suppress(*UNREADABLE):  # a damaged stamp
                time = to_nanoseconds(message.header.stamp)
                if message.__msgtype__ == EVENT:
                    to_nanoseconds(message.detection_time)
                messages.append((time, _LAST, message))
    return sorted(messages, key=lambda entry: entry[0]), frames
