# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is analysed of a recording: the one arm that it holds, or each of several."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from impact_analysis.analyze.reading.collected import Collected
from impact_analysis.analyze.reading.missed import FORCE
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.spreading.episodes import ArmTouch, RecordedCell, arm_of
from impact_bags.cell_topics import cell_topics
from impact_robots import ImpactError

TOGETHER = 0.15  # a force peak that near to an impact belongs to it [s]


class Subject(NamedTuple):
    """One arm of a recording."""

    path: Path
    name: str  # of the recording, or "left of" it
    arm: str  # its namespace; empty: it is the only one


class Subjects(NamedTuple):
    """The arms of one recording."""

    subjects: tuple[Subject, ...]
    cell: RecordedCell | None  # none: there is nothing to say of them together


def arms_of(path: Path, name: str, settings: AnalysisSettings) -> Subjects:
    """Return the arms of a recording; one that cannot be read has one, whose analysis says why."""
    alone = Subjects((Subject(path, name, ""),), None)
    try:
        topics = cell_topics(path, settings.object_topic, settings.load_robot().joint_names)
    except ImpactError:
        return alone
    chosen = settings.state_topic or settings.reference_topic
    if topics is None or (topics.many and chosen):  # the user has chosen one arm
        return alone
    names = {arm: arm_of(name, arm) for arm in topics.arms}
    subjects = tuple(Subject(path, names[arm], arm) for arm in topics.arms)
    return Subjects(subjects, RecordedCell(path, name, topics, names))


def touches_of(cell: RecordedCell, done: Mapping[str, Collected]) -> dict[str, list[ArmTouch]]:
    """Return the touches of each arm: impacts that were found, and peaks of the force."""
    return {arm: _touches(done[name]) for arm, name in cell.arms.items()}


def _touches(found: Collected) -> list[ArmTouch]:
    touches = [ArmTouch(impact.time, impact.touch_by_force) for impact in found.impacts]
    peaks = [ArmTouch(each.time, True) for each in found.missed if each.kind == FORCE]
    apart = [p for p in peaks if all(abs(p.time - each.time) > TOGETHER for each in touches)]
    return sorted([*touches, *apart])
