# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads joint states, desired torques and forces from a bag, for detection."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from impact_bags import BagReader
from impact_bags.exceptions import RecordingError
from impact_bags.reading.quick_states import QuickStates
from impact_bags.reading.reader import Span
from impact_bags.reading.recording import (
    LOOK_AHEAD,
    Force,
    Item,
    RecordedReference,
    credible,
    in_time_order,
    is_absurd,
)
from impact_detector.exceptions import DetectorError
from impact_detector.ros.conversion import (
    announcement,
    batch_sample,
    joint_sample,
    reference_values,
    unreadable,
    wrench_sample,
)
from impact_detector.signals.reference_torque import PREVIOUS, SAME
from impact_detector.signals.sample import JointSample, from_seconds
from impact_robots import ImpactError, Robot
from impact_ros.exceptions import MessageError
from impact_ros.messages import JointReader, to_nanoseconds

JOINT_STATE = "sensor_msgs/msg/JointState"
WRENCH = "geometry_msgs/msg/WrenchStamped"
WRENCH_BATCH = "impact_msgs/msg/WrenchBatch"
ANNOUNCEMENT = "impact_msgs/msg/ImpactAnnouncement"
UNREADABLE = (ImpactError, AttributeError, IndexError, OverflowError, TypeError, ValueError)
DESIRED = "desired_joint_states"
MUCH_FASTER = 5.0  # rate over that of other topics with the same joints, for the driver's own topic
FIRST_LOOK = from_seconds(0.1)  # backwards for a joint state [ns]
FIRST = 10  # messages of a topic that are read for the names of its joints
_OWN_REFERENCE = f"impact_qp/{DESIRED}"


@dataclass(frozen=True)
class TopicChoice:
    """Topics named by the user; empty: found by type and name."""

    state: str = ""
    reference: str = ""
    pairing: str = ""  # rule of signals.reference_torque; empty: by the reference's topic
    wrench: str = ""  # of force samples; empty: all
    namespace: str = ""  # of the arm whose topics are read; empty: all


class Boundary(NamedTuple):
    """Where a part of a recording begins [ns]."""

    before: int  # recorded time of the last joint state of the part before it
    time: int  # of its own first one
    stamp: int  # of its own first one


class BagRecording:
    """A bag (MCAP or sqlite3) with measured and, optionally, desired joint states."""

    def __init__(self, path: Path, robot: Robot, choice: TopicChoice) -> None:
        """Open the bag and find its topics.

        Raises:
            RecordingError: not a bag, or without a topic that is needed.
        """
        self.name, self._path, self._robot = str(path), path, robot
        with BagReader(path, salvage=True) as bag:
            own = f"/{choice.namespace}/" if choice.namespace else ""
            topics = {t: info.type_name for t, info in bag.topics.items() if t.startswith(own)}
            start, end = bag.span
            self.state_topic = _state_topic(bag, path, robot, topics, choice.state)
            self.lost = list(bag.lost)  # unreadable parts, as text; more may follow
        self.duration = max(0, end - start) * 1e-9  # [s]
        self._reference = _reference_topic(path, topics, choice.reference)
        self._forces = _force_topics(path, topics, choice.wrench)
        self._announced = [topic for topic, kind in topics.items() if kind == ANNOUNCEMENT]
        self.has_reference = bool(self._reference)
        previous = self._reference.endswith(_OWN_REFERENCE)
        self.pairing_rule = choice.pairing or (PREVIOUS if previous else SAME)
        self.span: Span = (None, None)  # of recorded time, that ``items`` reads [ns]

    def recorded_joints(self) -> tuple[str, ...]:
        """Return the joints that its first joint states name, sorted."""
        with BagReader(self._path, salvage=True) as bag:
            return tuple(sorted(set().union(*_first_names(bag, self.state_topic))))

    def items(self, *, references: bool = True) -> Iterator[Item]:
        """Yield the recorded items in order of measured time.

        Args:
            references: whether to read desired torques.

        Raises:
            RecordingError: the bag is damaged.
        """
        return in_time_order(self._in_recorded_order(self._reference if references else ""))

    def _in_recorded_order(self, reference: str) -> Iterator[Item]:
        names = self._robot.joint_names
        state, desired = JointReader(names), JointReader(names)
        wanted = (self.state_topic, reference, *self._forces, *self._announced)
        topics = [topic for topic in wanted if topic]
        shortcuts = {self.state_topic: QuickStates(JointReader(names))}
        unreadable: Counter[str] = Counter()
        states = 0
        with BagReader(self._path, salvage=True) as bag:
            yield from self._announced_before(bag)
            for topic, _, message in bag.messages(topics, self.span, shortcuts):
                try:
                    if topic == self.state_topic:
                        items = _state_items(message, state)
                    elif topic == reference:
                        items = [_reference_item(message, desired)]
                    elif topic in self._announced:
                        items = _announcements(message)
                    else:
                        items = _force_items(message, topic, self._forces[topic])
                except UNREADABLE:  # damaged, or of another type than its name
                    unreadable[topic] += 1
                    continue
                states += topic == self.state_topic
                yield from items
            lost = [*bag.lost, *(f"{n} messages on {topic}" for topic, n in unreadable.items())]
            self.lost += [text for text in lost if text not in self.lost]
        if lost and not states and self.span == (None, None):
            raise RecordingError.at(
                self._path, f"no joint state can be read (damaged: {'; '.join(lost)})"
            )

    def _announced_before(self, bag: BagReader) -> Iterator[Item]:
        """Yield the last announcement before the span, which is still valid in it."""
        start, last = self.span[0], None
        if start is None or not self._announced:
            return
        for _, _, message in bag.messages(self._announced, (None, start)):
            last = message
        if last is not None:
            with suppress(*UNREADABLE):
                yield from _announcements(last)

    def boundaries(self, count: int) -> list[Boundary]:
        """Return the boundaries of at most ``count`` parts of equal length.

        Returns:
            of each part but the first one; none where stamps do not go along with recorded time,
            as after a restart of a simulation or of a driver's clock.
        """
        found: dict[int, Boundary] = {}
        with BagReader(self._path, salvage=True) as bag:
            start, end = bag.span
            known = [self._state_after(bag, start), self._state_before(bag, start, end + 1)]
            for k in range(1, count):
                at = start + (end - start) * k // count
                first, before = self._state_after(bag, at), self._state_before(bag, start, at)
                if first is not None and before is not None:
                    found[first[0]] = Boundary(before[0], *first)
                    known += [first, before]
        ahead = [stamp - time for time, stamp in filter(None, known)]
        if None in known or max(ahead) - min(ahead) > LOOK_AHEAD:
            return []
        return list(found.values())

    def _state_after(self, bag: BagReader, at: int) -> tuple[int, int] | None:
        """Return recorded time and stamp of the first joint state from a recorded time on [ns]."""
        return next(self._times(bag, (at, None)), None)

    def _state_before(self, bag: BagReader, start: int, at: int) -> tuple[int, int] | None:
        """Return those of the last joint state before it; ``start``: of the recording [ns]."""
        back = FIRST_LOOK
        while True:
            last = deque(self._times(bag, (at - back, at)), maxlen=1)
            if last or at - back <= start:
                return last[0] if last else None
            back *= 2

    def _times(self, bag: BagReader, span: Span) -> Iterator[tuple[int, int]]:
        """Yield recorded time and stamp of the joint states in a span [ns]."""
        for _, time, message in bag.messages([self.state_topic], span):
            with suppress(*UNREADABLE):
                yield time, to_nanoseconds(message.header.stamp)


def _state_items(message: Any, reader: JointReader) -> list[Item]:
    """Return the state; one of NaN if it lacks joints, none if it has none of them, as the node."""
    if isinstance(message, JointSample):  # from a shortcut
        return [message]
    try:
        return [credible(joint_sample(message, reader))]
    except MessageError:
        return [] if reader.is_foreign(message) else [unreadable(message, reader)]


def _reference_item(message: Any, reader: JointReader) -> Item:
    time = to_nanoseconds(message.header.stamp)
    try:
        torque, velocity = reference_values(message, reader)
        return RecordedReference(time, _believable(torque), _believable(velocity))
    except MessageError:
        return RecordedReference(time, None)


def _believable(values: np.ndarray | None) -> np.ndarray | None:
    """Return numbers, None if they are implausibly large."""
    return None if values is None or is_absurd(values) else values


def _force_items(message: Any, topic: str, kind: str) -> list[Item]:
    """Return the samples; an invalid batch is left out, as in the node."""
    try:
        sample = wrench_sample(message) if kind == WRENCH else batch_sample(message)
    except DetectorError:
        return []
    return [] if is_absurd(sample.force) else [Force(sample, topic)]


def _announcements(message: Any) -> list[Item]:
    """Return an announcement, or None if the node would refuse it."""
    try:
        return [announcement(message)]
    except DetectorError:
        return []


def _state_topic(
    bag: BagReader, path: Path, robot: Robot, topics: Mapping[str, str], wanted: str
) -> str:
    """Return the topic of measured joint states."""
    states = [topic for topic, kind in topics.items() if kind == JOINT_STATE]
    if wanted:
        return _named(path, states, wanted)
    found = [topic for topic in states if is_measured(topic)]
    if len(found) > 1:
        found = drivers_own(bag, found, robot.joint_names)
    if len(found) != 1:
        choices = ", ".join(states) or "none"
        raise RecordingError.at(
            path,
            f"expected one topic of measured joint states, got {len(found)}; choose with"
            f" --state-topic among {choices}",
        )
    return found[0]


def drivers_own(bag: BagReader, topics: Sequence[str], joints: Sequence[str]) -> list[str]:
    """Return the drivers' topics with states of whole arms, all topics if there are none.

    A gripper's driver has other joints; topics that merge both are much slower.

    Args:
        bag: that is open.
        topics: of measured joint states.
        joints: of an arm.
    """
    whole = [topic for topic in topics if _has_joints(bag, topic, joints)]
    counts = {topic: bag.topics[topic].message_count for topic in whole}
    most = max(counts.values(), default=0)
    return [topic for topic, n in counts.items() if n * MUCH_FASTER > most] or list(topics)


def is_another_arm(bag: BagReader, topic: str, joints: Sequence[str]) -> bool:
    """Return whether a topic has as many joints as the arm, and none of these."""
    names = _first_names(bag, topic)
    return any(len(each) >= len(joints) and not each & set(joints) for each in names)


def _has_joints(bag: BagReader, topic: str, joints: Sequence[str]) -> bool:
    """Whether one of the first joint states of a topic has all these joints."""
    return any(set(joints) <= names for names in _first_names(bag, topic))


def _first_names(bag: BagReader, topic: str) -> Iterator[set[str]]:
    """Yield the joints of a topic's first messages, as far as they can be read."""
    for _, _, message in islice(bag.messages([topic]), FIRST):
        with suppress(*UNREADABLE):
            yield set(message.name)


def is_measured(topic: str) -> bool:
    """Return whether joint states are measured ones, by their topic."""
    return topic.endswith("joint_states") and "desired" not in topic


def _reference_topic(path: Path, topics: Mapping[str, str], wanted: str) -> str:
    """Return the topic of desired joint states, empty for none."""
    states = [topic for topic, kind in topics.items() if kind == JOINT_STATE]
    if wanted:
        return _named(path, states, wanted)
    found = [topic for topic in states if topic.endswith(DESIRED)]
    if len(found) > 1:
        raise RecordingError.at(
            path,
            "several topics of desired joint states, choose with --reference-topic among"
            f" {', '.join(found)}",
        )
    return found[0] if found else ""


def _named(path: Path, states: list[str], wanted: str) -> str:
    if wanted not in states:
        choices = ", ".join(states) or "none"
        raise RecordingError.at(path, f"no joint states on {wanted!r}; the bag has {choices}")
    return wanted


def _force_topics(path: Path, topics: Mapping[str, str], wanted: str) -> dict[str, str]:
    """Return the topics of force sensors and their types."""
    found = {topic: kind for topic, kind in topics.items() if kind in (WRENCH, WRENCH_BATCH)}
    if not wanted:
        return found
    if wanted not in found:
        choices = ", ".join(found) or "none"
        raise RecordingError.at(path, f"no forces on {wanted!r}; the bag has {choices}")
    return {wanted: found[wanted]}
