# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact detection by the norm of a measured contact force."""

from __future__ import annotations

import numpy as np

from impact_detector.detectors.latch import ThresholdLatch
from impact_detector.signals.sample import FORCE, DetectionStatus, ForceSample


class ForceThresholdDetector:
    """Declares an impact when the norm of F exceeds a threshold.

    The default of 20 N is the published one for a wrist sensor at 200 Hz (Wang 2023,
    section 6.2.1). The caller subtracts the sensor's offset and the weight distal to it.
    A repeated time stamp is ignored, a backward one resets, NaN is dropped and counted.
    """

    def __init__(
        self, threshold: float = 20.0, *, debounce: int = 1, rearm_time: float = 0.5
    ) -> None:
        """Set up.

        Args:
            threshold: of the norm of the force [N].
            debounce: successive samples above it that make an impact.
            rearm_time: time below the threshold before the next impact is reported [s].

        Raises:
            DetectorError: a value is out of its range.
        """
        self._latch = ThresholdLatch(FORCE, threshold, rearm_time=rearm_time, debounce=debounce)
        self._newest: int | None = None  # time of the first of the last samples [ns]
        self._last = DetectionStatus(0, float("nan"), threshold, armed=False, impact=False)
        self.dropped = 0  # samples with NaN, since the start or the last reset

    def reset(self) -> None:
        """Delete all measurements."""
        self._latch.reset()
        self._newest = None
        self.dropped = 0

    def update(self, sample: ForceSample) -> DetectionStatus:
        """Return the status of the last of these samples, with the detection of any of them."""
        if sample.time == self._newest or not len(sample.force):
            return self._last._replace(detection=None, suppressed=None)
        if self._newest is not None and sample.time < self._newest:
            self.reset()
        self._newest = sample.time
        norms = np.linalg.norm(sample.force, axis=1)
        self.dropped += int(np.count_nonzero(~np.isfinite(norms)))
        statuses = [
            self._latch.judge(time, norm)
            for time, norm in zip(sample.times.tolist(), norms.tolist(), strict=True)
        ]
        detection = next((status.detection for status in statuses if status.detection), None)
        suppressed = next((each.suppressed for each in statuses if each.suppressed), None)
        self._last = statuses[-1]._replace(detection=detection, suppressed=suppressed)
        return self._last
