# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The pictures of a humanoid's grabs, one panel per mode."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from impact_analysis.demo.grab_evaluation import GrabRun, palm_speeds
from impact_analysis.demo.plots import COLOURS, STYLE
from impact_analysis.picture import save_as
from impact_qp.body.pair import SIDES
from impact_sim.humanoid.plant import STEP
from impact_trials.grab.haste import PLANNED

OF_MODE = COLOURS | {PLANNED: "#1f5fa8"}
LINES = ("-", "--")  # of the left and the right palm
Runs = Sequence[GrabRun]


def write_grab_plots(runs: Runs, folder: Path) -> list[Path]:
    """Draw all pictures into a folder and return their paths."""
    pictures = {"palm_speeds": _speeds, "palm_forces": _forces, "zmp_margin": _margins}
    paths = [folder / f"{name}.png" for name in pictures]
    with plt.rc_context(STYLE):
        for path, draw in zip(paths, pictures.values(), strict=True):
            save_as(draw(runs), path, bbox_inches="tight")
    return paths


def _speeds(runs: Runs) -> Figure:
    """Speeds of both palms up to the first contact, and the bound of the controller."""
    figure, panels = _panels(runs)
    for axes, run in zip(panels, runs, strict=True):
        mode, cycles = run.evaluation.mode, run.approach()
        time = 1e3 * (np.array([cycle.time for cycle in cycles]) - run.touch)
        bounds = np.array([cycle.said.bound for cycle in cycles])
        bounds[~np.isfinite(bounds)] = np.nan
        for speed, line, palm in zip(palm_speeds(run).T, LINES, ("left", "right"), strict=True):
            axes.plot(time, speed, line, color=OF_MODE[mode], label=f"{palm} palm")
        axes.plot(time, bounds, ":", color="black", lw=1.2, label="bound in the controller")
        robust = min(palm.bound for palm in run.evaluation.outcome.boxes[0].palms)
        axes.plot(0.0, robust, "k_", ms=14, mew=2.0, label="robust bound at contact")
        axes.set(title=f"{mode}, asked for {run.evaluation.asked:g} m/s")
        axes.set_xlabel("time to the first contact [ms]")
    panels[0].set(ylabel="speed towards the box [m/s]", ylim=(0, None))
    _legend(figure, panels[0])
    return figure


def _forces(runs: Runs) -> Figure:
    """Forces on both palms along the normal, after the first contact."""
    figure, panels = _panels(runs)
    for axes, run in zip(panels, runs, strict=True):
        mode = run.evaluation.mode
        contacts = zip(run.truths, LINES, SIDES, ("left", "right"), strict=True)
        for truth, line, side, palm in contacts:
            if truth is not None:
                force = side * np.array(truth.forces)[:, 1]
                time = truth.time - run.touch + STEP * np.arange(1, len(force) + 1)
                axes.plot(1e3 * time, force, line, color=OF_MODE[mode], label=f"{palm} palm")
        worst = max(palm.wrist_load for palm in run.evaluation.outcome.boxes[0].palms)
        axes.set_title(f"{mode}: wrist {worst:.2f} of its limit")
        axes.set(xlabel="time after first contact [ms]", xlim=(0, 60))
    panels[0].set(ylabel="force on a palm [N]", ylim=(0, None))
    _legend(figure, panels[0])
    return figure


def _margins(runs: Runs) -> Figure:
    """The zero-moment point's margin over the whole trial."""
    figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
    for run in runs:
        mode = run.evaluation.mode
        time = np.array([cycle.time for cycle in run.cycles]) - run.touch
        margin = 1e3 * np.array([cycle.margin for cycle in run.cycles])
        axes.plot(time, margin, color=OF_MODE[mode], lw=1.0, label=mode)
    axes.axvline(0.0, color="black", ls="--", lw=0.8, label="first contact")
    axes.axhline(0.0, color="black", lw=0.8)
    axes.set(
        title="How far the zero-moment point is within the soles (0: on their edge)",
        xlabel="time after first contact [s]",
        ylabel="margin [mm]",
    )
    _legend(figure, axes)
    return figure


def _panels(runs: Runs) -> tuple[Figure, np.ndarray]:
    """Return a figure with a panel a mode, of equal height."""
    size = 3.4 * len(runs), 3.8
    figure, panels = plt.subplots(
        1, len(runs), figsize=size, sharey=True, squeeze=False, layout="constrained"
    )
    return figure, panels[0]


def _legend(figure: Figure, axes: Axes) -> None:
    """Add one legend below the panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
