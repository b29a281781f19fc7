# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impacts of a recording as contact windows: all that `analyze` needs to find them again."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from impact_analysis.analyze.reading.collected import AnalyzedImpact, Collected
from impact_analysis.analyze.reading.collection import collect
from impact_analysis.analyze.reading.recordings import (
    LEAD,
    TRAIL,
    Part,
    arms_of,
    named_recordings,
    opened,
)
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.present.plain import plain
from impact_bags.exceptions import RecordingError
from impact_bags.reading.recording import Item, Recording
from impact_bags.windows.files import encoded, library
from impact_bags.windows.recording import FORMAT, VERSION, Window
from impact_bags.windows.tables import (
    Placed,
    Table,
    WindowColumn,
    joint_columns,
    suffix,
    tables_of,
    vector_columns,
)
from impact_detector.attribution.expectation import Announcement
from impact_detector.signals.sample import from_seconds
from impact_robots import ImpactError, Robot
from impact_robots.exceptions import UsageError

EARLIER = 10  # announcements before a window that are kept, as many as the detector keeps


class Exported(NamedTuple):
    """The windows of one arm of a recording."""

    recording: str
    impacts: int
    windows: int
    files: dict[str, bytes]  # content by path
    is_of_cell: bool = False  # other arms or an object were recorded as well
    error: str = ""  # why there are no files, in one line


class _Span(NamedTuple):
    """A window of time, and what is its own."""

    start: int  # [ns]
    end: int  # [ns]
    own: Window


def export_windows(
    kind: str, paths: Sequence[Path], settings: AnalysisSettings
) -> Iterator[Exported]:
    """Yield the contact windows of recordings, or why a recording has none.

    Args:
        kind: HDF5 or PARQUET.
        paths: of recordings, or folders of these.
        settings: of the analysis that finds the impacts.

    Raises:
        RecordingError: there is nothing to read.
        UsageError: two recordings have one name, or the library of the format is missing.
    """
    library(kind)
    named = [each for root in paths for each in named_recordings(root)]
    found = [arms_of(*each, settings) for each in named]
    parts = [(part, cell is not None) for arms, cell in found for part in arms]
    names = [_file_name(part.name) for part, _ in parts]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:  # nothing has been written yet
        raise UsageError(f"export: expected recordings of different names, got {name}")
    for name, (part, of_cell) in zip(names, parts, strict=True):
        exported = _exported(kind, name, part, settings)
        yield exported if exported.error else exported._replace(is_of_cell=of_cell)


def _file_name(recording: str) -> str:
    """Return a recording's name without suffix, as a file may be called."""
    stem = re.sub(r"\.(mcap|db3|csv|h5)$", "", recording)
    return re.sub(r"[^\w.-]+", "_", stem).strip("_") or "recording"


def _exported(kind: str, name: str, part: Part, settings: AnalysisSettings) -> Exported:
    """Return the windows of a part, or why there are none."""
    try:
        return _with_impacts(kind, name, part, settings)
    except ImpactError as error:
        return Exported(part.name, 0, 0, {}, error=str(error))


def _with_impacts(kind: str, name: str, part: Part, settings: AnalysisSettings) -> Exported:
    """Return the windows of a part.

    Raises:
        ImpactError: it cannot be read, or has no impact.
    """
    found = collect(part.path, settings, part)
    if found.error:
        raise RecordingError(found.error)
    if not found.impacts:
        raise RecordingError.at(part.name, "no impact found")
    recording, _, _ = opened(part, settings)
    robot, spans = settings.load_robot(), _spans(found)
    tables = tables_of(list(_placed(recording, spans)), robot)
    tables = {"windows": _windows(spans)} | tables | {"impacts": _impacts(found, spans, robot)}
    attributes = _attributes(recording, found, robot, part)
    return Exported(
        part.name, len(found.impacts), len(spans), encoded(kind, name, tables, attributes)
    )


def _spans(found: Collected) -> list[_Span]:
    """Return the windows of impacts; those that overlap are one.

    A recording whose time jumps back is one window, as its times are not unique.
    """
    detected = sorted(each.detection_stamp for each in found.impacts)
    if found.jumps:
        ends = np.iinfo(np.int64)
        return [_Span(int(ends.min), int(ends.max), Window(0, detected[0], detected[-1]))]
    spans: list[_Span] = []
    for time in detected:
        start, end = time - from_seconds(LEAD), time + from_seconds(TRAIL)
        if spans and start <= spans[-1].end:
            last = spans[-1]
            spans[-1] = last._replace(end=end, own=last.own._replace(last=time))
        else:
            spans.append(_Span(start, end, Window(len(spans), time, time)))
    return spans


def _placed(recording: Recording, spans: Sequence[_Span]) -> Iterator[Placed]:
    """Yield the items in windows, and the last announcements before each."""
    earlier: deque[tuple[int, Item]] = deque(maxlen=EARLIER)
    left, opened_window = deque(spans), False
    for place, item in enumerate(recording.items()):
        while left and item.time > left[0].end:
            left.popleft()
            opened_window = False
        if not left:
            return
        if item.time >= left[0].start:
            number = left[0].own.number
            if not opened_window:
                yield from ((number, before, each) for before, each in earlier)
                opened_window = True
            yield number, place, item
        if isinstance(item, Announcement):
            earlier.append((place, item))


def _windows(spans: Sequence[_Span]) -> Table:
    """Return the table of windows."""
    columns = {
        "window": ([each.own.number for each in spans], "", "its number"),
        "start_ns": ([each.start for each in spans], "ns", "measurements from then on"),
        "end_ns": ([each.end for each in spans], "ns", "measurements until then"),
        "first_ns": ([each.own.first for each in spans], "ns", "detection of its first impact"),
        "last_ns": ([each.own.last for each in spans], "ns", "detection of its last impact"),
    }
    return {
        name: WindowColumn(np.array(values, np.int64), unit, about=about)
        for name, (values, unit, about) in columns.items()
    }


_UNITS = {  # of the fields of AnalyzedImpact that are one number
    "time": ("s", "of the contact"),
    "time_std": ("s", "standard deviation of time"),
    "detection_time": ("s", "of the measurement that crossed the threshold"),
    "statistic": ("", "of the detector in that measurement, in its unit"),
    "threshold": ("", "that it crossed, in the same unit"),
    "fit_rms": ("rad", "residual of the fit of dq_after"),
    "impulse_std": ("N.s", "standard deviation along the impulse"),
    "normal_impulse": ("N.s", "along the normal; NaN without a normal"),
    "peak_force": ("N", "largest force"),
    "duration": ("s", "of the contact"),
    "restitution": ("", "from the velocities before and after"),
    "announced_friction": ("", "high end of the announced range"),
    "announced_restitution": ("", "high end of the announced range"),
    "second_contact": ("s", "from the contact to another one in the window"),
}
_TEXTS = {
    "detector": "which one detected the impact",
    "impulse_source": "force: the sensor; torque: the joint torques; empty: unknown",
    "link": "that was hit; empty: unknown",
}


def _impacts(found: Collected, spans: Sequence[_Span], robot: Robot) -> Table:
    """Return events and estimates; `analyze` computes them anew from the measurements."""
    impacts = found.impacts
    times = [each.detection_stamp for each in impacts]
    numbers = [next(s.own.number for s in spans if s.own.first <= t <= s.own.last) for t in times]

    def of(name: str) -> list[Any]:
        return [getattr(each, name) for each in impacts]

    source = "axes of impulse_source: of the sensor, or base axes"
    return {
        "window": WindowColumn(np.array(numbers, np.int64), about="that holds its measurements"),
        **{
            name + suffix(unit): WindowColumn(np.array(of(name), float), unit, about=about)
            for name, (unit, about) in _UNITS.items()
        },
        **{
            name: WindowColumn(np.array(of(name), object), about=about)
            for name, about in _TEXTS.items()
        },
        "complete": WindowColumn(np.array(of("complete"), bool), about="the estimate is complete"),
        "quality": WindowColumn(np.array(of("quality"), np.int64), about="bits of ImpactEstimate"),
        "expected": WindowColumn(
            np.array([_said(each) for each in impacts], object),
            about="yes: as announced; no; empty: nothing was announced",
        ),
        "notes": WindowColumn(
            np.array(["; ".join(note.text for note in each) for each in of("notes")], object),
            about="what speaks against the estimate",
        ),
        **joint_columns("q", of("q"), "rad", robot, "position at the contact"),
        **joint_columns("dq_before", of("dq_before"), "rad/s", robot, "velocity before"),
        **joint_columns("dq_after", of("dq_after"), "rad/s", robot, "gross velocity after"),
        **vector_columns("impulse", of("impulse"), "N.s", source, "on the robot"),
        **vector_columns("normal", of("normal"), "", robot.base_frame, "outward normal"),
    }


def _said(impact: AnalyzedImpact) -> str:
    return {None: "", True: "yes", False: "no"}[impact.expected]


def _attributes(
    recording: Recording, found: Collected, robot: Robot, part: Part
) -> Mapping[str, Any]:
    """Return what holds for the file; ``whole``: what a window does not show of its recording."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "recording": part.name,
        "arm": part.arm,
        "robot": robot.name,
        "joint_names": list(robot.joint_names),
        "base_frame": robot.base_frame,
        "state_topic": recording.state_topic,
        "has_reference": recording.has_reference,
        "pairing_rule": recording.pairing_rule,
        "lead_s": LEAD,
        "trail_s": TRAIL,
        "whole": plain(replace(found, impacts=[])),
    }
