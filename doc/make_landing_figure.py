# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws doc/figures/landings.png: impact maps and simulations against Cassie's landings.

Usage: python doc/make_landing_figure.py cassie_landing_*.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from impact_analysis.landings.cassie_landing_file import read_cassie_landing
from impact_analysis.landings.landing_evaluation import LandingEvaluation, evaluate_landings
from impact_robots import load_robot

TARGET = Path(__file__).with_name("figures") / "landings.png"
BEST = "M+B_rho"
COLORS = {"motors": "tab:blue", "passive": "tab:orange"}
SIMULATIONS = (("M", "0.6", "s"), (BEST, "tab:blue", "o"))


def main(files: list[Path]) -> None:
    """Evaluate the landings and draw."""
    robot = load_robot("cassie")
    found = evaluate_landings([read_cassie_landing(file, robot) for file in files], robot)
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    draw_jumps(axes[0], found)
    draw_skills(axes[1], found)
    draw_losses(axes[2], found)
    figure.savefig(TARGET, dpi=110)


def draw_jumps(ax: Axes, found: LandingEvaluation) -> None:
    """Draw predicted over measured jumps of the best map."""
    passive = np.concatenate([jump.passive for jump in found.jumps])
    measured = np.concatenate([jump.measured for jump in found.jumps])
    predicted = np.concatenate([jump.predicted[BEST] for jump in found.jumps])
    end = np.abs(measured).max()
    ax.plot([-end, end], [-end, end], color="0.7", lw=1)
    for kind, chosen in (("motors", ~passive), ("passive", passive)):
        label = "joints with a motor" if kind == "motors" else "without"
        ax.plot(measured[chosen], predicted[chosen], ".", color=COLORS[kind], label=label)
    ax.set(xlabel="measured jump [rad/s]", ylabel=f"predicted, {BEST} [rad/s]")
    ax.legend()


def draw_skills(ax: Axes, found: LandingEvaluation) -> None:
    """Draw the skill of each map with its interval."""
    names, skills = list(found.skills), np.array([*found.skills.values()])
    low, high = np.array([found.intervals[name] for name in names]).T
    places = np.arange(len(names))[::-1]
    ax.barh(places, skills, xerr=[skills - low, high - skills], color="tab:blue", capsize=3)
    ax.set_yticks(places, names)
    ax.set(xlim=(0, 1), xlabel="skill for the velocity jumps")


def draw_losses(ax: Axes, found: LandingEvaluation) -> None:
    """Draw the loss of each landing's rigid simulations."""
    numbers = [result.landing.name.rsplit("_", 1)[-1].split(".")[0] for result in found.results]
    for inertia, color, marker in SIMULATIONS:
        losses = [result.losses["rigid"][inertia] for result in found.results]
        ax.semilogy(numbers, losses, marker, color=color, label=inertia)
    held = [result.held for result in found.results]
    ax.semilogy(numbers, held, "_", color="k", label="velocity held")
    ax.set(xlabel="landing", ylabel="loss, rigid floor, 50 ms", ylim=(10, 500))
    ax.set_yticks([10, 30, 100, 300], ["10", "30", "100", "300"])
    ax.tick_params(axis="x", labelsize=7)
    ax.legend(loc="lower center", ncols=3, fontsize=8)


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
