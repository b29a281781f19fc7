# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Streams one recording through the detector's session and keeps what impacts left behind."""

from __future__ import annotations

from collections import deque
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.analyze.reading.anomalies import hole, quality_notes, second_contact
from impact_analysis.analyze.reading.coasting import COASTING, drive
from impact_analysis.analyze.reading.collected import Collected, group_of
from impact_analysis.analyze.reading.detector_choice import choose
from impact_analysis.analyze.reading.force_peaks import CONTACT_FORCE
from impact_analysis.analyze.reading.measured import AnalyzedImpact, ImpactTrace
from impact_analysis.analyze.reading.missed import MissedWatch
from impact_analysis.analyze.reading.pieces import Piece
from impact_analysis.analyze.reading.state_watch import StateWatch
from impact_analysis.analyze.sentences import text_of
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.detection.detect_run import feed
from impact_bags.bag_recording import BagRecording
from impact_bags.exceptions import RecordingError
from impact_bags.open_recording import open_recording
from impact_bags.recording import Force, Recording
from impact_detector.attribution.expectation import Announcement
from impact_detector.estimators.estimate import SECOND_IMPACT, Estimate
from impact_detector.parameters import session_for
from impact_detector.session import Outcome
from impact_detector.signals.buffers import JointRecord, RecentForce, RecentJoints
from impact_detector.signals.sample import Detection, JointSample, Verdict, from_seconds
from impact_robots import ImpactError, Robot, Surface, contact_rotation
from impact_trials.processes import check_stopped

KEEP = from_seconds(1.2)  # of measurements: an estimate comes 0.1 to 0.6 s after the touch
VIBRATION = 0.015  # after the touch, or a known release: the statistic may stay high [s]
VIBRATION_SAMPLES = 6  # the same at rates where that is longer
AGAIN = 0.25  # of the first statistic: what rises by that is another impact
BEFORE, AFTER = 0.05, 0.11  # of the traces, around the touch [s]
JUST_BEFORE = 2e-3  # the touch may have been this much earlier [s]
MOST_TRACES = 60  # impacts that are drawn, in one recording and over all
FORCE_POINTS = 400  # of a trace


def collect(
    path: Path,
    settings: AnalysisSettings,
    name: str = "",
    piece: Piece | None = None,
    arm: str = "",
) -> Collected:
    """Return what a recording holds; what is wrong with it is said in words.

    Args:
        path: of a bag or CSV.
        settings: of the analysis.
        name: of the recording; by default that of the file.
        piece: of it, all by default.
        arm: namespace of the arm that it is about, of several; empty: there is one.
    """
    piece = piece or Piece()
    robot = settings.load_robot()
    collected = Collected(name or path.name)
    try:
        recording = open_recording(path, robot, settings.topics(arm))
        if isinstance(recording, BagRecording):
            recording.span = piece.span
        choice = choose(recording)
        collected.warnings += choice.remarks
        own = settings.of_recording(collected.recording)
        _Collector(collected, robot, own, piece, choice.detector).run(recording)
    except ImpactError as error:
        collected.error = " ".join(str(error).split())
    return collected


class _Collector:
    """Keeps the last measurements and makes impacts of estimates."""

    def __init__(
        self,
        collected: Collected,
        robot: Robot,
        settings: AnalysisSettings,
        piece: Piece,
        name: str,
    ) -> None:
        detector = settings.detector(name)
        self._session, self._window = session_for(detector, robot), detector.estimate_window
        self._collected, self._robot, self._settings = collected, robot, settings
        self._piece = piece
        self._dropped_before = 0
        self._samples: deque[JointSample] = deque()  # of the last KEEP
        self._forces: dict[str, RecentForce] = {}
        self._statistics: deque[Verdict] = deque(maxlen=1500)
        self._announced: Surface | None = None
        # Without an estimate yet, and what was announced then.
        self._open: list[tuple[Detection, Surface | None]] = []
        self._watch, self._missed = StateWatch(), MissedWatch(robot, piece.holds)
        self._detected: list[float] = []  # [s]
        self._dropped = 0
        self._troubles: dict[str, str] = {}  # why the detector could not judge

    def run(self, recording: Recording) -> None:
        """Take the whole recording."""
        for item, outcome in feed(self._session, recording):
            if isinstance(item, JointSample):
                if self._watch.samples % 1000 == 0:
                    check_stopped()
                counts = self._piece.holds(item.time)
                self._watch.add(item.time, counts=counts)
                self._keep(item)
                self._missed.add(item)
                if counts:
                    self._dropped = self._session.dropped
                    if troubles := self._session.troubles:
                        self._troubles = troubles | self._troubles
                elif not self._watch.samples:
                    self._dropped_before = self._session.dropped
            elif isinstance(item, Force):
                force = self._forces.setdefault(item.source, RecentForce(KEEP))
                force.add(item.sample)
                self._missed.add_force(item.sample, item.source)
            elif isinstance(item, Announcement):
                self._announced = item.surface
            self._take(outcome)
        self._finish(recording)

    def _keep(self, sample: JointSample) -> None:
        """Keep a sample as long as an estimate may ask for it."""
        samples = self._samples
        if samples and sample.time < samples[-1].time:
            samples.clear()
        samples.append(sample)
        while samples[0].time < sample.time - KEEP:
            samples.popleft()

    def _record(self) -> JointRecord:
        """Return the samples that were kept, without those that are not finite."""
        recent = RecentJoints(KEEP)
        for sample in self._samples:
            recent.add(sample)
        return recent.record()

    def _take(self, outcome: Outcome) -> None:
        found = self._collected
        self._missed.add_verdicts(outcome.verdicts)
        for verdict in outcome.verdicts:
            statistic = verdict.statistic
            if not isfinite(statistic):
                continue
            self._statistics.append(verdict)
            if self._piece.holds(verdict.time):
                found.judged += 1
                if not statistic <= found.largest_statistic:
                    found.largest_statistic, found.threshold = statistic, verdict.threshold
        found.suppressed += [each for each in outcome.suppressed if self._piece.holds(each.time)]
        if not (outcome.detections or outcome.estimates):
            return
        self._detected += [each.detection_time * 1e-9 for each in outcome.detections]
        self._open += [
            (detection, self._announced)
            for detection in outcome.detections
            if self._piece.holds(detection.detection_time)
        ]
        for estimate in outcome.estimates:
            announced = [each for found, each in self._open if found == estimate.detection]
            if self._piece.holds(estimate.detection.detection_time):
                self._collected.impacts.append(self._impact(estimate, *announced[:1]))
            self._open = [one for one in self._open if one[0].detection_time > estimate.time]

    def _finish(self, recording: Recording) -> None:
        """Note what the recording is like as a whole."""
        found, watch = self._collected, self._watch
        found.samples = watch.samples
        if recording.lost:
            found.warnings.append(text_of("damaged", lost="; ".join(recording.lost)))
        found.dropped = self._dropped - self._dropped_before
        found.duration, found.period = watch.duration, watch.period
        if not found.samples:
            raise RecordingError.at(found.recording, "holds no joint state")
        if self._open:
            found.impacts.append(self._cut_off(*self._open[0]))
        touches = [impact.time for impact in found.impacts]
        found.missed = self._missed.finish([*touches, *self._detected], found.suppressed)
        found.gaps, found.jumps, found.repeated = watch.gaps, watch.jumps, watch.repeated
        found.warnings += [text_of("trouble", reason=text) for text in self._troubles.values()]
        if found.dropped >= found.samples:
            joints = ", ".join(self._robot.joint_names)
            raise RecordingError.at(
                found.recording,
                f"no usable joint state of robot {self._robot.name!r} (joints {joints}); is it"
                " another robot, or another --joint-prefix?",
            )

    def _impact(self, estimate: Estimate, announced: Surface | None = None) -> AnalyzedImpact:
        """Return what an estimate and the measurements around it say."""
        detection, impact_time = estimate.detection, estimate.impact_time
        normal = self._normal(announced)
        joints = self._record()
        t = joints.since(impact_time)
        q = np.array([np.interp(0.0, t, column) for column in joints.q.T])
        record = self._force(impact_time)
        second = second_contact(*record, estimate.duration)
        notes = quality_notes(estimate, second) + self._later(estimate)
        notes += self._driven(t, joints, estimate.velocity_jump)
        if (missing := hole(t, self._watch.period)) > 0.0:
            notes.append(text_of("hole", time=f"{1e3 * missing:.0f}"))
        trace = None
        if len(self._collected.impacts) < MOST_TRACES:
            trace = self._trace(impact_time, joints, *record)
        return AnalyzedImpact(
            **self._named(detection, impact_time * 1e-9),
            time_std=estimate.impact_time_std,
            touch_by_force=estimate.contact is not None,
            complete=True,
            q=q,
            dq_before=estimate.velocity_before,
            dq_after=estimate.gross_velocity,
            fit_rms=estimate.fit_rms,
            impulse=estimate.impulse,
            impulse_std=estimate.impulse_std,
            normal_impulse=estimate.normal_impulse,
            impulse_source=estimate.impulse_source,
            peak_force=_peak(estimate),
            duration=estimate.duration,
            restitution=estimate.restitution,
            quality=estimate.quality,
            link=estimate.assessment.location.link,
            expected=estimate.assessment.expected,
            normal=normal,
            announced_friction=float("nan") if announced is None else announced.friction[1],
            announced_restitution=float("nan") if announced is None else announced.restitution[1],
            second_contact=second,
            notes=notes,
            trace=trace,
        )

    def _driven(self, t: np.ndarray, joints: JointRecord, jump: np.ndarray) -> list[str]:
        """Say if the arm does not coast after an impact; ``t`` is the time since its touch [s]."""
        found = drive(self._robot, t, joints, jump)
        if found is None:
            return []
        start, end = COASTING
        return [
            text_of(
                "driven",
                start=f"{1e3 * start:.0f}",
                end=f"{1e3 * end:.0f}",
                joint=found.joint + 1,
                change=f"{np.degrees(found.change):.0f}",
                torque=f"{found.torque:.1f}",
            )
        ]

    def _later(self, estimate: Estimate) -> list[str]:
        """Say if the detector would have seen another impact while it was not armed."""
        since = [
            (1e-9 * (verdict.time - estimate.impact_time), verdict)
            for verdict in self._statistics
            if verdict.detector == estimate.detection.detector
        ]
        period = self._watch.period
        vibration = max(VIBRATION, VIBRATION_SAMPLES * period if isfinite(period) else 0.0)
        vibration += estimate.duration if isfinite(estimate.duration) else 0.0
        first = max((v.statistic for t, v in since if 0.0 < t <= vibration), default=0.0)
        later = [(t, verdict) for t, verdict in since if vibration < t < self._window]
        found = _rise(later, AGAIN * first)
        if found is None or estimate.quality & SECOND_IMPACT:
            return []
        t, verdict = found
        again = f"{verdict.statistic:.1f}"
        return [text_of("statistic_again", statistic=again, time=f"{1e3 * t:.0f}")]

    def _cut_off(self, detection: Detection, announced: Surface | None) -> AnalyzedImpact:
        """Return an impact too near to the end of the recording to be estimated."""
        nan, n = float("nan"), self._robot.dof
        left = self._samples[-1].time - detection.detection_time
        note = text_of("cut_off", left=f"{left * 1e-6:.0f}", needed=f"{1e3 * self._window:.0f}")
        normal = self._normal(announced)
        return AnalyzedImpact(
            **self._named(detection, detection.impact_time * 1e-9),
            time_std=nan,
            touch_by_force=False,
            complete=False,
            q=np.full(n, nan),
            dq_before=np.full(n, nan),
            dq_after=np.full(n, nan),
            fit_rms=nan,
            impulse=np.full(3, nan),
            impulse_std=nan,
            normal_impulse=nan,
            impulse_source="",
            peak_force=nan,
            duration=nan,
            restitution=nan,
            quality=0,
            link="",
            expected=None,
            normal=normal,
            announced_friction=nan,
            announced_restitution=nan,
            second_contact=nan,
            notes=[note],
            trace=self._trace(
                detection.impact_time, self._record(), *self._force(detection.impact_time)
            ),
        )

    def _named(self, detection: Detection, time: float) -> dict[str, Any]:
        """Return what a detection itself says."""
        return {
            "recording": self._collected.recording,
            "group": group_of(self._collected.recording),
            "time": time,
            "detection_time": detection.detection_time * 1e-9,
            "detector": detection.detector,
            "statistic": detection.statistic,
            "threshold": detection.threshold,
        }

    def _normal(self, announced: Surface | None) -> np.ndarray:
        """Return the unit normal that was given, or announced; NaN if it is unknown."""
        given = self._settings.normal
        if given is not None:
            return contact_rotation(given)[:, 2].copy()
        return np.full(3, np.nan) if announced is None else announced.normal

    def _force(self, origin: int) -> tuple[np.ndarray, np.ndarray]:
        """Return times since ``origin`` [ns] and force of the fastest sensor, (f,) and (f, 3).

        What the sensor says before the touch is its offset, which is taken off.
        """
        start = origin - from_seconds(BEFORE)
        records = [force.since(origin, start) for force in self._forces.values()]
        nothing = (np.zeros(0), np.zeros((0, 3)))
        t, force = max(records, key=lambda record: len(record[0]), default=nothing)
        before = force[t < -JUST_BEFORE]
        return t, force - np.median(before, axis=0) if len(before) else force

    def _trace(
        self, origin: int, joints: JointRecord, force_t: np.ndarray, force: np.ndarray
    ) -> ImpactTrace:
        """Return the samples around a touch."""
        t = joints.since(origin)
        near = (t >= -BEFORE) & (t <= AFTER)
        statistics = np.array(
            [((v.time - origin) * 1e-9, v.statistic) for v in self._statistics]
        ).reshape(-1, 2)
        shown = (statistics[:, 0] >= -BEFORE) & (statistics[:, 0] <= AFTER)
        step = max(1, len(force_t) // FORCE_POINTS)
        return ImpactTrace(
            t[near],
            joints.q[near],
            joints.dq[near],
            joints.tau[near],
            statistics[shown, 0],
            statistics[shown, 1],
            *_around_contact(force_t, force, step),
        )


def _rise(verdicts: list[tuple[float, Verdict]], least: float) -> tuple[float, Verdict] | None:
    """Return when the statistic has risen by ``least`` again to above its threshold, none: never.

    A contact may last longer than the vibration: what has not fallen does not rise.
    """
    lowest = float("inf")
    for t, verdict in verdicts:
        lowest = min(lowest, verdict.statistic)
        if verdict.statistic > max(verdict.threshold, lowest + least):
            return t, verdict
    return None


def _around_contact(t: np.ndarray, force: np.ndarray, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Return forces, dense where they are and thin where nothing happens."""
    pushing = np.linalg.norm(force, axis=1) > CONTACT_FORCE
    if not pushing.any():
        return t[:: 5 * step], force[:: 5 * step]
    inside = np.flatnonzero(pushing)
    first, last = inside[0], inside[-1]
    dense = max(1, (last - first) // FORCE_POINTS)
    chosen = np.unique(
        np.concatenate(
            [
                np.arange(0, len(t), 5 * step),
                np.arange(max(0, first - 5 * dense), min(len(t), last + 5 * dense), dense),
            ]
        )
    )
    return t[chosen], force[chosen]


def _peak(estimate: Estimate) -> float:
    """Return the largest force [N]; its norm where the sensor's normal is unknown."""
    if np.isfinite(estimate.peak_force) or estimate.contact is None:
        return estimate.peak_force
    return float(np.linalg.norm(estimate.contact.peak))
