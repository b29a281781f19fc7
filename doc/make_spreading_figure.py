# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws doc/figures/spread_references.png: a push's two references, and four modes' feedback.

Example:
    ./impact shell -- python doc/make_spreading_figure.py
"""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from impact_analysis.demo.spreading_evaluation import MODES
from impact_qp.arms.plans import SpreadChoice
from impact_qp.spreading import Variant
from impact_sim.cell.spreading_file import load_spreading
from impact_trials.in_process.spreading_trial import SpreadingRun, spread

FILE = Path(__file__).with_name("figures") / "spread_references.png"
SCENARIO = "rs_push_catfood_case2"
SHOWN = (-60.0, 200.0)  # about the touch [ms]
COLORS = {
    "rs": "tab:blue",
    "no_gamma": "tab:green",
    "timed": "tab:orange",
    "continuous": "tab:red",
    "time_invariant": "tab:purple",
}


def since_touch(run: SpreadingRun) -> np.ndarray:
    """Return the times of the cycles [ms]."""
    touch = run.log.plant.first_contact_time
    assert touch is not None
    return 1e3 * (np.array(run.log.times) - touch)


def draw_references(axes: plt.Axes, run: SpreadingRun) -> None:
    """Draw velocities along the push: both references, what is asked for, what is measured."""
    (answers,), t = run.answers, since_touch(run)
    reference = answers.controller.plan.reference
    for name, each, style in (
        ("ante-impact reference", reference.ante, ":"),
        ("post-impact reference", reference.post, "--"),
    ):
        speeds = [-each(time).velocity[1] for time in run.log.times]
        axes.plot(t, speeds, style, color="tab:gray" if style == ":" else "tab:green", label=name)
    commands = answers.commands
    asked = [-command.reference.velocity[1] for command in commands]
    axes.plot(t, asked, color="tab:orange", label="asked for")
    axes.plot(t, [-command.velocity[1] for command in commands], color="tab:blue", label="measured")
    axes.set(ylabel="velocity along the push [m/s]", ylim=(0.40, 0.75))


def draw_feedback(axes: plt.Axes, runs: dict[str, SpreadingRun]) -> None:
    """Draw the feedback along the push in each mode."""
    for name, run in runs.items():
        feedback = [-command.feedback[1] for command in run.answers[0].commands]
        axes.plot(since_touch(run), feedback, color=COLORS[name], label=name)
    axes.set(ylabel="feedback along the push [m/s²]")


def main() -> None:
    """Run the scenario in four modes and draw."""
    scenario = load_spreading(SCENARIO)
    runs = {name: spread(scenario, 0, SpreadChoice(Variant(name))) for name in MODES}
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
    draw_references(left, runs["rs"])
    draw_feedback(right, runs)
    for axes, corner in ((left, "lower right"), (right, "upper right")):
        axes.axvline(0.0, color="tab:gray", linewidth=0.8)
        axes.set(xlabel="time since the touch [ms]", xlim=SHOWN)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc=corner)
    figure.savefig(FILE, dpi=110)


if __name__ == "__main__":
    main()
