# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws friction laws, an impulse set and intervals for the pages of doc/models.

Run with ``./impact shell -- python doc/make_predictor_figures.py``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from scipy.spatial import ConvexHull

from impact_detector.estimators.gross_velocity import gross_velocity
from impact_predictor import impact_map, predict, velocity_interval
from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.sets.feasible_sets import impulse_set
from impact_robots import ArmDynamics, PointState, Surface, load_robot
from impact_sim.arm.passive_impact import passive_impact

FIGURES = Path(__file__).parent / "figures"
ROBOT, NORMAL = load_robot("panda"), np.array([-1.0, 0.0, 0.0])
ROUGH, DYNAMICS = Surface(None, NORMAL, 0.3), ArmDynamics(ROBOT)
WALL = ROUGH.rotation
Q = np.array([0.43, -0.61, 0.18, -2.16, 0.04, 3.13, -0.73])  # iim_cfg_1


def approach(velocity: list[float]) -> PointState:
    """Return the arm whose contact point has a velocity in contact axes [m/s]."""
    J = DYNAMICS(Q, np.zeros(7)).J
    return DYNAMICS(Q, np.linalg.pinv(J) @ np.append(WALL @ velocity, np.zeros(3)))


def draw_friction_laws() -> None:
    """Draw slip after against slip before by both laws, at 0.2 m/s along the normal."""
    slips = np.linspace(-0.25, 0.25, 201)
    figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    axes.plot(slips, slips, color="0.7", label="no change")
    for law, style in (("sliding", "--"), ("coulomb", "-")):
        after = [
            predict(approach([0, slip, -0.2]), ROUGH, ROBOT, law=law).velocity_after
            for slip in slips
        ]
        axes.plot(slips, np.array(after)[:, 1], style, label=law, linewidth=2)
    axes.set(xlabel="slip before the impact [m/s]", ylabel="slip after the impact [m/s]")
    axes.set_title("Panda, wall, friction 0.3, M+B_theta: slip upwards", fontsize=10)
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(FIGURES / "friction_laws.png", dpi=150)


def draw_impulse_set() -> None:
    """Draw the circumscribed and the inscribed set, with impulses of random friction."""
    state = approach([0.0, 0.0, -0.2])
    W = crb(state, WALL)
    figure = plt.figure(figsize=(6.4, 5.0), layout="constrained")
    axes = figure.add_subplot(projection="3d")
    for circumscribed, color in ((True, "tab:blue"), (False, "tab:orange")):
        polytope = impulse_set(W, 0.279, (0.0, 0.3), -0.2, 8, circumscribed)
        faces = polytope.vertices[ConvexHull(polytope.vertices, qhull_options="QJ").simplices]
        name = "circumscribed" if circumscribed else "inscribed"
        shell = Poly3DCollection(faces, alpha=0.12, facecolor=color, edgecolor=color, linewidth=0.4)
        shell.set_label(f"{name}, 8 generators")
        axes.add_collection3d(shell)
    axes.scatter(*_coulomb_impulses(W).T, s=4, color="black", label="Coulomb impacts")
    axes.set(
        xlabel="x [N.s]",
        ylabel="y [N.s]",
        zlabel="normal [N.s]",
        xlim=(-0.35, 0.5),
        ylim=(-0.5, 0.35),
        zlim=(0.6, 1.6),
    )
    axes.set_box_aspect((1, 1, 1), zoom=1.05)
    axes.locator_params(nbins=5)
    axes.set_title("impulses possible at 0.2 m/s, friction 0.279, restitution 0 to 0.3", fontsize=9)
    axes.legend(fontsize=8, loc="upper left")
    axes.view_init(elev=18, azim=-35)
    figure.savefig(FIGURES / "impulse_set.png", dpi=150)


def _coulomb_impulses(W: np.ndarray) -> np.ndarray:
    """Return impulses of the free body with inertia W, of random slip and restitution."""
    random, M, J = np.random.default_rng(0), np.linalg.inv(W), np.eye(3)
    return np.array(
        [
            impact_map(
                M,
                None,
                J,
                np.append(random.uniform(-0.2, 0.2, 2), -0.2),
                friction=0.279,
                restitution=random.uniform(0.0, 0.3),
            ).impulse
            for _ in range(300)
        ]
    )


def draw_intervals() -> None:
    """Draw intervals of all joints beside one simulated impact."""
    state = approach([0.0, 0.15, -0.12])
    law = Viscoelastic(1.2e5, 8e6)
    run = passive_impact(ROBOT, Q, state.dq, NORMAL, law, friction=0.3)
    truth = np.degrees(gross_velocity(run.t, run.q, run.contact_start.time).velocity)
    figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    joints = np.arange(1, 8)
    for i, model in enumerate(ROBOT.motor_inertias):
        surface = Surface(None, NORMAL, (0.2, 0.4), (0.0, 0.3))
        low, high = velocity_interval(state, surface, ROBOT, inertia=model)
        style = {"color": ("tab:gray", "tab:blue", "tab:purple")[i], "linewidth": 2}
        middle, half = np.degrees(high + low) / 2, np.degrees(high - low) / 2
        axes.errorbar(
            joints + 0.18 * (i - 1), middle, half, fmt="none", capsize=4, label=model, **style
        )
    axes.plot(joints, truth, "k_", markersize=26, label="simulated")
    axes.plot(joints, np.degrees(state.dq), "o", color="0.7", label="before", markersize=5)
    axes.set(xlabel="joint", ylabel="velocity after the impact [deg/s]")
    axes.set_title(
        "friction 0.2 to 0.4, restitution 0 to 0.3, inertias $\\pm$ 10 %: intervals", fontsize=10
    )
    axes.set_ylim(-25, 45)
    axes.legend(fontsize=8, ncols=5, loc="upper center", columnspacing=1.0)
    axes.grid(alpha=0.3)
    figure.savefig(FIGURES / "velocity_intervals.png", dpi=150)


if __name__ == "__main__":
    draw_friction_laws()
    draw_impulse_set()
    draw_intervals()
