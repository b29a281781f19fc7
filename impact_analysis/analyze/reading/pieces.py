# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parts of a long bag, to be read by several processes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from impact_analysis.analyze.settings import AnalysisSettings
from impact_bags.bag_recording import BagRecording
from impact_bags.open_recording import open_recording
from impact_bags.reader import Span
from impact_detector.signals.sample import from_seconds
from impact_robots import ImpactError

SHORT = 120.0  # recordings are not cut into pieces [s]
LEAD, TRAIL = 5.0, 2.0  # what is read before and after a piece [s]


@dataclass(frozen=True)
class Piece:
    """A part of a long bag; the detector begins earlier, and reads on until estimates are done."""

    first: int | None = None  # stamp of its first joint state [ns]; None: of the recording
    last: int | None = None  # of the next piece's first one [ns]; None: there is no next piece
    span: Span = (None, None)  # recorded time to read, more than that [ns]

    def holds(self, time: int) -> bool:
        """Tell whether a stamp [ns] is of this piece."""
        after = self.first is None or time >= self.first
        return after and (self.last is None or time < self.last)


def pieces(path: Path, settings: AnalysisSettings, count: int, arm: str = "") -> list[Piece]:
    """Return at most ``count`` pieces of a recording; one if it is short, or no bag.

    Args:
        path: of the recording.
        settings: of the analysis.
        count: of pieces.
        arm: namespace of the arm that is read, of several; empty: there is one.
    """
    try:
        recording = open_recording(path, settings.load_robot(), settings.topics(arm))
        if not isinstance(recording, BagRecording) or recording.duration < SHORT:
            return [Piece()]
        cuts = recording.boundaries(count)
    except ImpactError:
        return [Piece()]  # collecting it will say what is wrong
    starts = [(None, None), *cuts]
    ends = [*cuts, (None, None)]
    return [
        Piece(
            first,
            last,
            (
                None if begin is None else begin - from_seconds(LEAD),
                None if end is None else end + from_seconds(TRAIL),
            ),
        )
        for (begin, first), (end, last) in zip(starts, ends, strict=True)
    ]
