# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws doc/figures/ellipse_impacts.png: impact models against the impacts of an ellipse.

Usage: python doc/make_ellipse_figure.py DATASET
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from impact_analysis.planar.evaluate_run import baseline_scale, halves, spread
from impact_analysis.planar.planar_impact_file import PlanarImpactFile
from impact_analysis.planar.planar_impacts import PlanarImpacts
from impact_analysis.planar.planar_models import baseline, planar_models
from impact_analysis.planar.planar_momentum import inertia_ratio
from impact_analysis.planar.robust_fit import fit

TARGET = Path(__file__).with_name("figures") / "ellipse_impacts.png"
SHOWN = {"baseline": "0.45", "poisson": "tab:orange", "place": "tab:green", "direction": "tab:blue"}
COMPONENTS = (("vx", "m/s", 0.4), ("vy", "m/s", 0.6), ("w", "rad/s", 25.0))


def main(dataset: Path) -> None:
    """Fit on one half, draw the other."""
    known, unseen = halves(PlanarImpactFile(dataset).read().impacts, seed=0)
    simplest = baseline(inertia_ratio(known).ratio)
    simple = fit(simplest, known, spread(known))
    scale = baseline_scale(simplest, simple, known)
    models = {model.name: model for model in planar_models(known) if model.name in SHOWN}
    found = {name: fit(model, known, scale).parameters for name, model in models.items()}
    predicted = {name: models[name].predict(found[name], unseen) for name in models}
    errors = {"baseline": simplest.errors(simple.parameters, unseen)}
    errors |= {name: np.abs(velocity - unseen.after) for name, velocity in predicted.items()}

    figure, axes = plt.subplots(2, 3, figsize=(12, 7), layout="constrained")
    for i, component in enumerate(COMPONENTS):
        draw_errors(axes[0, i], {name: error[:, i] for name, error in errors.items()}, component)
    axes[0, 0].legend(loc="lower right")
    names = [item.name for item in models["place"].parameters]
    draw_restitution(axes[1, 0], unseen, dict(zip(names, found["place"], strict=True)))
    draw_slip(axes[1, 1], unseen, predicted["direction"])
    draw_spin(axes[1, 2], unseen, predicted["direction"])
    figure.suptitle(f"{len(unseen)} impacts of an ellipse; models fitted to {len(known)} others")
    figure.savefig(TARGET, dpi=110)


def draw_errors(ax: Axes, errors: dict[str, np.ndarray], component: tuple[str, str, float]) -> None:
    """Draw which share of the impacts has at most an error."""
    name, unit, end = component
    for model, error in errors.items():
        share = np.arange(1, len(error) + 1) / len(error)
        ax.plot(np.sort(error), share, color=SHOWN[model], label=model)
    ax.axhline(0.5, color="0.8", linewidth=0.8, zorder=0)
    ax.set(xlim=(0, end), ylim=(0, 1), xlabel=f"absolute error in {name} [{unit}]")
    ax.set_ylabel("share of impacts [-]")


def draw_restitution(ax: Axes, impacts: PlanarImpacts, values: dict[str, float]) -> None:
    """Draw Newton's restitution of each impact, and the fitted curve, over the place."""
    normal = [(impacts.normal * v).sum(axis=1) for v in (impacts.before, impacts.after)]
    ax.plot(impacts.place, -normal[1] / normal[0], ".", color="0.6", markersize=4)
    x = np.linspace(impacts.place.min(), impacts.place.max(), 200)
    away = (x - values["best_place_m"]) / values["half_width_m"]
    ax.plot(x, values["restitution"] / (1 + away**2), color=SHOWN["place"], label="place")
    ax.set(ylim=(0.2, 0.9), xlabel="place on the surface [m]", ylabel="restitution [-]")
    ax.legend(loc="upper right")


def draw_slip(ax: Axes, impacts: PlanarImpacts, predicted: np.ndarray) -> None:
    """Draw the slip after over the normal's lever."""
    for velocity, color, label in (
        (impacts.after, "0.6", "measured"),
        (predicted, "tab:blue", "direction"),
    ):
        slip = (impacts.tangent * velocity).sum(axis=1)
        ax.plot(impacts.normal[:, 2] * 1e3, slip, ".", color=color, markersize=4, label=label)
    ax.set(ylim=(-2, 2.5), xlabel="lever of the normal [mm]", ylabel="slip after [m/s]")
    ax.legend(loc="upper right")


def draw_spin(ax: Axes, impacts: PlanarImpacts, predicted: np.ndarray) -> None:
    """Draw measured against predicted angular velocity."""
    ax.axline((0, 0), slope=1, color="0.8", linewidth=0.8)
    ax.plot(predicted[:, 2], impacts.after[:, 2], ".", color="tab:blue", markersize=4)
    ax.set(xlim=(-80, 80), ylim=(-80, 80))
    ax.set(xlabel="predicted w after [rad/s]", ylabel="measured w after [rad/s]")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python doc/make_ellipse_figure.py DATASET")
    main(Path(sys.argv[1]))
