# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The picture of a learning arm: speeds and loads hit by hit, and the wall's estimate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from impact_analysis.demo.plots import STYLE
from impact_analysis.learning.learned_scenario import WallTruth
from impact_analysis.picture import save_as
from impact_predictor.learning.learning_box import LearningBox

BLUE, RED, GREY = "#1f5fa8", "#c44e52", "#8c8c8c"
_UNITS = {"stiffness": "stiffness [N/m]", "restitution": "restitution", "friction": "friction"}


def draw(entries: Sequence[dict[str, Any]], truth: WallTruth, box: LearningBox, path: Path) -> None:
    """Draw hits into a file.

    Args:
        entries: of :func:`hit_entry`, one a hit.
        truth: of the wall.
        box: as announced, whose ranges are the axes.
        path: of the picture.

    Raises:
        WriteError: it cannot be written.
    """
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(1, 5, figsize=(17, 3.4), layout="constrained")
        number = np.arange(1, len(entries) + 1)
        _speeds(panels[0], number, entries, truth)
        _loads(panels[1], number, entries)
        ends = np.column_stack([box.low[:3], box.high[:3]])
        ends[0] = np.exp(ends[0])
        for axes, (name, label), end in zip(panels[2:], _UNITS.items(), ends, strict=True):
            _posterior(axes, number, [entry["wall"][name] for entry in entries], end)
            axes.set_ylabel(label)
        panels[2].axhline(truth.stiffness, color=RED, lw=1.2)
        panels[3].plot(number, [_or_nan(e["true_restitution"]) for e in entries], color=RED, lw=1.2)
        panels[4].axhline(truth.friction, color=RED, lw=1.2)
        panels[2].set_yscale("log")
        panels[2].set_title("estimate of the wall: 3 standard deviations, truth", fontsize=10)
        for axes in panels:
            axes.set_xticks(number)
            axes.set_xlabel("hit")
    save_as(figure, path, bbox_inches="tight")


def _speeds(
    axes: Axes, number: np.ndarray, entries: Sequence[dict[str, Any]], truth: WallTruth
) -> None:
    """Draw safe speed, true speed, and the best speed with perfect knowledge."""
    safe = [entry["safe_speed_mps"] for entry in entries]
    came = [_or_nan(entry["contact_speed_mps"]) for entry in entries]
    axes.plot(number, safe, "--", color=BLUE, lw=1, label="found safe")
    axes.plot(number, came, "o", color=BLUE, label="hit at")
    axes.axhline(truth.best_speed, color=RED, lw=1.2, label="all known")
    axes.set(ylabel="approach speed [m/s]", ylim=(0, None), title="speed")
    axes.legend(fontsize=8)


def _loads(axes: Axes, number: np.ndarray, entries: Sequence[dict[str, Any]]) -> None:
    """Draw the largest load over its limit of all joints."""
    loads = [_or_nan(entry["load_over_limit"]) for entry in entries]
    axes.bar(number, loads, color=GREY, width=0.6)
    axes.axhline(1.0, color=RED, lw=1.2)
    axes.set(ylabel="of the limit", ylim=(0, 1.1), title="true load of the worst joint")


def _posterior(
    axes: Axes, number: np.ndarray, intervals: Sequence[Sequence[float]], ends: np.ndarray
) -> None:
    """Draw intervals, from the announced one on."""
    low, high = np.array([ends, *intervals]).T
    at = np.append(0, number)
    axes.fill_between(at, low, high, color=BLUE, alpha=0.25)
    axes.plot(at, low, color=BLUE, lw=1)
    axes.plot(at, high, color=BLUE, lw=1)


def _or_nan(value: float | None) -> float:
    """Return a number to draw; NaN: an approach ended before its hit."""
    return np.nan if value is None else value
