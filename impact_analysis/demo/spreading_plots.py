# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The pictures of reference spreading's modes, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from impact_analysis.demo.plots import STYLE
from impact_analysis.demo.spreading_evaluation import MODES, SpreadingEvaluation, feedback_of
from impact_analysis.picture import save_as
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_trials.in_process.spreading_trial import SpreadingRun
from impact_trials.truth.spread_figures import AFTER

COLOURS = {
    "rs": "#1f5fa8",
    "no_gamma": "#2a7f62",
    "timed": "#dd8452",
    "continuous": "#c44e52",
    "time_invariant": "#8172b3",
}
# lines of equal modes stay visible
LINES = {"rs": "-", "no_gamma": "-", "timed": "--", "continuous": "-", "time_invariant": "-"}
WIDTHS = {"rs": 2.8, "no_gamma": 1.2, "timed": 1.2, "continuous": 1.2, "time_invariant": 1.2}
BEFORE = 0.05  # start of the pictures before the first contact [s]
NEAR = (-0.005, 0.045)  # enlarged interval around contact [s]
_GRID: Any = {"squeeze": False, "layout": "constrained"}
Runs = Sequence[tuple[SpreadingRun, SpreadingEvaluation]]


def write_spreading_plots(scenario: SpreadingScenario, runs: Runs, folder: Path) -> list[Path]:
    """Draw all pictures into a folder and return their paths."""
    pictures = {
        "feedback": _feedback(scenario, runs),
        "joint_torques": _torques(runs),
        "box": _pushed(scenario, runs) if scenario.kind == "push" else _grabbed(runs),
    }
    paths = [folder / f"{name}.png" for name in pictures]
    for path, figure in zip(paths, pictures.values(), strict=True):
        save_as(figure, path, bbox_inches="tight")
    return paths


def _feedback(scenario: SpreadingScenario, runs: Runs) -> Figure:
    """Feedback along the approach, a row per arm: whole window, and around the contact."""
    names = [f"{name}: " if name else "" for name in scenario.arm_names]
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(
            len(names), 2, figsize=(10, 1.2 + 2.7 * len(names)), sharey="row", **_GRID
        )
        for arm, row in enumerate(panels):
            into = scenario.direction(arm)
            for axes, window in zip(row, ((-BEFORE, AFTER), NEAR), strict=True):
                for run, e in runs:
                    _curve(axes, run, e, feedback_of(run)[:, arm] @ into, window)
                    _mark_touch(axes, run, e, arm, window)
            row[0].set_ylabel(f"{names[arm]}feedback [m/s$^2$]")
        figure.suptitle("Acceleration by feedback, along the approach")
        _finish(figure, panels[-1])
    return figure


def _torques(runs: Runs) -> Figure:
    """Size of the sensed torques of every joint, of two arms the larger one."""
    count = len(runs[0][1].peak_joint_torque)
    columns = (count + 2) // 2
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(2, columns, figsize=(3.0 * columns, 5.6), **_GRID)
        for joint, axes in zip(range(count), panels.flat, strict=False):
            for run, e in runs:
                sizes = np.abs(np.array(run.log.torques)[:, :, joint]).max(axis=1)
                _curve(axes, run, e, sizes, (-BEFORE, AFTER))
            axes.set_title(f"joint {joint + 1}", fontsize=10)
            axes.set_ylim(0, None)
        for axes in panels.flat[count:]:
            axes.axis("off")
        arms = " (the larger one of both arms)" if len(runs[0][0].answers) > 1 else ""
        figure.suptitle(f"Magnitude of the measured joint torques{arms}")
        figure.supylabel("torque [N.m]")
        _finish(figure, panels.flat[count - columns : count])
    return figure


def _pushed(scenario: SpreadingScenario, runs: Runs) -> Figure:
    """Path and speed of a pushed box; the plate's speed is dotted."""
    into = scenario.direction(0)
    with plt.rc_context(STYLE):
        figure, (way, speed) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        for run, e in runs:
            moved = np.array([box.position - run.log.boxes[0].position for box in run.log.boxes])
            _curve(way, run, e, 1e3 * moved @ into, (-BEFORE, AFTER))
            velocity = np.array([box.velocity for box in run.log.boxes])
            _curve(speed, run, e, velocity @ into, (-BEFORE, AFTER))
            plate = np.array([command.velocity for command in run.answers[0].commands])
            _curve(speed, run, e, plate @ into, (-BEFORE, AFTER), dotted=True)
        way.set(title="Path of the box along the push", ylabel="path [mm]")
        speed.set(title="Speed of the box, dotted: of the plate", ylabel="speed [m/s]")
        _finish(figure, (way, speed))
    return figure


def _grabbed(runs: Runs) -> Figure:
    """Lift and tilt of a box between two arms."""
    with plt.rc_context(STYLE):
        figure, (lift, tilt) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        for run, e in runs:
            heights = np.array([box.position[2] for box in run.log.boxes])
            end = run.log.times[-1] - e.touch
            _curve(lift, run, e, 1e3 * (heights - heights[0]), (-BEFORE, end))
            _curve(tilt, run, e, np.degrees(run.log.tilts), (-BEFORE, end))
        lift.set(title="Lift of the box", ylabel="lift [mm]")
        tilt.set(title="Tilt of the box", ylabel="tilt [deg]")
        _finish(figure, (lift, tilt))
    return figure


def _curve(
    axes: Axes,
    run: SpreadingRun,
    e: SpreadingEvaluation,
    values: np.ndarray,
    window: tuple[float, float],
    *,
    dotted: bool = False,
) -> None:
    """Draw values of every cycle within a window around the first contact."""
    time = np.array(run.log.times) - e.touch
    shown = (time >= window[0]) & (time <= window[1])
    look: dict[str, Any] = {
        "color": COLOURS[e.mode],
        "lw": WIDTHS[e.mode],
        "ls": LINES[e.mode],
        "label": e.mode,
    }
    if dotted:
        look |= {"ls": ":", "label": ""}
    axes.plot(1e3 * time[shown], values[shown], **look)


def _mark_touch(
    axes: Axes, run: SpreadingRun, e: SpreadingEvaluation, arm: int, window: tuple[float, float]
) -> None:
    """Mark an arm's contact time, once: it hardly depends on the mode."""
    touch = run.log.plant.plates[arm].contact_start
    if e.mode == MODES[-1] and touch is not None and touch.time - e.touch <= window[1]:
        axes.axvline(1e3 * (touch.time - e.touch), color="black", ls="--", lw=0.8, label="touch")


def _finish(figure: Figure, lowest: Iterable[Axes]) -> None:
    """Label the time axes and add one legend below the panels."""
    for axes in lowest:
        axes.set_xlabel("time after first contact [ms]")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
