# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo's pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from scipy.spatial import ConvexHull

from impact_analysis.demo.evaluation import Evaluation
from impact_analysis.picture import save_as
from impact_bags.reading.run_record import RunRecord

COLOURS = {
    "unaware": "#c44e52",
    "robust": "#2a7f62",
    "existential": "#dd8452",
    "nominal": "#8172b3",
    "joint_load": "#1f5fa8",
}
INERTIAS = {"M": "#8c8c8c", "M+B_theta": "#1f5fa8", "M+B_rho": "#b07aa1"}
LABELS = {"M": "$M$", "M+B_theta": r"$M+B_\theta$", "M+B_rho": r"$M+B_\rho$"}
STYLE = {
    "figure.dpi": 130,
    "font.size": 10,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}
Runs = Sequence[tuple[RunRecord, Evaluation]]


def write_plots(runs: Runs, folder: Path) -> list[Path]:
    """Draw all pictures into a folder and return their paths."""
    pictures = {
        "contact_speed": _contact_speed(runs),
        "force": _force(runs),
        "impulse_polytope": _polytopes(runs),
    }
    for record, evaluation in runs:
        pictures[f"joint_velocities_{evaluation.controller}"] = _velocities(record, evaluation)
    paths = []
    for name, figure in pictures.items():
        paths.append(folder / f"{name}.png")
        save_as(figure, paths[-1], bbox_inches="tight")
    return paths


def _contact_speed(runs: Runs) -> Figure:
    """Approach speed over time to the contact, with the bounds."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(8, 4.2))
        for record, e in runs:
            colour = COLOURS[e.controller]
            t = record.control.seconds - e.contact_time
            shown = (t > -1.3) & (t < 0.0)
            bounded = e.controller in ("robust", "existential", "joint_load")
            bound = f", bound at the contact {e.speed_bound:.3f} m/s" if bounded else ""
            label = f"{e.controller}{bound}"
            axes.plot(t[shown], -record.control.values[shown, 0], color=colour, label=label)
            axes.plot(t[shown], record.control.values[shown, 1], color=colour, ls=":", lw=1)
            axes.plot(0, e.contact_speed, "o", color=colour)
            if bounded:
                axes.axhline(e.speed_bound, color=colour, ls="--", lw=1, alpha=0.8)
        axes.set(
            xlabel="time to contact [s]",
            ylabel="approach speed [m/s]",
            title="The same reference, 0.5 m/s: how fast each controller lets the arm arrive",
            ylim=(0, None),
        )
        axes.legend(loc="upper left", title="dashed: that bound, dotted: on the way")
    return figure


def _force(runs: Runs) -> Figure:
    """Normal force over time, with the instant of detection."""
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(1, len(runs), figsize=(4 * len(runs), 3.4), squeeze=False)
        for axes, (record, e) in zip(panels[0], runs, strict=True):
            t = (record.force.seconds - e.contact_time) * 1e3
            normal = record.force.values @ e.rotation[:, 2]
            shown = (t > -3) & (t < 25)
            axes.plot(t[shown], normal[shown], color=COLOURS[e.controller], lw=1.2)
            if np.isfinite(e.detection_delay):
                axes.axvline(e.detection_delay * 1e3, color="black", ls="--", lw=1)
                axes.annotate(
                    f"detected after {e.detection_delay * 1e3:.1f} ms",
                    (e.detection_delay * 1e3, normal[shown].max()),
                    xytext=(5, -3),
                    textcoords="offset points",
                    fontsize=9,
                )
            axes.set(title=f"{e.controller}, {e.contact_speed:.3f} m/s", xlabel="time [ms]")
        panels[0][0].set_ylabel("normal force [N]")
    return figure


def _velocities(record: RunRecord, e: Evaluation) -> Figure:
    """Joint velocities around the impact, their gross velocity and the predictions."""
    count = record.q.shape[1]
    columns = (count + 2) // 2
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(
            2, columns, figsize=(3.3 * columns, 5.6), sharex=True, squeeze=False
        )
        for joint, axes in zip(range(count), panels.flat, strict=False):
            _velocity_panel(axes, record, e, joint)
        for axes in panels.flat[count:]:
            axes.axis("off")
        handles, labels = panels.flat[0].get_legend_handles_labels()
        panels.flat[-1].legend(handles, labels, loc="center", fontsize=10)
        figure.suptitle(
            f"{e.controller}: joint velocities, their gross velocity at the impact, and what each"
            " inertia predicts"
        )
        figure.supxlabel("time after contact [ms]")
        figure.supylabel("joint velocity [deg/s]")
        figure.tight_layout()
    return figure


def _velocity_panel(axes: Axes, record: RunRecord, e: Evaluation, joint: int) -> None:
    t = (record.states.seconds - e.contact_time) * 1e3
    shown = (t > -20) & (t < 100)
    axes.plot(t[shown], np.degrees(record.dq[shown, joint]), color="0.6", lw=0.8, label="measured")
    axes.plot(0, np.degrees(e.gross_velocity[joint]), "k_", ms=16, mew=2.5, label="gross velocity")
    for name, velocity in e.predicted.items():
        value = np.degrees(velocity[joint])
        axes.plot([0, 100], [value, value], color=INERTIAS[name], lw=1.4, label=LABELS[name])
    axes.axvline(0, color="black", lw=0.6)
    axes.set_title(f"joint {joint + 1}", fontsize=10)


def _polytopes(runs: Runs) -> Figure:
    """The announced impulses and the measured one, contact axes."""
    with plt.rc_context(STYLE | {"axes.grid": True}):
        figure = plt.figure(figsize=(4.3 * len(runs), 4.4))
        for index, (_, e) in enumerate(runs):
            axes = figure.add_subplot(1, len(runs), index + 1, projection="3d")
            hull = ConvexHull(e.announced.vertices)
            faces = [e.announced.vertices[face] for face in hull.simplices]
            axes.add_collection3d(
                Poly3DCollection(faces, color=COLOURS[e.controller], alpha=0.25, lw=0)
            )
            axes.scatter(*e.impulse, color="black", s=30, label="measured")
            axes.plot(*zip(np.zeros(3), e.impulse, strict=True), color="black", lw=1)
            reach = 1.05 * np.abs(e.announced.vertices[:, :2]).max()
            axes.set(
                xlim=(-reach, reach),
                ylim=(-reach, reach),
                zlim=(0, 1.05 * e.announced.vertices[:, 2].max()),
                xlabel="tangential x [N.s]",
                ylabel="tangential y [N.s]",
                zlabel="normal [N.s]",
                title=f"{e.controller}: announced impulses",
            )
            axes.tick_params(labelsize=7)
            axes.locator_params(nbins=4)
            axes.view_init(18, -60)
            axes.legend(loc="upper left", fontsize=9)
    return figure
