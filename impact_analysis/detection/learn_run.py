# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Learns thresholds of detectors from recordings of free motion."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, log10, nan
from typing import NamedTuple

import numpy as np

from impact_analysis.detection.detect_run import give
from impact_analysis.detection.running_statistic import RunningStatistic
from impact_bags.reading.recording import Force, Item, Recording
from impact_detector.detectors.detector_kind import DETECTORS
from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.session import DetectorSession, Outcome, Pairing
from impact_detector.signals.reference_torque import ReferencePairing
from impact_detector.signals.sample import JointSample
from impact_robots import Robot

MARGIN = 1.5  # proposed threshold over the largest statistic of free motion
FLOOR = 0.6  # of the default: for torque errors 1.5 N.m, the lowest that was published
NEEDED = 5000  # judged samples, of which 5 lie above the quantile
QUANTILE = 0.999
_UNREACHABLE = 1e9
_PASSES = 5
_TIMES_KEPT = 3

_Key = tuple[str, float]  # detector and its threshold


class FreeMotionSource(NamedTuple):
    """A recording, and the parameters with a ``reference`` that it has."""

    recording: Recording
    parameters: DetectorParameters
    comparable: bool  # has that reference


@dataclass
class Watch:
    """Results of one detector at one threshold."""

    statistic: RunningStatistic = field(default_factory=RunningStatistic)
    detections: int = 0
    times: list[int] = field(default_factory=list)  # of the first detections [ns]

    def add(self, outcome: Outcome) -> None:
        """Take the outcome of one item."""
        for status in outcome.statuses:
            if status.ready:
                self.statistic.add(status.statistic)
        for detection in outcome.detections:
            self.detections += 1
            if len(self.times) < _TIMES_KEPT:
                self.times.append(detection.detection_time)


@dataclass
class RecordedMotion:
    """Summary of the recorded motion."""

    samples: int = 0
    torques: int = 0  # samples with finite torques
    duration: float = 0.0  # [s]
    fastest: float = 0.0  # largest joint velocity [rad/s]
    _last: int | None = None

    def start(self) -> None:
        """Begin another recording."""
        self._last = None

    def add(self, sample: JointSample) -> None:
        """Count a sample."""
        if self._last is not None and sample.time > self._last:
            self.duration += (sample.time - self._last) * 1e-9
        self._last = sample.time
        self.samples += 1
        self.torques += sample.tau is not None and bool(np.isfinite(sample.tau).all())
        speed = float(np.abs(sample.dq).max())
        self.fastest = max(self.fastest, speed) if np.isfinite(speed) else self.fastest


@dataclass(frozen=True)
class Learnt:
    """Result of free motion for one detector."""

    detector: str
    statistic: RunningStatistic  # at the proposed threshold
    current: float  # threshold in use [its unit]
    detections: int  # in the recordings, at the current threshold
    times: tuple[int, ...]  # of the first of these [ns]
    proposed: float  # threshold [its unit]; NaN if there is a reason
    reason: str = ""  # why it could not be judged; empty: it was

    @property
    def fine(self) -> bool:
        """The current threshold needs no change."""
        return not self.reason and not self.detections and self.proposed <= self.current


def learn(
    sources: Sequence[FreeMotionSource], parameters: DetectorParameters, robot: Robot
) -> tuple[list[Learnt], RecordedMotion]:
    """Return a proposal per detector that the parameters name, and the recorded motion.

    A proposal is ``MARGIN`` times the largest statistic, at least ``FLOOR`` times the default. It
    is tested: if the statistic depends on the threshold, the recordings are read again with the
    proposal, which is raised until the margin is kept.

    Raises:
        RecordingError: a file turns out to be damaged.
    """
    names, motion = parameters.detectors, RecordedMotion()
    current = {name: parameters.threshold_of(name) for name in names}
    free = {n: _UNREACHABLE if _is_self_dependent(n) else current[n] for n in names}
    watches = _watch(sources, {*current.items(), *free.items()}, robot, motion)
    statistics = {name: watches[name, free[name]].statistic for name in names}
    comparable = any(source.comparable for source in sources)
    reasons = {n: _reason(n, statistics[n], motion, comparable) for n in names}
    judged = [name for name in names if not reasons[name]]
    proposed = {name: proposal(name, statistics[name].largest) for name in judged}
    _settle(sources, robot, proposed, statistics)
    results = [
        Learnt(
            name,
            statistics[name],
            current[name],
            watches[name, current[name]].detections,
            tuple(watches[name, current[name]].times),
            proposed.get(name, nan),
            reasons[name],
        )
        for name in names
    ]
    return results, motion


def _settle(
    sources: Sequence[FreeMotionSource],
    robot: Robot,
    proposed: dict[str, float],
    statistics: dict[str, RunningStatistic],
) -> None:
    """Test proposals on which the statistic depends, and raise them until the margin is kept."""
    waiting = [name for name in proposed if _is_self_dependent(name)]
    for _ in range(_PASSES):
        if not waiting:
            return
        tried = _watch(sources, {(name, proposed[name]) for name in waiting}, robot)
        for (name, threshold), watch in tried.items():
            statistics[name] = watch.statistic
            proposed[name] = max(threshold, proposal(name, watch.statistic.largest))
        waiting = [name for name, threshold in tried if proposed[name] > threshold]


def _is_self_dependent(name: str) -> bool:
    """Return whether a detector's learnt values, and so its statistic, depend on its threshold."""
    return DETECTORS[name].detector.learns_below_threshold


def proposal(detector: str, largest: float) -> float:
    """Return the threshold for a largest statistic, rounded up to three digits [its unit]."""
    wanted = max(MARGIN * largest, FLOOR * DETECTORS[detector].threshold)
    digits = 2 - floor(log10(wanted))
    return round(ceil(round(wanted * 10.0**digits, 6)) / 10.0**digits, max(digits, 0))


def _watch(
    sources: Sequence[FreeMotionSource],
    keys: Collection[_Key],
    robot: Robot,
    motion: RecordedMotion | None = None,
) -> dict[_Key, Watch]:
    """Read the recordings once, with one session for each detector and threshold."""
    watches = {key: Watch() for key in sorted(keys)}
    for source in sources:
        sessions = [
            (_session(source, key, robot), watch)
            for key, watch in watches.items()
            if source.comparable or not DETECTORS[key[0]].detector.needs_reference
        ]
        if motion is not None:
            motion.start()
        for item in source.recording.items():
            if motion is not None and isinstance(item, JointSample):
                motion.add(item)
            _give_all(item, sessions)
    return watches


def _give_all(item: Item, sessions: Sequence[tuple[DetectorSession, Watch]]) -> None:
    """Pass an item to every session, except forces, which detectors on joint states do not use."""
    if isinstance(item, Force):
        return
    for session, watch in sessions:
        watch.add(give(session, item))


def _session(source: FreeMotionSource, key: _Key, robot: Robot) -> DetectorSession:
    """Return a session like the node's, of one detector at one threshold."""
    name, threshold = key
    parameters = source.parameters.with_threshold(name, threshold)
    parameters = replace(parameters, detectors=(name,))
    pairing: Pairing = ReferencePairing(source.recording.pairing_rule, parameters.max_reference_age)
    return session_for(parameters, robot, pairing=pairing)


def _reason(
    name: str, statistic: RunningStatistic, motion: RecordedMotion, comparable: bool
) -> str:
    """Return why a detector cannot be judged; empty if it can."""
    detector = DETECTORS[name].detector
    if detector.needs_torque and not motion.torques:
        return "no finite joint torques (effort) recorded"
    if detector.needs_reference and not comparable:
        return "no desired torque recorded; --reference model takes the model's"
    if statistic.count >= NEEDED:
        return ""
    period = motion.duration / max(1, motion.samples - 1)
    return (
        f"{statistic.count} of {motion.samples} samples could be judged, {1e3 * period:.3g} ms"
        f" apart; needs {NEEDED}, at 1 kHz {NEEDED / 1000:g} s"
    )
