# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Scores of detectors: a table, JSON, and a plot of detection rate over false alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.detection.score import SOON, DetectorScore, JudgedTrial, operating_points, rms
from impact_analysis.picture import save
from impact_analysis.present.number import number
from impact_analysis.present.plain import json_text
from impact_analysis.present.table import closed_table

# Published results of the torque-error detector (Wang 2022, VI; Wang 2023, 6.1.1).
PUBLISHED_DELAY = "3-6"  # [ms]
_HEAD = (
    *("detector", "trials", "found", "false/h", "delay: median", "95 %", "worst [ms]"),
    *("touch [ms]", "gross [deg/s]", "impulse [%]"),
)


def score_text(scores: Sequence[DetectorScore]) -> str:
    """Return the table; errors are root mean squares."""
    published = (
        f"published for torque errors: {PUBLISHED_DELAY} ms, 150 of 150 and 20 of 20 impacts found"
    )
    return f"{closed_table([_HEAD, *map(_row, scores)])}\n{published}"


def _row(score: DetectorScore) -> list[str]:
    """Return one line of the table."""
    delays = 1e3 * np.array(score.delays)
    late = (np.median(delays), *np.percentile(delays, (95, 100))) if len(delays) else (np.nan,) * 3
    found = f"{score.found}/{score.hits}" if score.hits else "-"
    return [
        *(score.detector, score.kind, found, number(score.false_per_hour, ".1f")),
        *(number(float(value), ".2f") for value in late),
        number(rms(score.time_errors), ".2f", 1e3),
        number(float(np.degrees(rms(score.velocity_errors))), ".2f"),
        number(rms(score.impulse_errors), ".1f", 100.0),
    ]


def score_json(
    scores: Sequence[DetectorScore], results: Mapping[str, Sequence[JudgedTrial]]
) -> str:
    """Return one JSON document."""
    document = {
        "scores": [_document(score) for score in scores],
        "operating_points": {
            name: [
                {"threshold": t, "detection_rate_within_2_ms": rate, "false_alarms_per_hour": false}
                for t, (rate, false) in zip(
                    thresholds(found), operating_points(found, thresholds(found)), strict=True
                )
            ]
            for name, found in results.items()
        },
    }
    return json_text(document)


def _document(score: DetectorScore) -> dict[str, Any]:
    delays = score.delays or [float("nan")]
    return {
        "detector": score.detector,
        "trials": score.kind,
        "impacts": score.hits,
        "found": score.found,
        "detection_rate": score.rate,
        "false_alarms": score.false_alarms,
        "watched_s": score.watched,
        "false_alarms_per_hour": score.false_per_hour,
        "delay_median_s": float(np.median(delays)),
        "delay_95_s": float(np.percentile(delays, 95)),
        "delay_worst_s": max(delays),
        "impact_time_error_rms_s": rms(score.time_errors),
        "gross_velocity_error_rms_radps": rms(score.velocity_errors),
        "normal_impulse_error_rms": rms(score.impulse_errors),
    }


def thresholds(results: Sequence[JudgedTrial], count: int = 40) -> list[float]:
    """Return thresholds from the median statistic without impact to above the largest one."""
    known = np.concatenate([result.statistics for result in results] or [np.array([1.0])])
    known = known[known > 0.0] if np.any(known > 0.0) else np.array([1.0])
    return np.geomspace(np.median(known), 1.2 * known.max(), count).tolist()


def draw(results: Mapping[str, Sequence[JudgedTrial]], path: Path) -> None:
    """Draw detection rate against false alarms as the threshold moves.

    Raises:
        AnalysisError: the picture cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for name, found in results.items():
        points = np.array(operating_points(found, thresholds(found)))
        axes.plot(np.maximum(points[:, 1], 0.1), 100 * points[:, 0], ".-", label=name)
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set(
        xlabel="false alarms per hour without impact (0.1: none)",
        ylabel=f"impacts found within {1e3 * SOON:g} ms [%]",
        title="each point a threshold",
    )
    axes.grid(alpha=0.3)
    axes.legend()
    save(figure, path, dpi=150)
