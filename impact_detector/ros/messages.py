# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The node's messages from detection statuses, detections and estimates. Needs impact_msgs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from impact_detector.attribution.assessment import Assessment
from impact_detector.estimators.estimate import BY_TORQUE, Estimate
from impact_detector.message_fields import detection_status_fields, estimate_fields, event_fields
from impact_detector.ros.health import Health
from impact_detector.signals.sample import Detection, DetectionStatus
from impact_msgs.msg import DetectorStatus, ImpactEstimate, ImpactEvent
from impact_ros.message_fields import write
from impact_ros.messages import from_nanoseconds


def status_message(
    status: DetectionStatus, frame: str, message: DetectorStatus | None = None
) -> DetectorStatus:
    """Return the status of one state, by the first detector.

    Args:
        status: on the state.
        frame: of the state.
        message: that is filled; none: a new one.
    """
    message = _stamped(DetectorStatus() if message is None else message, status.time, frame)
    write(message, detection_status_fields(ImpactEvent, status))
    return message


def event_message(detection: Detection, assessment: Assessment, base_frame: str) -> ImpactEvent:
    """Return the event of a detection; unknown quantities are NaN or empty."""
    message = _stamped(ImpactEvent(), detection.detection_time, base_frame)
    write(message, event_fields(ImpactEvent, detection, assessment))
    return message


def _stamped(message: Any, time: int, frame: str) -> Any:
    """Write a message's header, its stamp in nanoseconds; return the message."""
    from_nanoseconds(time, message.header.stamp)
    message.header.frame_id = frame
    return message


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
        estimate: of an impact.
        names: of the joints.
        frame: of the force sensor.
        base_frame: of the robot, in which impulses from joint torques are.
    """
    of = base_frame if estimate.impulse_source == BY_TORQUE else frame
    message = _stamped(ImpactEstimate(), estimate.time, of)
    write(message, estimate_fields(ImpactEstimate, ImpactEvent, estimate, names))
    return message
