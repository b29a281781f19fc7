# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of doc/reproduce.md and writes the printed tables into it.

Example:
    ./impact shell -- python doc/make_reproduce_figures.py
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from make_study_tables import between
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from impact_analysis.demo.plots import STYLE as BASE_STYLE
from impact_robots import load_robot
from studies.flexible_joints.planar_case import planar_cases
from studies.flexible_joints.planar_study import PlanarResult, planar_study
from studies.impact_models.inertia_ranking import inertia_ranking, mean_log_errors
from studies.printing import summary, table_text
from studies.published import decisions
from studies.row import PAPERS, REPRODUCED
from studies.tables import TABLES

HERE = Path(__file__).parent
RESULTS = HERE / "results"
CLAIMS = "<!-- claims: written by make_reproduce_figures.py -->\n"
START = "<!-- tables: written by make_reproduce_figures.py -->\n"
COLOURS = {"M": "#8c8c8c", "M+B_theta": "#1f5fa8", "M+B_rho": "#b07aa1"}
LABELS = {
    "M": "$M$",
    "M+B_theta": r"$M+B_\theta$",
    "M+B_rho": r"$M+B_\rho$",
    "crb": "composite\nrigid body",
    "em": r"algebraic $m_{em}$",
    "gm": "generalised\nmomentum",
    "flex": "composite\n+ flexibility",
}
STYLE = BASE_STYLE
EXAMPLE = 4  # the run of the left picture: 55 degrees, coasting


def main() -> None:
    """Write figures and tables."""
    with plt.rc_context(STYLE):
        draw_planar(planar_study(planar_cases()))
        draw_ranking()
    write_tables()


def draw_planar(results: list[PlanarResult]) -> None:
    """Draw one impact over time, and the errors of all runs."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), width_ratios=(1.05, 1.0))
    _over_time(left, results[EXAMPLE])
    _errors(right, results)
    figure.tight_layout(w_pad=2.5)
    figure.savefig(HERE / "figures" / "planar_flexible_joint.png")
    plt.close(figure)


def _over_time(axes: Axes, result: PlanarResult) -> None:
    """Draw velocity, fit and predictions of joint 6."""
    run, joint = result.run, 2
    t = 1e3 * (run.t - run.contact_start.time)
    fit = np.polynomial.Polynomial.fit(t[t >= 0.0], run.q[t >= 0.0, joint], 3).deriv()
    shown = np.linspace(0.0, 100.0, 200)
    axes.plot(t, np.degrees(run.dq[:, joint]), color="#c9c9c9", lw=1.2, label="simulated")
    axes.plot(shown, np.degrees(1e3 * fit(shown)), color="black", lw=1.5, label="cubic fit")
    for name, dq in result.predicted.items():
        value = np.degrees(dq[joint])
        axes.plot(0.0, value, "o", color=COLOURS[name], ms=8, zorder=5)
        axes.annotate(
            LABELS[name],
            (0.0, value),
            (-7, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color=COLOURS[name],
        )
    known = np.degrees(result.predicted_with_restitution[joint])
    axes.plot(0.0, known, "o", mfc="white", mec=COLOURS["M+B_theta"], ms=8, zorder=5)
    axes.annotate(
        LABELS["M+B_theta"] + f", e = {result.restitution:.2f}",
        (0.0, known),
        (-7, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        color=COLOURS["M+B_theta"],
    )
    axes.plot(0.0, np.degrees(result.before[joint]), "o", color="black", ms=5)
    axes.annotate(
        "before",
        (0.0, np.degrees(result.before[joint])),
        (-8, -14),
        textcoords="offset points",
        ha="right",
    )
    axes.set(xlim=(-40, 102), xlabel="time since the touch [ms]", ylabel="joint 6 [deg/s]")
    axes.set_title("one impact: 55° below horizontal, then gravity compensation", fontsize=10)
    axes.legend(loc="lower right")


def _errors(axes: Axes, results: list[PlanarResult]) -> None:
    """Draw the error of each inertia in every run."""
    x = np.arange(len(results))
    for name, colour in COLOURS.items():
        ours = [np.degrees(result.rms[name]) for result in results]
        earlier = [np.degrees(result.case.reference_rms[name]) for result in results]
        axes.plot(x, ours, "o", color=colour, ms=5, label=LABELS[name])
        axes.plot(x, earlier, "o", mfc="none", mec=colour, ms=9, lw=0.8)
    axes.plot([], [], "o", mfc="none", mec="black", ms=9, label="earlier simulation")
    for edge in (5.5, 11.5):
        axes.axvline(edge, color="black", lw=0.8, alpha=0.4)
    for index in range(0, len(results), 6):
        stiffness = results[index].case.stiffness
        text = "K = " + "/".join(f"{k / 1e3:g}" for k in stiffness) + "k"
        axes.text(index + 2.5, 12.5, text, ha="center", fontsize=8)
    axes.set_yscale("log")
    axes.set_ylim(0.02, 40)
    axes.set_yticks([0.03, 0.1, 0.3, 1, 3, 10], ["0.03", "0.1", "0.3", "1", "3", "10"])
    axes.set_xticks(x, ["c" if r.case.after == "coast" else "t" for r in results])
    axes.set(xlabel="run (c: then coast, t: then track)", ylabel="prediction error, rms [deg/s]")
    axes.set_title(r"18 impacts: $M+B_\theta$ predicts best in all", fontsize=10)
    axes.legend(ncols=4, loc="upper center", fontsize=8, columnspacing=1.0, handletextpad=0.2)


def draw_ranking() -> None:
    """Draw predicted over simulated effective mass by model."""
    comparisons = inertia_ranking(load_robot("panda"), seed=0)
    errors = mean_log_errors(comparisons)
    figure, axes = plt.subplots(figsize=(8.5, 4.4))
    spread = np.linspace(-0.22, 0.22, len(comparisons))
    for index, (model, error) in enumerate(errors.items()):
        ratios = [item.predicted[model] / item.simulated for item in comparisons]
        colour = COLOURS.get(model, "#dd8452")
        axes.plot(index + spread, ratios, "o", color=colour, ms=5, alpha=0.85)
        mean = np.exp(np.mean(np.log(ratios)))
        axes.plot([index - 0.32, index + 0.32], [mean, mean], color=colour, lw=2.5)
        axes.text(index, 4.3, f"{error:.3f}", ha="center", color=colour, weight="bold")
    axes.axhline(1.0, color="black", lw=1.2)
    axes.text(-0.85, 4.3, "mean |ln|", ha="center", fontsize=9)
    axes.set_yscale("log")
    axes.set_ylim(0.25, 5.0)
    axes.set_yticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
    axes.minorticks_off()
    axes.set_xlim(-1.2, len(errors) - 0.5)
    axes.set_xticks(range(len(errors)), [LABELS[model] for model in errors])
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("predicted over simulated\neffective mass")
    axes.set_title(
        "15 walls hit by a torque-controlled Panda (orange: Wang 2022; others: with motors)",
        fontsize=10,
    )
    figure.tight_layout()
    figure.savefig(HERE / "figures" / "inertia_ranking.png")
    plt.close(figure)


def write_tables() -> None:
    """Put what the command prints between the marks in reproduce.md."""
    made = {name: make(0, lambda *_: None) for name, make in TABLES.items()}
    parts = [
        f"```\n{table_text(table)}\n```\n\n<!-- from ./impact reproduce {name} -->\n"
        for name, table in made.items()
    ]
    file = HERE / "reproduce.md"
    body = "\n".join([*parts, f"`{summary(list(made.values()))}`"])
    page = between(file.read_text(), START, [body])
    published = [asdict(row) for table in made.values() for row in table.rows]
    file.write_text(between(page, CLAIMS, [claims_table(published), claims_table(kept_rows())]))


def kept_rows() -> list[dict[str, Any]]:
    """Return the rows of the studies whose documents are kept in doc/results."""
    documents = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))]
    found: dict[str, dict[str, Any]] = {}  # of several documents with a row the first counts
    for table in (each for document in documents for each in document.get("tables", [])):
        for row in table["rows"]:
            found.setdefault(row["id"], {**row, "paper": table["table"]})
    return list(found.values())


def claims_table(rows: list[dict[str, Any]]) -> str:
    """Return claims as a table of a page: whose, what, and what would decide it.

    Raises:
        KeyError: a row that differs, or is not available, has no entry in decided_by.csv.
    """
    own = rows[0]["paper"] not in PAPERS.values()
    heads = ("", "study", "promise", "goal") if own else ("", "paper", "claim", "published")
    lines = [[*heads, "here", "verdict", "what would decide it"], 7 * ["---"]]
    for row in rows:
        cells = [row[key] for key in ("id", "paper", "claim", "published", "ours", "verdict")]
        optional = {row["id"]: ""} if row["verdict"] == REPRODUCED else {}
        lines.append([*cells, (optional | decisions())[row["id"]]])
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    main()
