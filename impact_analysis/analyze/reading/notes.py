# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What speaks against the estimate of an impact, in words."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

import numpy as np

from impact_analysis.analyze.reading.coasting import COASTING, PUSHED, drive, pushed
from impact_analysis.analyze.reading.peaks_and_jumps import CONTACT_FORCE
from impact_analysis.detection.state_watch import GAP
from impact_analysis.present.sentence import Sentence
from impact_analysis.present.sentences import said
from impact_detector.estimators.estimate import (
    IN_CONTACT,
    MISSING_SAMPLES,
    POOR_FIT,
    SECOND_IMPACT,
    SHORT_WINDOW,
    UNDERSAMPLED,
    Estimate,
)
from impact_detector.signals.buffers import JointRecord
from impact_detector.signals.sample import DetectionStatus
from impact_robots import Robot

AROUND = (0.05, 0.1)  # before and after the contact, where a gap matters [s]
VIBRATION = 0.015  # after the contact, or a known release: the statistic may stay high [s]
VIBRATION_SAMPLES = 6  # the same at rates where that is longer
AGAIN = 0.25  # of the first statistic: what rises by that is another impact


def second_contact(t: np.ndarray, force: np.ndarray, duration: float) -> float:
    """Return when another contact begins after the first one's release, NaN: none [s]."""
    if not np.isfinite(duration):
        return float("nan")
    later = t > duration + 1e-3
    norm = np.linalg.norm(force[later], axis=1)
    noise = float(np.linalg.norm(force[t < -2e-3], axis=1).max(initial=0.0))
    pushing = np.flatnonzero(norm > max(CONTACT_FORCE, 2.0 * noise))
    return float(t[later][pushing[0]]) if pushing.size else float("nan")


def notes_of(
    robot: Robot,
    estimate: Estimate,
    second: float,
    joints: JointRecord,
    statistics: Iterable[DetectionStatus],
    *,
    thought: Robot,
    normal: np.ndarray,
    period: float,
    window: float,
) -> list[Sentence]:
    """Return all that speaks against an estimate.

    Args:
        robot: the arm.
        estimate: of the impact.
        second: time from the contact to another one, NaN: none [s].
        joints: joint states around the impact.
        statistics: of the detector, around the impact.
        thought: the arm as its controller knows it: what coasts has its gravity compensation.
        normal: of the surface, outward, base axes, NaN: unknown, shape (3,).
        period: usual time between joint states [s].
        window: of the estimate [s].
    """
    t = joints.since(estimate.impact_time)
    return [
        *quality_notes(estimate, second),
        *_later_notes(estimate, statistics, period, window),
        *_driven_notes(thought, t, joints, estimate.velocity_jump),
        *_pushed_notes(robot, t, joints, normal, estimate.duration),
        *_gap_notes(t, period),
    ]


def quality_notes(estimate: Estimate, second: float) -> list[Sentence]:
    """Return the quality of an estimate in words."""
    keys = {
        POOR_FIT: "poor_fit",
        SHORT_WINDOW: "short_window",
        MISSING_SAMPLES: "missing_samples",
        SECOND_IMPACT: "second_impact",
        UNDERSAMPLED: "undersampled",
        IN_CONTACT: "in_contact",
    }
    if estimate.contact is None:
        keys[IN_CONTACT] = "endless_contact"
    notes = [said(key) for bit, key in keys.items() if estimate.quality & bit]
    if np.isfinite(second) and not estimate.quality & SECOND_IMPACT:
        notes.append(said("second_contact", time=f"{1e3 * second:.0f}"))
    return notes


def _later_notes(
    estimate: Estimate, statistics: Iterable[DetectionStatus], period: float, window: float
) -> list[Sentence]:
    """Say if the detector would have seen another impact while it was not armed."""
    since = [
        (1e-9 * (status.time - estimate.impact_time), status)
        for status in statistics
        if status.detector == estimate.detection.detector
    ]
    vibration = max(VIBRATION, VIBRATION_SAMPLES * period if isfinite(period) else 0.0)
    if estimate.contact is not None and isfinite(estimate.duration):
        vibration += estimate.duration  # by the joints a second contact is part of the first
    first = max((v.statistic for t, v in since if 0.0 < t <= vibration), default=0.0)
    later = [(t, status) for t, status in since if vibration < t < window]
    found = _rise(later, AGAIN * first)
    if found is None or estimate.quality & SECOND_IMPACT:
        return []
    t, status = found
    again = f"{status.statistic:.1f}"
    return [said("statistic_again", statistic=again, time=f"{1e3 * t:.0f}")]


def _rise(
    statuses: list[tuple[float, DetectionStatus]], least: float
) -> tuple[float, DetectionStatus] | None:
    """Return when the statistic has risen by ``least`` again to above its threshold, none: never.

    A contact may last longer than the vibration: what has not fallen does not rise.
    """
    lowest = float("inf")
    for t, status in statuses:
        lowest = min(lowest, status.statistic)
        if status.statistic > max(status.threshold, lowest + least):
            return t, status
    return None


def _driven_notes(
    robot: Robot, t: np.ndarray, joints: JointRecord, jump: np.ndarray
) -> list[Sentence]:
    """Say if the arm does not coast after an impact; ``t`` is the time since its contact [s]."""
    found = drive(robot, t, joints, jump)
    if found is None:
        return []
    start, end = COASTING
    return [
        said(
            "driven",
            start=f"{1e3 * start:.0f}",
            end=f"{1e3 * end:.0f}",
            joint=found.joint + 1,
            change=f"{np.degrees(found.change):.0f}",
            torque=f"{found.torque:.1f}",
        )
    ]


def _pushed_notes(
    robot: Robot, t: np.ndarray, joints: JointRecord, normal: np.ndarray, duration: float
) -> list[Sentence]:
    """Say if motors drove the arm while it touched; ``t`` is the time since the touch [s]."""
    share = pushed(robot, t, joints, normal, duration)
    return [said("pushed", share=f"{100.0 * share:.0f}")] if share > PUSHED else []


def _gap_notes(t: np.ndarray, period: float) -> list[Sentence]:
    """Say how long joint states are missing in the window, if longer than is usual."""
    near = t[(t > -AROUND[0]) & (t < AROUND[1])]
    longest = float(np.diff(near).max(initial=0.0))
    return [said("hole", time=f"{1e3 * longest:.0f}")] if longest > GAP * period else []
