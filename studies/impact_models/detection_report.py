# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of the study of detection: its row (H8) and its table."""

from __future__ import annotations

import numpy as np

from impact_analysis.present.table import Table, texts
from studies.impact_models.detection_delay import (
    LAWS,
    TRANSPORT,
    DelayedDetection,
)
from studies.row import Row, judged

PUBLISHED = (3e-3, 5e-3)  # iim.detect.delay of parameters.csv, written there as 0.003-0.005 [s]


def row(detections: list[DelayedDetection]) -> Row:
    """Return the row H8; the median over both contact laws decides."""
    delays = {law: np.array([d.delay for d in detections if d.law == law]) for law in LAWS}
    every = np.concatenate(list(delays.values()))
    clean = bool(np.all(every > 0.0))  # neither missed (NaN) nor before the contact
    median = float(np.median(every))
    within = int(np.sum((every >= PUBLISHED[0]) & (every <= PUBLISHED[1])))
    return judged(
        "H8",
        ours=f"{_text(every)} ({'; '.join(f'{k}: {_text(v)}' for k, v in delays.items())})",
        difference=f"{within}/{len(every)} within 3-5 ms; {'none' if clean else 'SOME'} missed"
        " or false",
        holds=clean and PUBLISHED[0] <= median <= PUBLISHED[1],
        note="three configurations, five speeds, velocity interface, sensor noise, one cycle of"
        f" transport ({TRANSPORT * 1e3:g} ms); the contact law is not published: one k/c fits the"
        " published restitution, the other the durations."
        " Faster and harder impacts are found earlier",
        figures={"median_delay_s": median, "impacts": len(every), "within_published": within}
        | {"shortest_delay_s": float(every.min()), "longest_delay_s": float(every.max())},
    )


def study(detections: list[DelayedDetection]) -> Table:
    """Return the table of impacts, a line a configuration and a column a speed."""
    speeds = sorted({item.speed for item in detections})
    lines: dict[tuple[str, str], list[str]] = {}
    for item in sorted(detections, key=lambda item: item.speed):
        delay = f"{item.delay * 1e3:.1f}"
        lines.setdefault((item.law, item.configuration), []).append(delay)
    return Table(
        "detection_delay",
        "Delay of the detection after the contact [ms] at each speed [m/s]",
        texts("contact", "configuration", *(f"{speed:g}" for speed in speeds)),
        [(*key, *lines[key]) for key in sorted(lines)],
        [
            {
                "configuration": item.configuration,
                "contact_stiffness_npm": LAWS[item.law].stiffness,
                "contact_damping_nspm2": LAWS[item.law].damping,
                "commanded_speed_mps": item.speed,
                "threshold_nm": item.threshold,
                "delay_s": item.delay,
            }
            for item in detections
        ],
    )


def _text(delays: np.ndarray) -> str:
    """Return range and median of delays [s] as text."""
    low, middle, high = np.percentile(delays * 1e3, [0, 50, 100])
    return f"{low:.1f}-{high:.1f} ms, median {middle:.1f}"
