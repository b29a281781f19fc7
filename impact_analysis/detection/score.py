# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Score of a detector: detected and missed impacts, false alarms, delays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from impact_detector.estimators.streaming import Estimate
from impact_detector.signals.sample import Detection
from impact_trials.truth.detections import delay_of
from impact_trials.truth.trial_table import TrialTruth

LATEST = 0.03  # after contact, for a detection to be of it [s]
SOON = 0.002  # after contact, for the operating points: earlier than any delay published [s]
BLOCK = 0.5  # in which statistics above a threshold are one false alarm [s]
HOUR = 3600.0  # [s]


@dataclass
class JudgedTrial:
    """Results of one detector on one trial."""

    truth: TrialTruth
    times: np.ndarray  # of statistics that are known, shape (N,) [s]
    statistics: np.ndarray  # shape (N,) [unit of the detector]
    detections: list[Detection]
    estimates: list[Estimate]

    @property
    def watched(self) -> float:
        """Time with a statistic and before any contact [s]."""
        known = self.times[self.times < self._contact]
        return float(known[-1] - known[0]) if len(known) else 0.0

    @property
    def delay(self) -> float | None:
        """From contact to detection, None if it was missed [s]."""
        delays = (delay_of(detection, self._contact) for detection in self.detections)
        return next((delay for delay in delays if 0.0 < delay <= LATEST), None)

    @property
    def false_alarms(self) -> int:
        """Detections not after contact, or at any time without one."""
        return sum(delay_of(detection, self._contact) <= 0.0 for detection in self.detections)

    @property
    def _contact(self) -> float:
        """Time of contact, infinite without one [s]."""
        return self.truth.impact_time if self.truth.hits else float("inf")


@dataclass
class DetectorScore:
    """One detector over trials of one kind; errors are of the trials that it detected."""

    detector: str
    kind: str  # scenario and speed, or a whole
    hits: int = 0  # trials with an impact
    found: int = 0
    false_alarms: int = 0
    watched: float = 0.0  # without impact [s]
    delays: list[float] = field(default_factory=list)  # [s]
    time_errors: list[float] = field(default_factory=list)  # of the first contact [s]
    velocity_errors: list[float] = field(default_factory=list)  # of all joints [rad/s]
    impulse_errors: list[float] = field(default_factory=list)  # relative, normal [-]

    def add(self, result: JudgedTrial) -> None:
        """Count a trial."""
        truth = result.truth
        self.watched += result.watched
        self.false_alarms += result.false_alarms
        if not truth.hits:
            return
        self.hits += 1
        delay = result.delay
        if delay is None:
            return
        self.found += 1
        self.delays.append(delay)
        self._add_errors(result)

    def _add_errors(self, result: JudgedTrial) -> None:
        """Count the errors of the estimate of this impact."""
        truth = result.truth
        estimate = next(
            (e for e in result.estimates if abs(e.impact_time * 1e-9 - truth.impact_time) < LATEST),
            None,
        )
        if estimate is None:
            return
        self.time_errors.append(estimate.detection.impact_time * 1e-9 - truth.impact_time)
        self.velocity_errors += (estimate.gross_velocity - truth.gross_velocity).tolist()
        if truth.normal_impulse:
            self.impulse_errors.append(estimate.normal_impulse / truth.normal_impulse - 1.0)

    @property
    def rate(self) -> float:
        """Fraction of detected impacts [-], NaN without impacts."""
        return self.found / self.hits if self.hits else float("nan")

    @property
    def false_per_hour(self) -> float:
        """False alarms per hour without impact, NaN without such time."""
        return self.false_alarms * HOUR / self.watched if self.watched else float("nan")


def rms(values: Sequence[float]) -> float:
    """Return the root mean square of the known values, NaN without any."""
    known = np.array([value for value in values if np.isfinite(value)])
    return float(np.sqrt(np.mean(known**2))) if len(known) else float("nan")


def operating_points(
    results: Sequence[JudgedTrial], thresholds: Sequence[float]
) -> list[tuple[float, float]]:
    """Return the fraction of impacts found within 2 ms and false alarms per hour at thresholds.

    Args:
        results: of one detector.
        thresholds: to be tried [its unit].
    """
    peaks, blocks, watched = [], [], 0.0
    for result in results:
        t, s, truth = result.times, result.statistics, result.truth
        end = truth.impact_time if truth.hits else np.inf
        quiet = t < end
        watched += result.watched
        if quiet.any():
            block = ((t[quiet] - t[quiet][0]) // BLOCK).astype(int)
            blocks += [s[quiet][block == i].max() for i in np.unique(block)]
        if truth.hits:
            after = (t >= end) & (t <= end + SOON)
            peaks.append(s[after].max(initial=0.0))
    found, loud = np.array(peaks), np.array(blocks)
    return [
        (
            float(np.mean(found > each)) if len(found) else float("nan"),
            float(np.sum(loud > each)) * HOUR / watched if watched else float("nan"),
        )
        for each in thresholds
    ]
