# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sums trials up by scenario and reference speed, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

from impact_analysis.present.plain import json_text
from impact_trials.trial import Value

Row = Mapping[str, Value]

# heading, key of the summary, factor, decimals; widths follow from the contents
TABLE: tuple[tuple[str, str, float, int], ...] = (
    ("n", "trials", 1.0, 0),
    ("asked m/s", "speed_reference_mps", 1.0, 2),
    ("contact", "contact_speed_mean_mps", 1.0, 4),
    ("peak N", "peak_force_mean_n", 1.0, 1),
    ("impulse N.s", "normal_impulse_mean_ns", 1.0, 3),
    ("detected ms", "detection_delay_median_s", 1e3, 2),
    ("worst", "detection_delay_worst_s", 1e3, 2),
    ("missed", "missed", 1.0, 0),
    ("false", "false_detections", 1.0, 0),
    ("by torque ms", "torque_error_delay_median_s", 1e3, 2),
    ("worst", "torque_error_delay_worst_s", 1e3, 2),
    ("missed", "torque_error_missed", 1.0, 0),
    ("false", "torque_error_false_detections", 1.0, 0),
)
CAPTION = """\
detected: median and worst time from the touch to the verdict that the controller gets; by torque:
to that of the published detector of torque errors, at the scenario's threshold.
"""


def summary(rows: Sequence[Row]) -> list[dict[str, Value]]:
    """Return one entry per scenario and reference speed, None for what does not apply."""
    keys = dict.fromkeys((row["scenario"], row["speed_reference_mps"]) for row in rows)
    return [
        _entry([r for r in rows if (r["scenario"], r["speed_reference_mps"]) == key])
        for key in keys
    ]


def _entry(rows: Sequence[Row]) -> dict[str, Value]:
    """Sum up trials of one kind; an impact that was missed is no part of force and impulse.

    A controller that has missed the impact goes on pushing, and its first contact does not end.
    """
    hits = [row for row in rows if row["impact_time_s"] is not None]
    found = [row for row in hits if row["detection_time_s"] is not None]
    return {
        "scenario": rows[0]["scenario"],
        "speed_reference_mps": rows[0]["speed_reference_mps"],
        "trials": len(rows),
        "duration_s": sum(_numbers(rows, "duration_s")),
        "contact_speed_mean_mps": _mean(_numbers(hits, "contact_speed_mps")),
        "peak_force_mean_n": _mean(_numbers(found, "peak_force_n")),
        "normal_impulse_mean_ns": _mean(_numbers(found, "normal_impulse_ns")),
        **_delays(hits, "detection_delay", "missed"),
        "false_detections": int(sum(_numbers(rows, "false_detections"))),
        **_delays(hits, "torque_error_delay", "torque_error_missed"),
        "torque_error_false_detections": int(sum(_numbers(rows, "torque_error_false_detections"))),
    }


def _delays(hits: Sequence[Row], key: str, missed: str) -> dict[str, Value]:
    """Return median and worst delay of a detector, and how many impacts it missed."""
    delays = _numbers(hits, f"{key}_s")
    return {
        f"{key}_median_s": median(delays) if delays else None,
        f"{key}_worst_s": max(delays, default=None),
        missed: len(hits) - len(delays),
    }


def _numbers(rows: Iterable[Row], key: str) -> list[float]:
    """Return the values that are known."""
    return [float(value) for row in rows if (value := row[key]) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def as_text(rows: Sequence[Row]) -> str:
    """Return the summary as a table."""
    lines = [["scenario", *(heading for heading, *_ in TABLE)]]
    for entry in summary(rows):
        cells = [_cell(entry[key], factor, digits) for _, key, factor, digits in TABLE]
        lines.append([str(entry["scenario"]), *cells])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = [
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    ]
    rule = "-" * len(texts[0])
    return "\n".join([texts[0], rule, *texts[1:], rule, CAPTION])


def _cell(value: Value, factor: float, digits: int) -> str:
    return f"{value * factor:.{digits}f}" if isinstance(value, int | float) else "-"


def as_json(rows: Sequence[Row], folder: Path | None) -> str:
    """Return one JSON document: every trial, the summary, and where the recordings are."""
    where = None if folder is None else str(folder)
    document = {"trials": list(rows), "summary": summary(rows), "output_dir": where}
    return json_text(document)
