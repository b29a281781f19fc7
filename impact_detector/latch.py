# SPDX-License-Identifier: Apache-2.0
"""From a statistic to events: threshold, debounce, latch and re-arming, shared by all detectors."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

from impact_detector.exceptions import DetectorError
from impact_detector.onset import onset_time
from impact_detector.sample import Detection, Verdict, from_seconds

_HISTORY = 40  # samples kept to look back for the onset


def positive_threshold(value: float) -> float:
    """Return a threshold.

    Raises:
        DetectorError: it is not a number above 0.
    """
    if not (math.isfinite(value) and value > 0):
        raise DetectorError(f"threshold: expected a number > 0, got {value}")
    return float(value)


class ThresholdLatch:
    """Reports one detection when a statistic exceeds its threshold, then waits for quiet.

    After a detection the latch stays closed (``impact``) until the statistic was known and not
    above the threshold for ``rearm_time`` without interruption. An unknown statistic (NaN) is not
    quiet. Time that runs backwards starts everything anew: another recording, or a restart.
    """

    def __init__(
        self, detector: str, threshold: float, *, rearm_time: float = 0.5, debounce: int = 1
    ) -> None:
        """Set up.

        Args:
            detector: name that detections carry.
            threshold: of the statistic, > 0 [its unit].
            rearm_time: quiet time before the next impact can be reported, >= 0 [s].
            debounce: successive samples above the threshold that make an impact, >= 1.

        Raises:
            DetectorError: a value is out of its range.
        """
        if not (math.isfinite(rearm_time) and rearm_time >= 0):
            raise DetectorError(f"rearm_time: expected a number >= 0 [s], got {rearm_time}")
        if debounce < 1:
            raise DetectorError(f"debounce: expected at least 1 sample, got {debounce}")
        self.detector, self.debounce = detector, debounce
        self.threshold = positive_threshold(threshold)
        self._rearm_time = from_seconds(rearm_time)
        self.reset()

    def reset(self) -> None:
        """Forget everything: armed, no impact so far."""
        self._last: Verdict | None = None
        self._impact = False
        self._quiet_since: int | None = None
        self._above = 0
        self._detection_time: int | None = None
        self._times: deque[int] = deque(maxlen=_HISTORY)
        self._statistics: deque[float] = deque(maxlen=_HISTORY)

    def is_backward(self, time: int) -> bool:
        """Tell whether ``time`` [ns] lies before the last sample's."""
        return self._last is not None and time < self._last.time

    def repeated(self, time: int) -> Verdict | None:
        """Return the verdict on the last sample if ``time`` [ns] is its time, else None.

        It carries no detection: that one was reported already.
        """
        if self._last is None or time != self._last.time:
            return None
        return replace(self._last, detection=None)

    def judge(self, time: int, statistic: float, *, allowed: bool = True) -> Verdict:
        """Return the verdict on one sample.

        Args:
            time: of the sample, later than the last one's [ns].
            statistic: NaN if it is not known.
            allowed: False suppresses a detection (gate).
        """
        detection = None
        above = statistic > self.threshold  # False for NaN
        self._above = self._above + 1 if above else 0
        if math.isfinite(statistic):
            self._times.append(time)
            self._statistics.append(statistic)
        if self._impact:
            self._wait_for_quiet(time, quiet=statistic <= self.threshold)
        elif allowed and self._above >= self.debounce:
            detection = self._detect(time, statistic)
        armed = allowed and not self._impact and math.isfinite(statistic)
        self._last = Verdict(
            time,
            statistic,
            self.threshold,
            armed,
            self._impact,
            detection,
            self._detection_time,
            self.detector,
        )
        return self._last

    def _wait_for_quiet(self, time: int, *, quiet: bool) -> None:
        if not quiet:
            self._quiet_since = None
            return
        if self._quiet_since is None:
            self._quiet_since = time
        self._impact = time - self._quiet_since < self._rearm_time

    def _detect(self, time: int, statistic: float) -> Detection:
        self._impact, self._quiet_since, self._detection_time = True, None, time
        onset = onset_time(list(self._times), list(self._statistics))
        return Detection(self.detector, onset, time, statistic, self.threshold)
