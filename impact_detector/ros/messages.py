# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the node publishes, written from verdicts, detections and estimates. Needs impact_msgs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from impact_detector.attribution.assessment import Assessment
from impact_detector.estimators.estimate import BY_FORCE, BY_TORQUE, NO_SOURCE, Estimate
from impact_detector.ros.health import Health
from impact_detector.signals.sample import Detection, Verdict
from impact_msgs.msg import DetectorStatus, ImpactEstimate, ImpactEvent
from impact_ros.messages import fill, from_nanoseconds, set_vector

SOURCES = {
    NO_SOURCE: ImpactEstimate.SOURCE_NONE,
    BY_FORCE: ImpactEstimate.SOURCE_FORCE,
    BY_TORQUE: ImpactEstimate.SOURCE_TORQUE,
}
EXPECTED = {
    None: ImpactEvent.EXPECTED_UNKNOWN,
    True: ImpactEvent.EXPECTED_YES,
    False: ImpactEvent.EXPECTED_NO,
}
_NAN = float("nan")


def code_of(detector: str) -> int:
    """Return the number of a detector in messages; that of "unknown" for one without a number."""
    return int(getattr(ImpactEvent, f"DETECTOR_{detector.upper()}", ImpactEvent.DETECTOR_UNKNOWN))


def status_message(verdict: Verdict, frame: str) -> DetectorStatus:
    """Return the status of one state, by the first detector."""
    message = DetectorStatus()
    from_nanoseconds(verdict.time, message.header.stamp)
    message.header.frame_id = frame
    message.detector = code_of(verdict.detector)
    message.statistic, message.threshold = verdict.statistic, verdict.threshold
    message.ready, message.armed, message.impact = verdict.ready, verdict.armed, verdict.impact
    message.suppressed = verdict.suppressed_count
    if verdict.detection_time is not None:
        from_nanoseconds(verdict.detection_time, message.detection_time)
    return message


def event_message(detection: Detection, assessment: Assessment, base_frame: str) -> ImpactEvent:
    """Return the event of a detection; what is not known is NaN or empty."""
    message = ImpactEvent()
    message.header.frame_id = base_frame
    from_nanoseconds(detection.detection_time, message.header.stamp)
    from_nanoseconds(detection.impact_time, message.impact_time)
    from_nanoseconds(detection.detection_time, message.detection_time)
    message.detector = code_of(detection.detector)
    message.statistic, message.threshold = detection.statistic, detection.threshold
    _fill_assessment(message, assessment)
    return message


def _fill_assessment(message: ImpactEvent | ImpactEstimate, assessment: Assessment) -> None:
    location = assessment.location
    message.link, message.contact = location.link, location.contact
    message.expected, message.reason = EXPECTED[assessment.expected], assessment.reason
    unknown = [_NAN, _NAN, _NAN]
    set_vector(message.direction, unknown if location.direction is None else location.direction)


def diagnostic_message(health: Health, name: str, stamp: Any) -> DiagnosticArray:
    """Return the diagnostics of the node called ``name``."""
    levels = {"ok": DiagnosticStatus.OK, "warn": DiagnosticStatus.WARN}
    last = "none" if health.last_impact is None else f"{health.last_impact * 1e-9:.6f}"
    values = {
        "rate [1/s]": f"{health.rate:.1f}",
        "worst age [ms]": f"{health.worst_age * 1e3:.2f}",
        "dropped samples": str(health.dropped),
        "unreadable messages": str(health.unreadable),
        "last impact [s]": last,
        "above threshold while not armed": str(health.suppressed),
    }
    status = DiagnosticStatus(
        level=levels.get(health.level, DiagnosticStatus.STALE),
        name=f"{name}: joint states",
        message=health.summary,
        values=[KeyValue(key=key, value=value) for key, value in values.items()],
    )
    message = DiagnosticArray(status=[status])
    message.header.stamp = stamp
    return message


def estimate_message(
    estimate: Estimate, names: Sequence[str], frame: str, base_frame: str
) -> ImpactEstimate:
    """Return the message of an estimate of n named joints.

    Args:
        estimate: what was estimated.
        names: of the joints.
        frame: of the force sensor.
        base_frame: of the robot, in which impulses from joint torques are.
    """
    message = ImpactEstimate()
    from_nanoseconds(estimate.time, message.header.stamp)
    message.header.frame_id = base_frame if estimate.impulse_source == BY_TORQUE else frame
    from_nanoseconds(estimate.impact_time, message.impact_time)
    message.impact_time_std = float(estimate.impact_time_std)
    _fill_assessment(message, estimate.assessment)
    message.joint_names = list(names)
    fill(message.velocity_before, estimate.velocity_before)
    fill(message.velocity_after, estimate.velocity_after)
    fill(message.gross_velocity, estimate.gross_velocity)
    fill(message.velocity_jump, estimate.velocity_jump)
    set_vector(message.impulse, estimate.impulse)
    message.impulse_std = float(estimate.impulse_std)
    message.impulse_source = SOURCES[estimate.impulse_source]
    message.normal_impulse = estimate.normal_impulse
    message.peak_force, message.duration = float(estimate.peak_force), estimate.duration
    message.restitution = estimate.restitution
    message.fit_rms, message.fit_samples = estimate.fit_rms, estimate.fit_samples
    message.fit_window = estimate.fit_window
    message.method, message.quality = estimate.method, estimate.quality
    return message
