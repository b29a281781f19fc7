# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Summary of trials by scenario and reference speed, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

from impact_analysis.present.plain import json_text
from impact_analysis.present.table import Column, Table, closed_table
from impact_trials.trial import Value

Row = Mapping[str, Value]

COLUMNS = (
    Column("scenario", "scenario"),
    Column("trials", "n"),
    Column("speed_reference_mps", "asked m/s", ".2f"),
    Column("contact_speed_mean_mps", "contact", ".4f"),
    Column("peak_force_mean_n", "peak N", ".1f"),
    Column("normal_impulse_mean_ns", "impulse N.s", ".3f"),
    Column("detection_delay_median_s", "detected ms", ".2f", factor=1e3),
    Column("detection_delay_worst_s", "worst", ".2f", factor=1e3),
    Column("missed", "missed"),
    Column("false_detections", "false"),
    Column("torque_error_delay_median_s", "by torque ms", ".2f", factor=1e3),
    Column("torque_error_delay_worst_s", "worst", ".2f", factor=1e3),
    Column("torque_error_missed", "missed"),
    Column("torque_error_false_detections", "false"),
)
CAPTION = """\
detected: median and largest time from contact to the detection status sent to the controller;
by torque: to the detection of the published torque-error detector, at the scenario's threshold.
"""


def summary(rows: Sequence[Row]) -> list[dict[str, Value]]:
    """Return one entry per scenario and reference speed, None where not applicable."""
    keys = dict.fromkeys((row["scenario"], row["speed_reference_mps"]) for row in rows)
    return [
        _entry([r for r in rows if (r["scenario"], r["speed_reference_mps"]) == key])
        for key in keys
    ]


def _entry(rows: Sequence[Row]) -> dict[str, Value]:
    """Summarize trials of one kind; force and impulse leave out missed impacts.

    A controller that misses the impact continues to push, so its first contact does not end.
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
    """Return median and largest delay of a detector, and the number of missed impacts."""
    delays = _numbers(hits, f"{key}_s")
    return {
        f"{key}_median_s": median(delays) if delays else None,
        f"{key}_worst_s": max(delays, default=None),
        missed: len(hits) - len(delays),
    }


def _numbers(rows: Iterable[Row], key: str) -> list[float]:
    """Return the values that are not None."""
    return [float(value) for row in rows if (value := row[key]) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def as_text(rows: Sequence[Row]) -> str:
    """Return the summary as a table."""
    table = Table("summary", "", COLUMNS, summary(rows))
    return "\n".join([closed_table([table.head, *table.cells]), CAPTION])


def as_json(rows: Sequence[Row], folder: Path | None) -> str:
    """Return one JSON document: every trial, the summary, and where the recordings are."""
    where = None if folder is None else str(folder)
    document = {"trials": list(rows), "summary": summary(rows), "output_dir": where}
    return json_text(document)
