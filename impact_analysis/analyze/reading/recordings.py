# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What there is to read: recordings in a folder, the arms in each, pieces of long ones, by what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

import numpy as np

from impact_analysis.analyze.reading.collected import Collected
from impact_analysis.analyze.reading.missed import FORCE
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.present.sentence import Sentence
from impact_analysis.present.sentences import said
from impact_analysis.spreading.episodes import ArmContact, RecordedCell, arm_of
from impact_bags.bag_recording import BagRecording
from impact_bags.open_recording import open_recording, recording_name, recording_paths
from impact_bags.reading.cell_topics import cell_topics
from impact_bags.reading.reader import Span
from impact_bags.reading.recording import Recording, of_topic
from impact_detector.detectors.detector_kind import too_slow
from impact_detector.detectors.fused import LARGEST_GAP
from impact_detector.detectors.momentum import MomentumDetector
from impact_detector.signals.sample import ACCELERATION, FUSED, MOMENTUM, JointSample, from_seconds
from impact_robots import ImpactError
from impact_robots.exceptions import UsageError

SHORT = 120.0  # recordings are not cut into pieces [s]
LEAD, TRAIL = 5.0, 2.0  # what is read before and after a piece and its gap [s]
LOOK = 200  # joint states at the beginning of a recording, by which its detector is chosen
TOGETHER = 0.15  # a force peak that near to an impact belongs to it [s]


class Part(NamedTuple):
    """One arm of a recording, or a piece of it that one process reads.

    The detector begins before a piece, and reads on until estimates are done.
    """

    path: Path
    name: str  # of the recording, or "left of" it
    arm: str = ""  # its namespace; empty: it is the only one
    number: int = 0  # of the piece
    first: int | None = None  # stamp of its first joint state [ns]; None: of the recording
    last: int | None = None  # of the next piece's first one [ns]; None: there is no next piece
    span: Span = (None, None)  # recorded time to read, more than that [ns]

    def with_absolute_paths(self) -> Part:
        """Return the part with an absolute path."""
        return self._replace(path=self.path.resolve())

    def holds(self, time: int) -> bool:
        """Return whether a stamp [ns] is of this piece."""
        after = self.first is None or time >= self.first
        return after and (self.last is None or time < self.last)


def named_recordings(root: Path) -> list[tuple[Path, str]]:
    """Return the recordings in ``root`` with the names that an analysis gives them.

    Raises:
        RecordingError: there is nothing to read.
    """
    paths = sorted(recording_paths(root), key=_natural)
    names = [recording_name(path) for path in paths]
    if len(set(names)) < len(names):
        names = [str(path.relative_to(root)) for path in paths]
    return list(zip(paths, names, strict=True))


def _natural(path: Path) -> list[tuple[int, str]]:
    """Return a key that sorts type2 before type10."""
    parts = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def arms_of(
    path: Path, name: str, settings: AnalysisSettings
) -> tuple[list[Part], RecordedCell | None]:
    """Return the arms of a recording, and what says which belong together, if there are several.

    A recording that cannot be read has one arm, whose analysis says why.
    """
    alone = [Part(path, name)]
    try:
        topics = cell_topics(path, settings.object_topic, settings.load_robot().joint_names)
    except ImpactError:
        return alone, None
    chosen = settings.state_topic or settings.reference_topic
    if topics is None or (topics.many and chosen):  # the user has chosen one arm
        return alone, None
    names = {arm: arm_of(name, arm) for arm in topics.arms}
    arms = [Part(path, names[arm], arm) for arm in topics.arms]
    return arms, RecordedCell(path, name, topics, names)


def pieces(whole: Part, settings: AnalysisSettings, count: int) -> list[Part]:
    """Return at most ``count`` pieces of a recording; one if it is short, or no bag."""
    if count < 2:
        return [whole]
    try:
        recording = open_recording(whole.path, settings.load_robot(), settings.topics(whole.arm))
        if not isinstance(recording, BagRecording) or recording.duration < SHORT:
            return [whole]
        cuts = recording.boundaries(count)
    except ImpactError:
        return [whole]  # collecting it will say what is wrong
    ends = zip([None, *cuts], [*cuts, None], strict=True)
    return [
        whole._replace(
            number=number,
            first=None if begin is None else begin.stamp,
            last=None if end is None else end.stamp,
            span=(
                None if begin is None else begin.before - from_seconds(LEAD),
                None if end is None else end.time + from_seconds(TRAIL),
            ),
        )
        for number, (begin, end) in enumerate(ends)
    ]


def opened(part: Part, settings: AnalysisSettings) -> tuple[Recording, str, list[Sentence]]:
    """Return a part of a recording, the detector that can judge it best, and remarks on that.

    Raises:
        RecordingError: it cannot be read.
    """
    recording = open_recording(part.path, settings.load_robot(), settings.topics(part.arm))
    if isinstance(recording, BagRecording):
        recording.span = part.span
    return recording, *_detector_for(recording)


def _detector_for(recording: Recording) -> tuple[str, list[Sentence]]:
    """Return the detector on joint states that can judge a recording best, and remarks on that.

    It depends on whether torques were recorded, and on the rate of the joint states.

    Raises:
        RecordingError: the file turns out to be damaged.
    """
    times: list[int] = []
    torques = False
    for item in recording.items(references=False):
        if isinstance(item, JointSample):
            times.append(item.time)
            torques |= item.tau is not None
        if len(times) == LOOK:
            break
    if times and not torques:
        return ACCELERATION, [said("no_torques")]
    steps = np.diff(times)
    period = round(float(np.median(steps[steps > 0]))) if np.any(steps > 0) else 0
    if period <= LARGEST_GAP:
        return FUSED, []
    if period > MomentumDetector.largest_gap:
        return MOMENTUM, []  # which says that it cannot judge
    text = of_topic(recording, too_slow(FUSED, LARGEST_GAP, period))
    return MOMENTUM, [said("slow_for_detector", too_slow=text)]


def check_normals(settings: AnalysisSettings, names: Sequence[str]) -> None:
    """Refuse normals of recordings that there are not.

    Raises:
        UsageError: names one, and the recordings.
    """
    known = {*names, *(PurePath(name).stem for name in names)}
    for name in settings.normals:
        if name not in known:
            listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            raise UsageError(f"normals: expected a recording, {listed}, got {name!r}")


def touches_of(cell: RecordedCell, done: Mapping[str, Collected]) -> dict[str, list[ArmContact]]:
    """Return the touches of each arm: impacts that were found, and peaks of the force."""
    return {arm: _touches(done[name]) for arm, name in cell.arms.items()}


def _touches(found: Collected) -> list[ArmContact]:
    touches = [ArmContact(impact.time, impact.touch_by_force) for impact in found.impacts]
    peaks = [ArmContact(each.time, True) for each in found.missed if each.kind == FORCE]
    apart = [p for p in peaks if all(abs(p.time - each.time) > TOGETHER for each in touches)]
    return sorted([*touches, *apart])
