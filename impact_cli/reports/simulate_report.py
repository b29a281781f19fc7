# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Summary of trials by scenario and reference speed, as a table and as JSON."""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from impact_analysis.present.plain import json_text
from impact_analysis.present.table import Column, Table, closed_table
from impact_trials.trial import Value

Row = Mapping[str, Value]
Numbers = Mapping[str, Sequence[float]]

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


_NUMBERS = (
    *("impact_time_s", "detection_time_s", "duration_s", "contact_speed_mps", "peak_force_n"),
    *("normal_impulse_ns", "detection_delay_s", "false_detections"),
    *("torque_error_delay_s", "torque_error_false_detections"),
)


def summary(rows: Iterable[Row]) -> list[dict[str, Value]]:
    """Return one entry per scenario and reference speed, None where not applicable.

    Of each row a few numbers are kept, so rows may come from files that do not fit into memory.
    """
    groups: dict[tuple[Value, Value], dict[str, array[float]]] = {}
    for row in rows:
        key = row["scenario"], row["speed_reference_mps"]
        numbers = groups.setdefault(key, {name: array("d") for name in _NUMBERS})
        for name, kept in numbers.items():
            value = row[name]
            kept.append(math.nan if value is None else float(value))
    return [_entry(*key, numbers) for key, numbers in groups.items()]


def _entry(scenario: Value, speed: Value, all_of: Numbers) -> dict[str, Value]:
    """Summarize trials of one kind; force and impulse leave out missed impacts.

    A controller that misses the impact continues to push, so its first contact does not end.
    """
    hits = _where(all_of, "impact_time_s")
    found = _where(hits, "detection_time_s")
    return {
        "scenario": scenario,
        "speed_reference_mps": speed,
        "trials": len(all_of["duration_s"]),
        "duration_s": sum(_known(all_of["duration_s"])),
        "contact_speed_mean_mps": _mean(_known(hits["contact_speed_mps"])),
        "peak_force_mean_n": _mean(_known(found["peak_force_n"])),
        "normal_impulse_mean_ns": _mean(_known(found["normal_impulse_ns"])),
        **_delays(hits, "detection_delay", "missed"),
        "false_detections": int(sum(_known(all_of["false_detections"]))),
        **_delays(hits, "torque_error_delay", "torque_error_missed"),
        "torque_error_false_detections": int(sum(_known(all_of["torque_error_false_detections"]))),
    }


def _delays(hits: Numbers, key: str, missed: str) -> dict[str, Value]:
    """Return median and largest delay of a detector, and the number of missed impacts."""
    delays = _known(hits[f"{key}_s"])
    return {
        f"{key}_median_s": median(delays) if delays else None,
        f"{key}_worst_s": max(delays, default=None),
        missed: len(hits[f"{key}_s"]) - len(delays),
    }


def _where(numbers: Numbers, name: str) -> Numbers:
    """Return the numbers of those trials that have a certain one."""
    has = [not math.isnan(value) for value in numbers[name]]
    return {
        key: array("d", itertools.compress(values, has))  # a quarter of a list's memory
        for key, values in numbers.items()
    }


def _known(values: Iterable[float]) -> Sequence[float]:
    """Return the values that are known."""
    return array("d", (value for value in values if not math.isnan(value)))


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def as_text(rows: Iterable[Row]) -> str:
    """Return the summary as a table."""
    table = Table("summary", "", COLUMNS, summary(rows))
    return "\n".join([closed_table([table.head, *table.cells]), CAPTION])


def as_json(rows: Iterable[Row], folder: Path | None, *, with_trials: bool = True) -> str:
    """Return one JSON document: every trial, the summary, and where the recordings are.

    Args:
        rows: of all trials.
        folder: of the recordings; None: there are none.
        with_trials: False: without every trial.
    """
    where = None if folder is None else str(folder)
    rows = list(rows) if with_trials else rows
    document: dict[str, Any] = {"trials": rows} if with_trials else {}
    document |= {"summary": summary(rows), "output_dir": where}
    return json_text(document)
