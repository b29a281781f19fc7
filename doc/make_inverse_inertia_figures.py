# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws what each inverse inertia says at many poses of a Panda in front of a wall.

Run with ``./impact shell -- python doc/make_inverse_inertia_figures.py``; prints the numbers that
the pages of doc/models quote.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from impact_predictor import INVERSE_INERTIAS, named_inverse_inertia
from impact_predictor.inertia.approximation import approximate_to_exact_ratio
from impact_predictor.inertia.inverse_inertia import effective_mass, generalized_momentum
from impact_robots import ArmDynamics, contact_rotation, load_robot
from studies.wall_configurations import NORMAL, draw, wall_configurations

FIGURES = Path(__file__).parent / "figures"
POSES, SEED, SPEED = 2000, 0, 0.12
ROBOT, WALL = load_robot("panda"), contact_rotation(NORMAL)
DYNAMICS = ArmDynamics(ROBOT)


def masses(q: np.ndarray) -> dict[str, float]:
    """Return e_a, the mass of M + B_theta and the mass by every model at one pose."""
    still = DYNAMICS(q, np.zeros(7))
    dq = np.linalg.pinv(still.J) @ np.append(-SPEED * NORMAL, np.zeros(3))
    state = DYNAMICS(q, dq)
    found = {
        name: named_inverse_inertia(state, WALL, name).effective_mass for name in INVERSE_INERTIAS
    }
    motors = generalized_momentum(state, WALL, ROBOT.apparent_motor_inertia)
    found["M+B_theta"] = effective_mass(motors)
    found["e_a"] = approximate_to_exact_ratio(state, WALL)
    return found


def table(poses: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Return the columns of :func:`masses` over the poses."""
    rows = [masses(q) for q in poses]
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def draw_model(name: str, many: dict[str, np.ndarray], named: dict[str, np.ndarray]) -> None:
    """Draw one model beside M + B_theta."""
    figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    axes.scatter(many["e_a"], many[name] / many["M+B_theta"], s=4, alpha=0.2, color="tab:blue")
    for i, (label, marker) in enumerate(zip(NAMES, "os^D", strict=True)):
        ratio = named[name][i] / named["M+B_theta"][i]
        style = {"color": "tab:red", "edgecolor": "white", "zorder": 3}
        axes.scatter(named["e_a"][i], ratio, s=60, marker=marker, label=label, **style)
    axes.legend(fontsize=8, loc="upper left", title="worked cases", title_fontsize=8)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.axvspan(0.85, 1.25, color="tab:green", alpha=0.08)
    axes.set(
        xlim=(0.2, 1.25),
        ylim=(0.15, 15.0),
        yscale="log",
        xlabel="approximate-to-exact ratio e_a [-]",
        ylabel=f"mass by {name} / mass by M+B_theta [-]",
    )
    axes.set_yticks([0.2, 0.5, 1, 2, 5, 10], ["0.2", "0.5", "1", "2", "5", "10"])
    axes.set_title(f"{name}: a Panda in front of a wall, {POSES} poses", fontsize=10)
    figure.savefig(FIGURES / f"inverse_inertia_{name}.png", dpi=150)
    plt.close(figure)


def report(many: dict[str, np.ndarray]) -> None:
    """Print what the pages quote."""
    rigid = many["e_a"] > 0.85
    print(
        "e_a 5, 50, 95 %:", np.percentile(many["e_a"], [5, 50, 95]).round(2), "above", rigid.mean()
    )
    for name in INVERSE_INERTIAS:
        ratio = many[name] / many["M+B_theta"]
        spread = np.percentile(ratio, [5, 50, 95]).round(2)
        near = np.percentile(ratio[rigid], [5, 50, 95]).round(2)
        print(f"{name}: over m(M+B_theta) 5, 50, 95 %: {spread}; where e_a > 0.85: {near}")
    print("crb > gm:", np.mean(many["crb"] > many["gm"]).round(3))
    ordered = (many["em"] > many["crb"]) & (many["crb"] > many["gm"])
    close = rigid & (many["e_a"] < 1)
    print("em > crb > gm:", ordered.mean().round(3), "where .85 < e_a < 1:", ordered[close].mean())


configurations = wall_configurations(ROBOT, 4, SEED)
NAMES = [each.name for each in configurations]
if __name__ == "__main__":
    drawn = table(draw(ROBOT, POSES, SEED))
    chosen = table([each.q for each in configurations])
    for model in INVERSE_INERTIAS:
        draw_model(model, drawn, chosen)
    report(drawn)
