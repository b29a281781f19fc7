# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The picture of a nail that is driven: depth, speed and load over the strikes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt

from impact_analysis.demo.plots import STYLE
from impact_analysis.picture import save_as
from impact_analysis.strikes.driven_nail import DrivenNail

COLOURS = ("#8c8c8c", "#c44e52", "#1f5fa8", "#2a7f62")
RED = "#c44e52"


def draw_nails(runs: Sequence[DrivenNail], path: Path) -> None:
    """Draw runs into a file.

    Raises:
        WriteError: it cannot be written.
    """
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
        for run, colour in zip(runs, COLOURS, strict=False):
            number, line = np.arange(1, run.count + 1), {"color": colour, "label": run.controller}
            depths = 1e3 * np.append(0.0, run.depths)
            panels[0].plot(np.arange(run.count + 1), depths, "o-", ms=3, **line)
            for axes, values in zip(panels[1:], (run.speeds, run.loads), strict=True):
                shown = [np.nan if each is None else each for each in values]
                axes.plot(number, shown, "o-", ms=3, **line)
        nail = runs[0].run.world.target.nail
        if nail is not None and nail.depth is not None:
            panels[0].axhline(1e3 * nail.depth, color="black", lw=0.8, ls="--")
        panels[2].axhline(1.0, color=RED, lw=1.2)
        titles = "nail driven [mm]", "speed of the head [m/s]", "load over its limit"
        for axes, title in zip(panels, titles, strict=True):
            axes.set(title=title, xlabel="strike", ylim=(0, None))
        panels[0].legend(fontsize=8)
    save_as(figure, path, bbox_inches="tight")
