# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the six figures of doc/what_it_does.md from what six commands print with ``--json``.

Each is one SVG with two palettes; the reader's theme (``prefers-color-scheme``) selects one.

Run ``./impact shell -- python doc/make_overview_figures.py`` (two minutes; names draw some alone).
"""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from scipy.spatial import ConvexHull

from impact_bags.reading.run_record import read_run
from impact_robots import load_robot

FIGURES, ROOT = Path(__file__).parent / "figures", Path(__file__).parents[1]
SIZE = (4.2, 3.0)  # [inch]: at 400 px a letter of 10 points is 13 px high
COLORS = {  # on light and on dark ground
    "ink": ("#1f2328", "#e6edf3"),
    "paper": ("#ffffff", "#0d1117"),
    "rule": ("#d0d7df", "#30363d"),
    "grey": ("#7d8590", "#8b949e"),
    "blue": ("#0969da", "#58a6ff"),
    "red": ("#cf222e", "#ff7b72"),
    "green": ("#1a7f37", "#3fb950"),
}
INK, PAPER, RULE, GREY, BLUE, RED, GREEN = (light for light, _ in COLORS.values())
STYLE = {
    "font.size": 10,
    "svg.hashsalt": "overview",
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), PAPER),
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
    **{"axes.edgecolor": GREY, "grid.color": RULE, "axes.grid": True, "axes.axisbelow": True},
    **{"axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False},
    **{"axes.titlesize": 10, "axes.titlelocation": "left", "legend.fontsize": 9},
}
INERTIAS = {"M": GREY, "M+B_theta": BLUE, "M+B_rho": RED}
LABELS = {"M": "$M$", "M+B_theta": r"$M+B_\theta$", "M+B_rho": r"$M+B_\rho$"}
SHOWN = (-10.0, 25.0)  # of a recording, about the contact [ms]


def draw_predict(axes: Axes, found: dict[str, Any], _: Path) -> None:
    """Draw joint velocities before and after the impact, with the intervals of three models."""
    before = np.degrees(found["joint_velocity_before_radps"])
    joints = np.arange(1, len(before) + 1)
    axes.plot(joints, before, "_", color=INK, markersize=18, markeredgewidth=1.6, label="before")
    for k, (name, color) in enumerate(INERTIAS.items()):
        after, low, high = (
            np.degrees(found["maps"][name][f"joint_velocity_{key}_radps"])
            for key in ("after", "low", "high")
        )
        error = np.maximum([after - low, high - after], 0.0)
        at = joints + 0.22 * (k - 1)
        axes.errorbar(at, after, error, fmt="o", color=color, ms=3.5, lw=1.8, label=LABELS[name])
    axes.set(xlabel="joint", xticks=joints, title="joint velocity after the impact [deg/s]")
    axes.legend(loc="lower left", handletextpad=0.2)


def draw_sets(axes: Axes, found: dict[str, Any], _: Path) -> None:
    """Draw the possible impulses, seen along the surface."""
    points = np.array(found["sets"]["impulse"]["vertices"])[:, [0, 2]]
    outline = points[ConvexHull(points).vertices]
    axes.fill(*outline.T, color=BLUE, alpha=0.3, lw=0.0)
    axes.plot(*np.vstack([outline, outline[:1]]).T, color=BLUE, lw=1.8)
    middle = points.mean(axis=0)
    axes.annotate("", middle, (0, 0), arrowprops={"arrowstyle": "->", "color": GREY, "lw": 1.5})
    axes.text(
        1.05 * points[:, 0].max(), middle[1], " every impulse\n that is possible", va="center"
    )
    axes.axhline(0.0, color=INK, lw=3)
    axes.text(0.15, 1.2, "one of them")
    axes.text(3.9, 0.1, "the surface", ha="right")
    axes.set(xlabel="along the surface [N.s]", title="out of the surface [N.s]", aspect="equal")
    axes.set(xlim=(-2.5, 4.0), ylim=(-0.3, None))


def draw_demo(axes: Axes, found: dict[str, Any], _: Path) -> None:
    """Draw the speed at contact of each controller, and what the torque sensors measured."""
    runs = found["runs"]
    rows = np.arange(len(runs))[::-1]
    loads = [run["torque_change_nm"] / run["torque_change_limit_nm"] for run in runs]
    colors = [RED if load > 1.0 else BLUE for load in loads]
    speeds = [run["contact_speed_mps"] for run in runs]
    axes.barh(rows, speeds, 0.6, color=colors)
    for row, run, speed in zip(rows, runs, speeds, strict=True):
        text = f" {run['torque_change_nm']:.1f} of {run['torque_change_limit_nm']:.0f} N.m"
        inside = speed > 0.5 * max(speeds)
        axes.text(
            *(speed, row, f"{text} "),
            ha="right" if inside else "left",
            va="center",
            color=PAPER if inside else INK,
        )
    axes.set_yticks(rows, [run["controller"] for run in runs])
    axes.set(xlabel="speed at contact [m/s]", title="torque change of the joint nearest its limit")
    axes.grid(visible=False, axis="y")


def draw_map(axes: Axes, found: dict[str, Any], _: Path) -> None:
    """Draw the highest safe speed over a table."""
    speeds = np.array(found["speed_bound_mps"], dtype=float)
    x, y, _z = found["centre_m"]
    across, up = x + np.array(found["width_m"]), y + np.array(found["height_m"])
    shades = ListedColormap(plt.get_cmap("viridis")(np.linspace(0.0, 1.0, 12)))
    drawn = axes.pcolormesh(across, up, speeds, cmap=shades, rasterized=True)
    bar = axes.figure.colorbar(drawn, ax=axes)
    bar.outline.set_visible(False)
    axes.plot(0.0, 0.0, "o", color=INK)
    axes.annotate("arm", (0.0, 0.0), (0, -4), textcoords="offset points", ha="center", va="top")
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="highest safe speed [m/s]")
    axes.grid(visible=False)


def draw_detect(axes: Axes, found: dict[str, Any], folder: Path) -> None:
    """Draw the joint velocities of a recording about the first impact, and its detection."""
    event = found["events"][0]
    record = read_run(folder / event["file"], load_robot(found["robot"]))
    time = 1e3 * (record.states.seconds - event["impact_time_s"])
    shown = (time >= SHOWN[0]) & (time <= SHOWN[1])
    velocity = np.degrees(record.dq)[shown]
    axes.plot(time[shown], velocity, color=BLUE, lw=1.2)
    detected = 1e3 * (event["detection_time_s"] - event["impact_time_s"])
    axes.axvline(0.0, color=GREY, lw=1.5, ls="--", label="contact")
    axes.axvline(detected, color=RED, lw=1.8, label="detected")
    axes.set(xlabel="time since contact [ms]", title="joint velocities [deg/s]", xlim=SHOWN)
    axes.legend(loc=(0.6, 0.27))


def draw_analyze(axes: Axes, found: dict[str, Any], _: Path) -> None:
    """Draw how far each model is from the measured joint velocities."""
    ranking = found["ranking"][:9]
    rows = np.arange(len(ranking))[::-1]
    for row, each in zip(rows, ranking, strict=True):
        error, low, high = (each[f"mean_error{key}_degps"] for key in ("", "_low", "_high"))
        color = INERTIAS[each["inertia"]]
        spread = [[max(error - low, 0.0)], [max(high - error, 0.0)]]
        axes.errorbar(error, row, xerr=spread, fmt="o", color=color, lw=2.0, ms=5)
    names = [f"{LABELS[each['inertia']]}, {each['law']}" for each in ranking]
    axes.set_yticks(rows, names)
    axes.set(xlabel="mean error of the joint velocities [deg/s]", xlim=(0.0, None))
    axes.set(title=f"models beside {len(found['impacts'])} recorded impacts")
    axes.grid(visible=False, axis="y")


class Overview(NamedTuple):
    """One figure."""

    command: str  # as it stands on the page; `--json` is added
    draw: Callable[[Axes, dict[str, Any], Path], None]


RECORD = "simulate iim_wall_cfg1 iim_wall_cfg2 iim_wall_cfg3 --trials 2 --record wall"
OVERVIEW = {
    "predict": Overview("predict --speed 0.2 --friction 0,0.3 --restitution 0,0.3", draw_predict),
    "sets": Overview("sets --speed 0.2 --friction 0.3 --set impulse", draw_sets),
    "map": Overview(
        "map --point 0.45,0,0.1 --normal 0,0,1 --size 1.5,1.5 --grid 20,20 --impact-limits robust",
        draw_map,
    ),
    "demo": Overview("demo", draw_demo),
    "detect": Overview("detect wall", draw_detect),
    "analyze": Overview("analyze wall --out results", draw_analyze),
}


def printed(command: str, folder: Path) -> str:
    """Return what a command prints, run in a folder."""
    words = [str(ROOT / "impact"), *shlex.split(command)]
    return subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def file_of(name: str) -> Path:
    """Return where a figure is written."""
    return FIGURES / f"overview_{name}.svg"


def draw_figure(name: str, found: dict[str, Any], folder: Path) -> None:
    """Draw one figure from a command's document and write it with both palettes."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
        OVERVIEW[name].draw(axes, found, folder)
        figure.savefig(folder / "drawn.svg", metadata={"Date": None})
        plt.close(figure)
    file_of(name).write_text(with_palettes((folder / "drawn.svg").read_text()))


def with_palettes(svg: str) -> str:
    """Return an SVG whose colors are those of the reader's theme."""
    light, dark = (
        "".join(f"--{name}: {both[k]}; " for name, both in COLORS.items()) for k in range(2)
    )
    for name, (plain, _) in COLORS.items():
        svg = svg.replace(f": {plain}", f": var(--{name}, {plain})")
    style = f"<style>svg {{{light}}} @media (prefers-color-scheme: dark) {{svg {{{dark}}}}}</style>"
    return svg.replace("<defs>", f"{style}\n <defs>", 1)


def main() -> None:
    """Run the commands in a folder and draw their figures."""
    names = sys.argv[1:] or list(OVERVIEW)
    with TemporaryDirectory() as made:
        folder = Path(made)
        if {"detect", "analyze"} & set(names):
            printed(RECORD, folder)
        for name in names:
            found = json.loads(printed(f"{OVERVIEW[name].command} --json", folder))
            draw_figure(name, found, folder)
            print(f"{file_of(name)}: {file_of(name).stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
