# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Base of the detectors on joint states: time, gate, threshold, latch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import nan

import numpy as np

from impact_detector.detectors.latch import ThresholdLatch, positive_threshold
from impact_detector.signals.sample import DetectionStatus, JointSample, all_finite, from_seconds

APPROACH_MEMORY = from_seconds(0.05)  # an impact stops the approach before it is detected


class StateDetector(ABC):
    """Declares an impact when a statistic of the joint states exceeds its threshold.

    A repeated time stamp is ignored, a backward one resets. A sample with NaN in a measurement
    that the detector uses is dropped and counted. Subclasses define the statistic and its inputs.
    """

    def __init__(
        self, name: str, threshold: float, *, rearm_time: float = 0.5, debounce: int = 1
    ) -> None:
        """Set up.

        Args:
            name: of the detector in its detections.
            threshold: of the statistic, > 0 [its unit].
            rearm_time: time below the threshold before the next impact is reported [s].
            debounce: successive samples above the threshold that make an impact, >= 1.

        Raises:
            DetectorError: a value is out of its range.
        """
        self._latch = ThresholdLatch(name, threshold, rearm_time=rearm_time, debounce=debounce)
        self._approached: int | None = None
        self.dropped = 0  # samples with NaN, since the start or the last reset

    needs_torque = True  # a sample without measured torque has no statistic
    needs_reference = False  # a sample without reference torque has no statistic
    needs_reference_velocity = False  # a sample without desired velocity has no statistic
    learns_below_threshold = False  # learnt values, and so the statistic, depend on the threshold
    largest_gap: int | None = None  # between samples, beyond which it resets [ns]; None: unlimited

    @property
    def name(self) -> str:
        """Name of the detector in its detections."""
        return self._latch.detector

    @property
    def threshold(self) -> float:
        """Of the statistic [its unit]; may be changed while running, > 0."""
        return self._latch.threshold

    @threshold.setter
    def threshold(self, value: float) -> None:
        self._latch.threshold = positive_threshold(value)

    def reset(self) -> None:
        """Delete all measurements."""
        self._latch.reset()
        self._approached = None
        self.dropped = 0
        self._forget()

    def update(self, sample: JointSample) -> DetectionStatus:
        """Return the detection status on the next sample."""
        latch, time = self._latch, sample.time
        if not latch.is_newer(time):
            repeated = latch.repeated(time)
            if repeated is not None:
                return repeated
            self.reset()
        if sample.approaching:
            self._approached = time
        statistic = self._statistic(sample) if self._usable(sample) else nan
        return latch.judge(time, statistic, allowed=self._gate(time))

    def _gate(self, time: int) -> bool:
        """Return whether the robot approaches or did so within ``APPROACH_MEMORY``."""
        return self._approached is not None and time - self._approached <= APPROACH_MEMORY

    def _usable(self, sample: JointSample) -> bool:
        """Return whether all used numbers are finite; else count the sample as dropped."""
        if all_finite(*self._looked_at(sample)):
            return True
        self.dropped += 1
        return False

    def _looked_at(self, sample: JointSample) -> tuple[np.ndarray | None, ...]:
        """Return the measurements used by the statistic, None for a missing one."""
        return sample.q, sample.dq, sample.tau

    @abstractmethod
    def _statistic(self, sample: JointSample) -> float:
        """Return the statistic of a sample of finite numbers, NaN if unavailable."""

    @abstractmethod
    def _forget(self) -> None:
        """Reset the state of the statistic."""
