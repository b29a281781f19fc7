# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Streams one recording through the detector's session and collects what impacts left behind."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from pathlib import Path

from impact_analysis.analyze.reading.collected import AnalyzedImpact, Collected, from_plain
from impact_analysis.analyze.reading.estimated import ImpactMaker, Recent
from impact_analysis.analyze.reading.missed import MissedWatch
from impact_analysis.analyze.reading.recordings import Part, opened
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.detection.detect_run import feed
from impact_analysis.detection.state_values import StateValues
from impact_analysis.detection.state_watch import StateWatch
from impact_analysis.present.sentences import said
from impact_bags.exceptions import RecordingError
from impact_bags.open_recording import recording_name
from impact_bags.reading.recording import Recording
from impact_bags.windows.recording import WindowRecording
from impact_detector.attribution.expectation import Announcement
from impact_detector.parameters import session_for
from impact_detector.session import Outcome
from impact_detector.signals.sample import Detection, JointSample
from impact_robots import ImpactError, Surface
from impact_trials.processes import check_stopped

ROUNDED = 1_000  # error of stamps in windows that earlier versions exported [ns]
MOST_TRACES = 60  # impacts whose samples are kept, in one recording and over all


def collect(path: Path, settings: AnalysisSettings, part: Part | None = None) -> Collected:
    """Return what a recording holds; what is wrong with it is said in words.

    Args:
        path: of a bag, a CSV or contact windows.
        settings: of the analysis.
        part: of it: one of several arms, or a piece; all by default.
    """
    part = part or Part(path, recording_name(path))
    collected = Collected(part.name)
    try:
        recording, detector, remarks = opened(part, settings)
        if isinstance(recording, WindowRecording):
            return _of_windows(recording, settings, part, detector)
        collected.warnings += remarks
        _Collector(collected, settings.of_recording(part.name), part, detector).run(recording)
    except ImpactError as error:
        collected.error = " ".join(str(error).split())
    return collected


def _of_windows(
    recording: WindowRecording, settings: AnalysisSettings, part: Part, detector: str
) -> Collected:
    """Return the impacts of contact windows, each window read by itself.

    What is said of the whole recording, as its length and missed impacts, is what was exported.

    Raises:
        RecordingError: the windows are damaged.
    """
    impacts: list[AnalyzedImpact] = []
    for number, first, last in recording.windows:
        recording.only, found = number, Collected(part.name, list(impacts))
        own = part._replace(number=number, first=first - ROUNDED, last=last + ROUNDED + 1)
        _Collector(found, settings.of_recording(part.name), own, detector).run(recording)
        impacts = found.impacts
    try:
        whole = from_plain(recording.whole)
    except (KeyError, TypeError, ValueError) as error:
        raise RecordingError.at(recording.name, f"whole: a wrong entry: {error}") from None
    return replace(whole, recording=part.name, impacts=impacts)


class _Collector:
    """Keeps the last measurements and makes impacts of estimates."""

    def __init__(
        self,
        collected: Collected,
        settings: AnalysisSettings,
        part: Part,
        name: str,
    ) -> None:
        detector, robot = settings.detector(name), settings.load_robot()
        self._session = session_for(detector, robot)
        self._collected, self._part = collected, part
        self._recent, self._watch, self._values = Recent(), StateWatch(), StateValues(robot)
        self._make = ImpactMaker(
            collected.recording,
            robot,
            settings.normal,
            detector.estimate_window,
            settings.as_declared().load_robot(),
        )
        self._missed = MissedWatch(robot, part.holds)
        self._announced: Surface | None = None
        # Without an estimate yet, and what was announced then.
        self._open: list[tuple[Detection, Surface | None]] = []
        self._detected: list[float] = []  # [s]
        self._dropped = self._dropped_before = 0
        self._troubles: dict[str, str] = {}  # why the detector could not judge

    def run(self, recording: Recording) -> None:
        """Take the whole recording."""
        for item, outcome in feed(self._session, recording):
            if isinstance(item, JointSample):
                self._count(item.time)
                self._values.take(item)
            elif isinstance(item, Announcement):
                self._announced = item.surface
            self._recent.take(item)
            self._missed.take(item, outcome.statuses)
            self._take(outcome)
        self._finish(recording)

    def _count(self, time: int) -> None:
        """Take the time of a joint state [ns]."""
        if self._watch.samples % 1000 == 0:
            check_stopped()
        counts = self._part.holds(time)
        self._watch.add(time, counts=counts)
        if counts:
            self._dropped = self._session.dropped
            if troubles := self._session.troubles:
                self._troubles = troubles | self._troubles
        elif not self._watch.samples:
            self._dropped_before = self._session.dropped

    def _take(self, outcome: Outcome) -> None:
        """Take what the detector made of an item."""
        found, holds = self._collected, self._part.holds
        for status in outcome.statuses:
            statistic = status.statistic
            if not isfinite(statistic):
                continue
            self._recent.statistics.append(status)
            if holds(status.time):
                found.judged += 1
                if not statistic <= found.largest_statistic:
                    found.largest_statistic, found.threshold = statistic, status.threshold
        found.suppressed += [each for each in outcome.suppressed if holds(each.time)]
        if not (outcome.detections or outcome.estimates):
            return
        self._detected += [each.detection_time * 1e-9 for each in outcome.detections]
        self._open += [
            (detection, self._announced)
            for detection in outcome.detections
            if holds(detection.detection_time)
        ]
        for estimate in outcome.estimates:
            of_it = (surface for each, surface in self._open if each == estimate.detection)
            if holds(estimate.detection.detection_time):
                traced = len(found.impacts) < MOST_TRACES
                impact = self._make.estimated(
                    estimate, next(of_it, None), self._recent, self._watch.period, traced=traced
                )
                found.impacts.append(impact)
            self._open = [one for one in self._open if one[0].detection_time > estimate.time]

    def _finish(self, recording: Recording) -> None:
        """Note what the recording is like as a whole."""
        found, watch = self._collected, self._watch
        found.samples = watch.samples
        if recording.lost:
            found.warnings.append(said("damaged", lost="; ".join(recording.lost)))
        found.dropped = self._dropped - self._dropped_before
        found.duration, found.period = watch.duration, watch.period
        if found.dropped >= found.samples:
            why = self._values.unusable(recording) or "no usable joint state"
            raise RecordingError.at(found.recording, why)
        if self._values.beyond:
            found.warnings.append(said("beyond_limits", joint=self._values.beyond))
        if self._open:
            found.impacts.append(self._make.cut_off(*self._open[0], self._recent))
        touches = [impact.time for impact in found.impacts]
        found.missed = self._missed.finish([*touches, *self._detected], found.suppressed)
        found.gaps, found.jumps, found.repeated = watch.gaps, watch.jumps, watch.repeated
        when = "for some time" if found.judged else "at all"
        found.warnings += [
            said("trouble", when=when, reason=text) for text in self._troubles.values()
        ]
        if watch.may_be_milliseconds(recording):
            found.warnings.append(said("milliseconds", rate=f"{1.0 / watch.period:.3g}"))
