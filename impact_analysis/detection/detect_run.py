# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Runs the streaming detectors over one recording."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from impact_analysis.detection.event_plot import Traces
from impact_analysis.detection.state_values import StateValues
from impact_analysis.detection.state_watch import StateWatch
from impact_analysis.present.sentences import said
from impact_bags.reading.recording import Force, Item, RecordedReference, Recording, of_topic
from impact_detector.attribution.assessment import Assessment
from impact_detector.attribution.expectation import Announcement
from impact_detector.estimators.streaming import Estimate
from impact_detector.exceptions import DetectorError
from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.session import DetectorSession, Outcome, Pairing
from impact_detector.signals.model_torque import ModelTorque
from impact_detector.signals.reference_torque import ReferencePairing
from impact_detector.signals.sample import (
    Detection,
    DetectionStatus,
    JointSample,
    Suppressed,
    from_seconds,
)
from impact_robots import Robot

_ONE_IMPACT = from_seconds(0.1)  # detections this close belong to one impact


@dataclass
class DetectionResult:
    """Results of the detectors on one recording."""

    name: str
    reference: str  # "desired" or "model"
    threshold: float  # of the first detector [its unit]
    detections: list[Detection]
    assessments: list[Assessment] = field(default_factory=list)  # one per detection
    watch: StateWatch = field(default_factory=StateWatch)  # of the times of joint states
    judged: int = 0  # of these, with a statistic
    torques: int = 0  # of these, with torques
    dropped: int = 0  # samples with NaN
    first_time: int = 0  # in the order of the recording [ns]
    largest: DetectionStatus | None = None  # with the largest statistic
    suppressed: list[Suppressed] = field(default_factory=list)  # above a threshold, but no event
    troubles: dict[str, str] = field(default_factory=dict)  # why detectors could not judge
    unusable: str = ""  # why no joint state could be used, as text
    beyond: str = ""  # joint and value far beyond its limits, as is usual in the recording
    lost: list[str] = field(default_factory=list)  # damaged parts of the file, as text

    @property
    def samples(self) -> int:
        """Number of joint states."""
        return self.watch.samples

    @property
    def impact_times(self) -> list[int]:
        """First contact of each impact, by the earliest of its detections, in their order [ns]."""
        found: list[list[Detection]] = []
        for each in sorted(self.detections, key=lambda detection: detection.detection_time):
            if found and each.detection_time - found[-1][-1].detection_time <= _ONE_IMPACT:
                found[-1].append(each)
            else:
                found.append([each])
        return [min(each.impact_time for each in group) for group in found]


def detect(
    recording: Recording,
    parameters: DetectorParameters,
    robot: Robot,
    model: ModelTorque,
    traces: Traces | None = None,
) -> DetectionResult:
    """Feed a recording to the same session as the node's.

    Args:
        recording: opened file.
        parameters: of the node; ``reference`` selects the reference.
        robot: that they name.
        model: gives the reference torque if ``reference`` is the model.
        traces: collects signals to draw.

    Raises:
        RecordingError: the file turns out to be damaged.
    """
    pairing: Pairing = ReferencePairing(recording.pairing_rule, parameters.max_reference_age)
    session = session_for(parameters, robot, model=model, pairing=pairing)
    result = DetectionResult(recording.name, parameters.reference, session.threshold, [])
    values = StateValues(robot)
    for item, outcome in feed(session, recording):
        if isinstance(item, JointSample):
            values.take(item)
            _count(result, item.time)
            result.torques += item.tau is not None
            if troubles := session.troubles:
                own = {key: of_topic(recording, text) for key, text in troubles.items()}
                result.troubles = own | result.troubles
        result.assessments += [session.assess(detection) for detection in outcome.detections]
        _collect(result, outcome)
        if traces is not None:
            traces.add(outcome)
    if result.watch.may_be_milliseconds(recording):
        rate = f"{1.0 / result.watch.period:.3g}"
        result.troubles["milliseconds"] = said("milliseconds", rate=rate).text
    result.dropped = session.dropped
    result.beyond = values.beyond
    if result.dropped >= result.samples:
        result.unusable = values.unusable(recording)
    result.lost = recording.lost
    return result


def feed(session: DetectorSession, recording: Recording) -> Iterator[tuple[Item, Outcome]]:
    """Yield the recorded items, in order, and their outcomes in a session.

    Raises:
        RecordingError: the file turns out to be damaged.
    """
    for item in recording.items(references=session.needs_references):
        yield item, give(session, item)


def give(session: DetectorSession, item: Item) -> Outcome:
    """Return the outcome of an item in a session."""
    if isinstance(item, RecordedReference):
        return session.add_reference(item.time, item.torque, item.velocity)
    if isinstance(item, Force):
        return session.add_force(item.sample, item.source)
    if isinstance(item, Announcement):
        with suppress(DetectorError):  # as in the node: the previous one stays valid
            session.announce(item)
        return Outcome()
    return session.add_state(item)


def _refine(result: DetectionResult, estimate: Estimate) -> None:
    """Replace the detection's contact time and link by those of the estimate."""
    if estimate.detection in result.detections:
        index = result.detections.index(estimate.detection)
        touch = replace(estimate.detection, impact_time=estimate.impact_time)
        result.detections[index] = touch
        result.assessments[index] = estimate.assessment


def _count(result: DetectionResult, time: int) -> None:
    result.first_time = result.first_time if result.samples else time
    result.watch.add(time)


def _collect(result: DetectionResult, outcome: Outcome) -> None:
    result.detections.extend(outcome.detections)
    result.suppressed.extend(outcome.suppressed)
    for estimate in outcome.estimates:
        _refine(result, estimate)
    for status in outcome.statuses:
        if status.ready:
            result.judged += 1
            if result.largest is None or status.statistic > result.largest.statistic:
                result.largest = status
