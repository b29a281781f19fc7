# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impacts that the detector may have missed: force peaks, velocity jumps, and why it was silent.

Streams are looked through in pieces of about a second that overlap. What is near a reported impact
is part of that impact, and said there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from impact_analysis.analyze.reading.peaks_and_jumps import (
    force_peaks,
    momentum_pushes,
    velocity_jumps,
)
from impact_analysis.present.sentence import Sentence
from impact_analysis.present.sentences import said
from impact_bags.reading.recording import Force, Item
from impact_detector.signals.buffers import RecentForce, RecentJoints
from impact_detector.signals.sample import (
    DetectionStatus,
    ForceSample,
    JointSample,
    Suppressed,
    from_seconds,
)
from impact_robots import Robot

FORCE, JUMP, PUSH, STATISTIC = "force", "jump", "push", "statistic"
PIECE, OVERLAP = from_seconds(1.0), from_seconds(0.25)
BEFORE, AFTER = from_seconds(0.05), from_seconds(0.1)  # of a touch: all that belongs to it
_KINDS = FORCE, JUMP, PUSH  # those with better times first
EARLY, LATE = from_seconds(0.01), from_seconds(0.03)  # around a peak, where its statistic is


@dataclass(frozen=True)
class Missed:
    """What may have been an impact, but was not reported."""

    kind: str  # FORCE, JUMP, PUSH or STATISTIC
    time: float  # [s]
    size: float  # force [N]; of one joint velocity [rad/s] or momentum [N.m.s]; statistic
    reason: str  # why it was not reported
    detector: str = ""  # of a statistic
    threshold: float = float("nan")  # of a statistic


def missed_text(each: Missed) -> Sentence:
    """Return what was missed, and why."""
    when = {"time": f"{each.time:.3f}", "reason": each.reason}
    if each.kind == FORCE:
        return said("missed_force", size=f"{each.size:.0f}", **when)
    if each.kind == JUMP:
        return said("missed_jump", size=f"{np.degrees(each.size):.0f}", **when)
    if each.kind == PUSH:
        return said("missed_push", size=f"{each.size:.2f}", **when)
    figures = {"statistic": f"{each.size:.1f}", "threshold": f"{each.threshold:g}"}
    return said("missed_statistic", detector=each.detector, **figures, **when)


class MissedWatch:
    """Watches joint states, forces and detection statuses of one recording."""

    def __init__(self, robot: Robot, counts: Callable[[int], bool]) -> None:
        """Watch recordings of ``robot``, where a time [ns] ``counts``."""
        self._robot, self._counts = robot, counts
        self._joints = RecentJoints(PIECE + OVERLAP)
        self._looked = 0  # up to where the joints were looked at [ns]
        self._forces: dict[str, _ForcePiece] = {}
        self._statuses: deque[DetectionStatus] = deque()
        self._found: list[Missed] = []

    def take(self, item: Item, statuses: Iterable[DetectionStatus]) -> None:
        """Take what was recorded, and what the first detector made of it."""
        if isinstance(item, JointSample):
            self._add_state(item)
        elif isinstance(item, Force):
            piece = self._forces.setdefault(item.source, _ForcePiece())
            if piece.is_complete(item.time):
                self._look_at(piece)
            piece.add(item.sample)
        for status in statuses:
            if self._statuses and status.time < self._statuses[-1].time:
                self._statuses.clear()
            self._statuses.append(status)
            while self._statuses[0].time < status.time - 3 * PIECE:
                self._statuses.popleft()

    def _add_state(self, sample: JointSample) -> None:
        """Take a joint state."""
        newest = self._joints.newest
        if newest is None or sample.time < newest:
            self._look_at_joints()
            self._joints.clear()
            self._looked = sample.time
        elif sample.time - self._looked >= PIECE:
            self._look_at_joints()
            self._looked = sample.time
        self._joints.add(sample)

    def finish(self, reported: Sequence[float], suppressed: Sequence[Suppressed]) -> list[Missed]:
        """Return what was missed, in order of time, each once and by its best sign.

        Args:
            reported: touches and detections of the impacts [s].
            suppressed: statistics above a threshold that were no detection.
        """
        self._look_at_joints()
        for piece in self._forces.values():
            self._look_at(piece)
        known, kept = list(reported), []
        for each in sorted(self._found, key=lambda one: (_KINDS.index(one.kind), one.time)):
            if not _near(each.time, known):
                kept.append(each)
                known.append(each.time)
        covered = [one.time for one in kept]
        kept += [_of(each) for each in suppressed if not _near(each.time * 1e-9, covered)]
        return sorted(kept, key=lambda one: one.time)

    def _look_at_joints(self) -> None:
        """Look for jumps in the joint states that are kept."""
        record = self._joints.record()
        if not len(record.time):
            return
        origin = int(record.time[0])
        measured = (self._robot, record.since(origin), record.q, record.dq, record.tau)
        self._keep(JUMP, origin, velocity_jumps(*measured))
        self._keep(PUSH, origin, momentum_pushes(*measured))

    def _look_at(self, piece: _ForcePiece) -> None:
        """Look for peaks in the force samples that are kept."""
        origin = piece.start
        self._keep(FORCE, origin, force_peaks(*piece.samples.since(origin, origin)))
        piece.advance()

    def _keep(self, kind: str, origin: int, found: Sequence[tuple[float, float]]) -> None:
        """Keep times since ``origin`` [s] and sizes of what was found."""
        for at, size in found:
            time = origin + from_seconds(at)
            if self._counts(time):
                self._found.append(Missed(kind, time * 1e-9, size, self._reason(time)))

    def _reason(self, time: int) -> str:
        """Return why there was no detection at ``time`` [ns]."""
        near = [
            each for each in self._statuses if 0 <= each.time - time + LATE // 3 <= 4 * LATE // 3
        ]
        ready = [each for each in near if each.ready]
        if not any(each.time <= time + EARLY for each in ready):
            return "the detector could judge nothing then"
        latched = next((each for each in ready if each.impact), None)
        if latched is not None and latched.detection_time is not None:
            since = f"{latched.detection_time * 1e-9:.3f}"
            return f"the detector was latched after the impact that it found at {since} s"
        armed = [each for each in ready if each.armed]
        if not armed:
            return "the contact point did not approach"
        largest = max(armed, key=lambda each: each.statistic / each.threshold)
        share = largest.statistic / largest.threshold
        return f"the statistic reached {share:.2f} of its threshold"


class _ForcePiece:
    """Force samples of one source that were not looked at yet, and some before them."""

    def __init__(self) -> None:
        self.samples = RecentForce(PIECE + OVERLAP)
        self.start: int = 0  # of the first sample [ns]
        self._looked: int | None = None
        self._newest = 0

    def is_complete(self, time: int) -> bool:
        """Tell whether it is time to look, before a sample of ``time`` [ns]."""
        if self._looked is None:
            self.start = self._looked = time
            return False
        return time - self._looked >= PIECE or time < self._newest

    def add(self, sample: ForceSample) -> None:
        """Take samples; time that runs backwards starts anew."""
        if sample.time < self._newest:
            self.start = self._looked = sample.time
        self._newest = sample.time
        self.samples.add(sample)

    def advance(self) -> None:
        """Go on from here."""
        self._looked, self.start = self._newest, self._newest - OVERLAP


def _of(each: Suppressed) -> Missed:
    """Return what was suppressed as missed."""
    time = each.time * 1e-9
    return Missed(STATISTIC, time, each.statistic, each.reason, each.detector, each.threshold)


def _near(time: float, known: Sequence[float]) -> bool:
    """Tell whether ``time`` [s] belongs to one of the ``known`` impacts."""
    return any(-BEFORE * 1e-9 <= time - each <= AFTER * 1e-9 for each in known)
