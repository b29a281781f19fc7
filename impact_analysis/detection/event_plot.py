# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Statistics and thresholds around each event, collected as a recording streams by, and drawn."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from impact_analysis.picture import save
from impact_detector.session import Outcome
from impact_detector.signals.sample import Detection, DetectionStatus, from_seconds

BEFORE, AFTER = from_seconds(0.05), from_seconds(0.1)  # drawn interval around a detection
MOST = 20  # events in one picture


@dataclass
class EventTrace:
    """Detection statuses around one impact."""

    name: str  # of the recording
    detections: list[Detection]
    statuses: list[DetectionStatus] = field(default_factory=list)


class Traces:
    """Collects traces of the first ``MOST`` impacts of a recording."""

    def __init__(self, name: str) -> None:
        """Start without traces of the recording called ``name``."""
        self.found: list[EventTrace] = []
        self.left_out = 0
        self._name = name
        self._recent: deque[DetectionStatus] = deque()

    def add(self, outcome: Outcome) -> None:
        """Take the outcome of one item."""
        statuses = (*outcome.statuses, *outcome.others)
        for status in statuses:
            self._recent.append(status)
            while abs(status.time - self._recent[0].time) > BEFORE:
                self._recent.popleft()
        last = self.found[-1] if self.found else None
        for status in statuses:
            if last and abs(status.time - last.detections[0].detection_time) <= AFTER:
                last.statuses.append(status)
        for detection in outcome.detections:
            self._begin(detection)

    def _begin(self, detection: Detection) -> None:
        """Begin a trace, or extend the last one if the impact is the same."""
        last = self.found[-1] if self.found else None
        if last and abs(detection.detection_time - last.detections[0].detection_time) <= AFTER:
            last.detections.append(detection)
        elif len(self.found) < MOST:
            self.found.append(EventTrace(self._name, [detection], list(self._recent)))
        else:
            self.left_out += 1


def draw(traces: Sequence[EventTrace], path: Path) -> None:
    """Draw one panel per impact: each statistic over its threshold, contact and detections.

    Raises:
        AnalysisError: the picture cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = max(1, len(traces))
    figure, axes = plt.subplots(
        rows, 1, figsize=(7.2, 0.6 + 2.4 * rows), layout="constrained", squeeze=False
    )
    for panel, trace in zip(axes[:, 0], traces, strict=False):
        _draw_trace(panel, trace)
    if not traces:
        axes[0, 0].set_title("no event")
    axes[-1, 0].set_xlabel("time since the first detection [ms]")
    save(figure, path, dpi=120)


def _draw_trace(axes: Any, trace: EventTrace) -> None:
    """Draw one impact."""
    origin = trace.detections[0].detection_time
    names = dict.fromkeys(status.detector for status in trace.statuses)
    for name in names:
        statuses = [v for v in trace.statuses if v.detector == name and isfinite(v.statistic)]
        times = [(status.time - origin) * 1e-6 for status in statuses]
        shares = [status.statistic / status.threshold for status in statuses]
        (line,) = axes.plot(times, shares, ".-", markersize=3, label=name)
        for detection in trace.detections:
            if detection.detector == name:
                at = (detection.detection_time - origin) * 1e-6
                axes.axvline(at, color=line.get_color(), lw=0.8)
    touch = (trace.detections[0].impact_time - origin) * 1e-6
    axes.axvline(touch, color="black", lw=0.8, ls=":", label="touch")
    axes.axhline(1.0, color="black", lw=0.8, ls="--", label="threshold")
    axes.set(
        ylabel="statistic / threshold",
        title=f"{Path(trace.name).name}, detected at {origin * 1e-9:.4f} s",
    )
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", loc="upper right")
