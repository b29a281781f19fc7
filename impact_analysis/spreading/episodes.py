# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Groups of simultaneous impacts of the arms of one recording, with each arm's part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from impact_analysis.spreading.arm_impact import ArmImpact, arm_impact
from impact_analysis.spreading.object_motion import ObjectMotion, object_motion
from impact_bags.reading.cell_topics import CellTopics
from impact_bags.reading.reader import BagReader, Span
from impact_bags.reading.run_record import CellRecord, read_cell
from impact_robots import ImpactError, Robot
from impact_ros.messages import to_nanoseconds
from impact_trials.processes import StoppedError, check_stopped

TOGETHER = 0.5  # after an arm's contact: later contacts are of another impact [s]
AROUND = 1.0  # read around an impact [s]
WHOLE = 60.0  # shorter bags are read at once [s]
MOST_DRAWN = 20  # episodes of a recording with traces


class ArmContact(NamedTuple):
    """One arm's contact, by the analysis of that arm."""

    time: float  # stamp [s]
    by_force: bool  # of the force sensor


class RecordedCell(NamedTuple):
    """A recording with several arms, or an object."""

    path: Path
    name: str
    topics: CellTopics
    arms: dict[str, str]  # name of each arm's part in the analysis, by namespace

    def with_absolute_paths(self) -> RecordedCell:
        """Return the recording with an absolute path."""
        return self._replace(path=self.path.resolve())


def arm_of(recording: str, arm: str) -> str:
    """Return the name of an arm's part of a recording; without a namespace it is the whole."""
    return f"{arm} of {recording}" if arm else recording


@dataclass
class Episode:
    """One impact: of one arm, or of several within half a second."""

    recording: str
    time: float  # stamp of the first contact [s]
    arms: list[ArmImpact]  # with a contact, in its order
    untouched: list[str]  # namespaces of arms of which no impact was found
    later: int  # further impacts of these arms until the next episode
    object: ObjectMotion | None = None


@dataclass
class CellFindings:
    """Contents of a recording with several arms, or with an object."""

    recording: str
    topics: CellTopics
    episodes: list[Episode] = field(default_factory=list)
    same: list[str] = field(default_factory=list)  # arms with the joint states of another one
    error: str = ""  # why it could not be read, as text


def find_episodes(
    cell: RecordedCell,
    touches: Mapping[str, Sequence[ArmContact]],
    robot: Robot,
) -> CellFindings:
    """Return the episodes of a recording; its errors are reported as text.

    Args:
        cell: the recording.
        touches: of each arm, in order of time.
        robot: that every arm is.
    """
    found = CellFindings(cell.name, cell.topics)
    try:
        groups = _groups(touches)
        spans = _spans(cell, [group[0][0].time for group in groups])
        record = _read(cell, robot, spans[0]) if groups else None
        for number, group in enumerate(groups):
            check_stopped()
            if number and spans[number] != spans[number - 1]:
                record = _read(cell, robot, spans[number])
            assert record is not None
            found.episodes.append(_episode(cell, robot, record, group))
            if not found.same:
                found.same = _same(record)
            if number >= MOST_DRAWN:
                for arm in found.episodes[-1].arms:
                    arm.trace = None
    except StoppedError:
        raise
    except ImpactError as error:
        found.error = " ".join(str(error).split())
    return found


def _read(cell: RecordedCell, robot: Robot, span: Span) -> CellRecord:
    return read_cell(cell.path, robot, cell.topics.arms, cell.topics.object, span)


Group = list[tuple[ArmContact, str]]


def _groups(touches: Mapping[str, Sequence[ArmContact]]) -> list[Group]:
    """Return the contacts of each impact, in order of time."""
    every = sorted((touch, arm) for arm, own in touches.items() for touch in own)
    groups: list[Group] = []
    for touch, arm in every:
        if not groups or touch.time > groups[-1][0][0].time + TOGETHER:
            groups.append([])
        groups[-1].append((touch, arm))
    return groups


def _spans(cell: RecordedCell, times: Sequence[float]) -> list[Span]:
    """Return the span to read for each impact, in recorded time; all if the bag is short."""
    whole: Span = (None, None)
    with BagReader(cell.path, salvage=True) as bag:
        start, end = bag.span
        if end - start < WHOLE * 1e9:
            return [whole] * max(1, len(times))
        late = _lateness(bag, cell.topics)
    return [
        (round((time - AROUND) * 1e9) + late, round((time + AROUND) * 1e9) + late) for time in times
    ]


def _lateness(bag: BagReader, topics: CellTopics) -> int:
    """Return the delay of a message's recording after its stamp [ns]."""
    own = tuple(f"/{arm}/" if arm else "/" for arm in topics.arms)
    states = [t for t in bag.topics if t.startswith(own) and t.endswith("joint_states")]
    for _, time, message in bag.messages(states):
        return time - to_nanoseconds(message.header.stamp)
    return 0


def _episode(cell: RecordedCell, robot: Robot, record: CellRecord, group: Group) -> Episode:
    """Return the motion of each arm and of the object in an impact."""
    firsts: dict[str, ArmContact] = {}
    for touch, arm in group:
        firsts.setdefault(arm, touch)
    stamps = {arm: round(touch.time * 1e9) for arm, touch in firsts.items()}
    first, last = min(stamps.values()), max(stamps.values())
    arms = [
        arm_impact(robot, arm, record.arms[arm], stamps[arm], first, touch.by_force)
        for arm, touch in firsts.items()
    ]
    topic = cell.topics.object
    return Episode(
        cell.name,
        first * 1e-9,
        arms,
        [arm for arm in cell.topics.arms if arm not in firsts],
        len(group) - len(firsts),
        object_motion(record, topic, first, last) if topic else None,
    )


def _same(record: CellRecord) -> list[str]:
    """Return arms whose joint states are those of an arm before it."""
    found, seen = [], list[np.ndarray]()
    for name, arm in record.arms.items():
        values = arm.states.values
        if len(values) and any(np.array_equal(values, each) for each in seen):
            found.append(name)
        seen.append(values)
    return found
