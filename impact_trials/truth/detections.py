# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which detections are of a contact and which are false, by the plant's time of contact."""

from __future__ import annotations

from collections.abc import Sequence

from impact_detector.signals.sample import Detection
from impact_trials.trial import Value

TIMED = ("detection_time_s", "detection_delay_s", "detection_statistic")
FALSE = "false_detections"
OF_TORQUE_ERROR = {  # columns of the detector of torque errors
    "detection_time_s": "torque_error_time_s",
    "detection_delay_s": "torque_error_delay_s",
    "detection_statistic": "torque_error_statistic_nm",
    FALSE: "torque_error_false_detections",
}


def delay_of(detection: Detection, contact: float) -> float:
    """Return the time from contact to a detection, to the nanosecond [s]; false unless positive.

    A measurement at the very instant of contact cannot have seen any of it.

    Args:
        detection: of any detector.
        contact: in the recording's time; infinite: there was none [s].
    """
    return round(detection.detection_time * 1e-9 - contact, 9)


def first_detection(found: Sequence[Detection], contact: float | None) -> dict[str, Value]:
    """Return columns of the first detection after contact, however late, and the false ones.

    Args:
        found: of one detector, in order of time.
        contact: in the recording's time; None: there was none, all are false [s].
    """
    end = float("inf") if contact is None else contact
    after = [each for each in found if delay_of(each, end) > 0.0]
    row: dict[str, Value] = {FALSE: len(found) - len(after)}
    if after:
        first = after[0]
        values = round(first.detection_time * 1e-9, 9), delay_of(first, end), first.statistic
        row |= zip(TIMED, values, strict=True)
    return row
