# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws which package imports which, and which node publishes what for which, from the code.

Example:
    ./impact shell -- python doc/make_architecture_figure.py
"""

from collections.abc import Iterable
from pathlib import Path
from textwrap import fill

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from package_graph import conversations, imports, levels, packages

FILE = Path(__file__).parent / "figures" / "architecture.svg"
WIDTH, HEIGHT = 2.0, 0.66  # of a package's box
# where a package stands in its layer, left to right; one that is not named stands in the middle
PLACES = {
    "impact_view": -1.1,
    "impact_detector": -1.1,
    "impact_qp": 0.0,
    "impact_sim": 1.1,
    "impact_bags": -1.1,
    "impact_bringup": 0.0,
    "impact_trials": 1.1,
    "impact_drivers": 2.2,
    "impact_analysis": 1.55,
    "impact_cli": 0.75,
}
COLUMN = 2.0  # between places
NODES = {  # centre of each node, and what stands below its name
    "impact_sim": (0.0, 0.0, "or the driver of a real arm"),
    "impact_detector": (5.2, 3.0, "what did the impact do?"),
    "impact_qp": (5.2, 0.0, "what may the arm do before it?"),
    "impact_predictor": (5.2, -3.0, "what will an impact do?"),
}
BLUE, GREY = "#1f5fa8", "#555555"


def main() -> None:
    """Draw both and write the file."""
    matplotlib.rcParams["svg.hashsalt"] = "architecture"  # the same file each time
    matplotlib.rcParams["font.size"] = 9
    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 8), width_ratios=[1, 1.05])
    draw_packages(left)
    draw_nodes(right)
    figure.tight_layout()
    figure.savefig(FILE, metadata={"Date": None})


def draw_packages(axes: Axes) -> None:
    """Draw the packages, those that import above those that they import."""
    arrows, texts = imports(), packages()
    height = levels(arrows)
    at = {name: (PLACES.get(name, 0.0) * COLUMN, 1.15 * height[name]) for name in arrows}
    for name, others in arrows.items():
        for other in sorted(others):
            _arrow(axes, _edge(at[name], -HEIGHT / 2), _edge(at[other], HEIGHT / 2))
    for name, place in at.items():
        _box(axes, place, (WIDTH, HEIGHT), name, fill(texts[name], 30, max_lines=2), 6.6)
    _finish(axes, "Packages: an arrow points to what is imported", at.values(), (1.1, 0.5))


def draw_nodes(axes: Axes) -> None:
    """Draw the nodes and the topics between them."""
    between, others = conversations()
    for (node, other), topics in between.items():
        _conversation(axes, node, other, topics, (other, node) in between)
    for name, (x, y, text) in NODES.items():
        _box(axes, (x, y), (2.7, 0.9), name, text, 7.5)
        if others.get(name):
            topics = fill("also publishes " + ", ".join(others[name]), 40)
            side = 1 if y > 0 else -1  # away from the arrows
            align = "bottom" if y > 0 else "top"
            axes.text(x, y + 0.6 * side, topics, ha="center", va=align, fontsize=7.5, color=GREY)
    places = [(x, y) for x, y, _ in NODES.values()]
    _finish(axes, "Nodes: an arrow is a topic", places, (1.6, 1.3))


def _conversation(axes: Axes, node: str, other: str, topics: list[str], both: bool) -> None:
    """Draw the topics from one node to another; those of the way back lie beside them."""
    (x, y, _), (u, v, _) = NODES[node], NODES[other]
    away = 0.34 if both else 0.0
    if x == u:  # one above the other
        sign = 1.0 if v > y else -1.0
        start, end = (x + sign * away, y + 0.45 * sign), (u + sign * away, v - 0.45 * sign)
        side, place = ("left" if v > y else "right"), (start[0] + 0.1 * sign, (y + v) / 2)
    else:
        sign = 1.0 if u > x else -1.0
        start, end = (x + 1.35 * sign, y + sign * away), (u - 1.35 * sign, v + sign * away)
        side, place = "center", ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    _arrow(axes, start, end)
    axes.text(
        *place,
        "\n".join(topics),
        ha=side,
        va="center",
        fontsize=8,
        color=BLUE,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2},
    )


def _edge(place: tuple[float, float], up: float) -> tuple[float, float]:
    return place[0], place[1] + up


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "color": GREY, "linewidth": 1.1, "shrinkA": 1, "shrinkB": 1}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)


def _box(
    axes: Axes,
    place: tuple[float, float],
    size: tuple[float, float],
    name: str,
    text: str,
    small: float,
) -> None:
    """Draw a box with a name and a line or two below it."""
    (x, y), (width, height) = place, size
    corner = (x - width / 2, y - height / 2)
    style = "round,pad=0,rounding_size=0.08"
    axes.add_patch(
        FancyBboxPatch(corner, width, height, style, facecolor="#eaf1f9", edgecolor=BLUE)
    )
    axes.text(x, y + 0.2 * height, name, ha="center", va="center", weight="bold", fontsize=8.5)
    axes.text(x, y - 0.2 * height, text, ha="center", va="center", fontsize=small)


def _finish(
    axes: Axes, title: str, places: Iterable[tuple[float, float]], room: tuple[float, float]
) -> None:
    """Set the limits, with room around the places, and no axes."""
    xs, ys = zip(*places, strict=True)
    axes.set_xlim(min(xs) - room[0], max(xs) + room[0])
    axes.set_ylim(min(ys) - room[1], max(ys) + room[1])
    axes.set_title(title, loc="left")
    axes.axis("off")


if __name__ == "__main__":
    main()
