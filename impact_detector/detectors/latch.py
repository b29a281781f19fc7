# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From a statistic to events: threshold, debounce, latch and re-arming, shared by all detectors."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from impact_detector.exceptions import DetectorError
from impact_detector.signals.sample import Detection, DetectionStatus, Suppressed, from_seconds

LONGEST_STEP = from_seconds(0.05)  # maximum counted step between samples: 20 Hz and faster


class QuietTime:
    """Sums the time between successive quiet samples, up to the required duration.

    A sample above the threshold resets the sum. A sample without statistic, and the part of a step
    between samples beyond ``LONGEST_STEP``, is ignored: it neither counts nor resets, so that lost
    samples delay re-arming only by their own duration. If no statistic is known for the required
    duration (and longer than ``LONGEST_STEP``), quiet is assumed: a later sample above the
    threshold is another impact or a lasting one, and an unnecessary stop is safer than a missed
    impact.
    """

    def __init__(self, needed: int) -> None:
        """Require ``needed`` [ns] of quiet."""
        self.needed = needed
        self.restart()

    def restart(self, loud: int | None = None) -> None:
        """Reset, at a sample above the threshold at ``loud`` [ns], or without samples."""
        self._counted, self._enough = 0, False
        self._known = loud  # time of the last sample with a statistic
        self._before: int | None = None  # time of the last sample, if it was quiet

    @property
    def over(self) -> bool:
        """Whether there was enough quiet."""
        return self._enough

    def add(self, time: int, statistic: float, threshold: float) -> None:
        """Take the statistic at ``time`` [ns]; NaN if it is unknown."""
        if math.isnan(statistic):
            self._before = None
            return
        unknown = 0 if self._known is None else time - self._known
        self._known = time
        if unknown >= self.needed and unknown > LONGEST_STEP:
            self._enough = True
        elif statistic > threshold:
            self._counted, self._before, self._enough = 0, None, False
        else:
            step = 0 if self._before is None else time - self._before
            self._counted += min(step, LONGEST_STEP)
            self._before = time
            self._enough = self._counted >= self.needed


LONGEST_RISE = from_seconds(0.010)  # detection takes 3 to 6 ms in the literature
RISE_FRACTION = 0.2


def onset_time(times: Sequence[int], statistics: Sequence[float]) -> int:
    """Return the last time at which the statistic was at its level before the impact.

    Args:
        times: of successive samples [ns], the last one being the detection; at least one.
        statistics: of the same samples.

    That level is the median of the older half of the samples. The onset is the newest sample below
    the level plus a fifth of the rise, at most 10 ms before the detection.
    """
    values = np.asarray(statistics, dtype=float)
    before = float(np.median(values[: max(1, len(values) // 2)]))
    quiet = np.flatnonzero(values[:-1] <= before + RISE_FRACTION * (values[-1] - before))
    onset = times[int(quiet[-1])] if quiet.size else times[-1]
    return max(onset, times[-1] - LONGEST_RISE)


RINGING = from_seconds(0.05)  # above the threshold again within this is the same vibration
LONGEST_REARM = 1e6  # [s]
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
    above the threshold for ``rearm_time``; samples above it restart that time, samples without
    statistic and gaps do not (:class:`~impact_detector.detectors.latch.QuietTime`). Exceeding the
    threshold meanwhile is no detection; the detection status reports it (``suppressed``), once
    per vibration. A jump back in time resets the latch: another recording, or a restart.
    """

    def __init__(
        self, detector: str, threshold: float, *, rearm_time: float = 0.5, debounce: int = 1
    ) -> None:
        """Set up.

        Args:
            detector: name in the detections.
            threshold: of the statistic, > 0 [its unit].
            rearm_time: quiet time before the next impact can be reported, 0 to 1e6 [s].
            debounce: successive samples above the threshold that make an impact, >= 1.

        Raises:
            DetectorError: a value is out of its range.
        """
        if not 0.0 <= rearm_time <= LONGEST_REARM:
            expected = f"0 to {LONGEST_REARM:g} [s]"
            raise DetectorError(f"rearm_time: expected {expected}, got {rearm_time}")
        if debounce < 1:
            raise DetectorError(f"debounce: expected at least 1 sample, got {debounce}")
        self.detector, self.debounce = detector, debounce
        self.threshold = positive_threshold(threshold)
        self._quiet = QuietTime(from_seconds(rearm_time))
        self.reset()

    def reset(self) -> None:
        """Reset: armed, no impact so far."""
        self._last: DetectionStatus | None = None
        self._impact = False
        self._quiet.restart()
        self._above = 0
        self._loud: int | None = None  # time of the last sample above the threshold
        self._suppressed = 0
        self._detection_time: int | None = None
        self._times: deque[int] = deque(maxlen=_HISTORY)
        self._statistics: deque[float] = deque(maxlen=_HISTORY)

    def is_newer(self, time: int) -> bool:
        """Return whether ``time`` [ns] lies after the last sample's, if there was one."""
        return self._last is None or time > self._last.time

    def repeated(self, time: int) -> DetectionStatus | None:
        """Return the detection status on the last sample if ``time`` [ns] is its time, else None.

        It carries no detection: that one was reported already.
        """
        if self._last is None or time != self._last.time:
            return None
        return self._last._replace(detection=None, suppressed=None)

    def judge(self, time: int, statistic: float, *, allowed: bool = True) -> DetectionStatus:
        """Return the detection status on one sample.

        Args:
            time: of the sample, later than the last one's [ns].
            statistic: not finite if it is not known.
            allowed: False suppresses a detection (gate).
        """
        if not math.isfinite(statistic):
            statistic = math.nan
        else:
            self._times.append(time)
            self._statistics.append(statistic)
        above = statistic > self.threshold  # False for NaN
        self._above = self._above + 1 if above else 0
        if self._impact:
            self._quiet.add(time, statistic, self.threshold)
            self._impact = not self._quiet.over
        detection, suppressed = None, None
        if above:
            fresh = self._loud is None or time - self._loud > RINGING
            self._loud = time
            if self._impact or not allowed:
                suppressed = self._suppress(time, statistic) if fresh else None
            elif self._above >= self.debounce:
                detection = self._detect(time, statistic)
        armed = allowed and not self._impact and math.isfinite(statistic)
        known = time, statistic, self.threshold, armed, self._impact, detection
        rest = self._detection_time, self.detector, suppressed, self._suppressed
        self._last = tuple.__new__(DetectionStatus, (*known, *rest))  # half the time
        return self._last

    def _detect(self, time: int, statistic: float) -> Detection:
        self._impact, self._detection_time = True, time
        self._quiet.restart(time)
        onset = onset_time(list(self._times), list(self._statistics))
        return Detection(self.detector, onset, time, statistic, self.threshold)

    def _suppress(self, time: int, statistic: float) -> Suppressed:
        self._suppressed += 1
        reason = "the contact point did not approach"
        if self._impact and self._detection_time is not None:
            since, quiet = time - self._detection_time, self._quiet.needed
            reason = f"{since * 1e-9:.3f} s after an impact, before {quiet * 1e-9:g} s of quiet"
        return Suppressed(self.detector, time, statistic, self.threshold, reason)
