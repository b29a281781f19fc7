# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Fields of the detector's messages, without the header. Needs no ROS."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

from impact_detector.attribution.assessment import Assessment
from impact_detector.estimators.estimate import Estimate
from impact_detector.signals.sample import Detection, DetectionStatus
from impact_ros.message_fields import Stamp, Vector, constant

_EXPECTED = {None: "unknown", True: "yes", False: "no"}
_NOWHERE = Vector(nan, nan, nan)


def detection_status_fields(event: Any, status: DetectionStatus) -> dict[str, Any]:
    """Return the fields of an impact_msgs/DetectorStatus, of the first detector on one state.

    Args:
        event: class of impact_msgs/ImpactEvent, which numbers detectors.
        status: on the state.
    """
    return {
        "detector": constant(event, "DETECTOR", status.detector),
        "statistic": status.statistic,
        "threshold": status.threshold,
        "ready": status.ready,
        "armed": status.armed,
        "impact": status.impact,
        "suppressed": status.suppressed_count,
        "detection_time": Stamp(status.detection_time or 0),
    }


def event_fields(event: Any, detection: Detection, assessment: Assessment) -> dict[str, Any]:
    """Return the fields of an impact_msgs/ImpactEvent; unknown quantities are NaN or empty.

    Args:
        event: class of the message.
        detection: of the impact.
        assessment: which link was hit, and whether that was meant.
    """
    return {
        "impact_time": Stamp(detection.impact_time),
        "detection_time": Stamp(detection.detection_time),
        "detector": constant(event, "DETECTOR", detection.detector),
        "statistic": detection.statistic,
        "threshold": detection.threshold,
        **_assessment_fields(event, assessment),
    }


def estimate_fields(
    kind: Any, event: Any, estimate: Estimate, names: Sequence[str]
) -> dict[str, Any]:
    """Return the fields of an impact_msgs/ImpactEstimate of named joints.

    Args:
        kind: class of the message.
        event: class of impact_msgs/ImpactEvent, which numbers what was expected.
        estimate: of what an impact did.
        names: of the n joints.
    """
    return {
        "impact_time": Stamp(estimate.impact_time),
        "impact_time_std": float(estimate.impact_time_std),
        "joint_names": list(names),
        "velocity_before": estimate.velocity_before,
        "velocity_after": estimate.velocity_after,
        "gross_velocity": estimate.gross_velocity,
        "velocity_jump": estimate.velocity_jump,
        "impulse": Vector(*estimate.impulse),
        "impulse_std": float(estimate.impulse_std),
        "impulse_source": constant(kind, "SOURCE", estimate.impulse_source),
        "normal_impulse": estimate.normal_impulse,
        "peak_force": float(estimate.peak_force),
        "duration": estimate.duration,
        "restitution": estimate.restitution,
        "fit_rms": estimate.fit_rms,
        "fit_samples": estimate.fit_samples,
        "fit_window": estimate.fit_window,
        "method": estimate.method,
        "quality": estimate.quality,
        **_assessment_fields(event, estimate.assessment),
    }


def _assessment_fields(event: Any, assessment: Assessment) -> dict[str, Any]:
    location = assessment.location
    return {
        "link": location.link,
        "contact": location.contact,
        "expected": constant(event, "EXPECTED", _EXPECTED[assessment.expected]),
        "reason": assessment.reason,
        "direction": _NOWHERE if location.direction is None else Vector(*location.direction),
    }
