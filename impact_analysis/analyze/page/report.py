# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One HTML file that needs no network: answer in words, tables, plots, a section per impact."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from impact_analysis.analyze.comparing.comparison import SIGNIFICANT
from impact_analysis.analyze.comparing.identify import Identified
from impact_analysis.analyze.page import figures
from impact_analysis.analyze.page.joint_sections import joint_section, jump_section, torque_section
from impact_analysis.analyze.result import Analysis, Judged, Statistic
from impact_analysis.present.number import number
from impact_analysis.present.section import html_list, html_note, html_section
from impact_analysis.present.table import html_table
from impact_analysis.spreading.cell_section import cells_section

MOST_SECTIONS = 50
_LONG = 120.0  # from this duration on it is given in minutes [s]
_SHOWN_WARNINGS = 30
_ELASTIC = (
    "Contact laws are those of a free body, of impacts whose force determines all their figures."
    " They do not contain the arm's elasticity: a small rms does not make stiffness and damping"
    " those of the surface."
)
_SAME_FIT = 2.0  # laws with this many times the rms of the best one are not shown


def report_text(analysis: Analysis) -> str:
    """Return the report as HTML."""
    page = _Page()
    body = "\n".join(
        [
            _answer(analysis),
            _warnings(analysis),
            cells_section(analysis.arms, lambda f: page.plot(f, tall=True)),
            _models(analysis, page),
            _impulse_models(analysis),
            _coefficients(analysis),
            _comparison(analysis, page),
            torque_section(analysis),
            jump_section(analysis),
            joint_section(analysis),
            _impacts(analysis, page),
            _recordings(analysis),
        ]
    )
    template = files("impact_analysis.analyze.page").joinpath("data/report.html").read_text("utf-8")
    names = analysis.files
    subject = names[0] if len(names) == 1 else f"{len(names)} recordings"
    return Template(template).substitute(
        title=escape(f"Impacts of {analysis.robot.name}: {subject}"),
        subtitle=escape(_subtitle(analysis)),
        body=body,
        figures="\n".join(page.scripts),
        footer="How each figure and number is worked out: doc/analyze.md of the suite.",
        plotly=get_plotlyjs(),
    )


class _Page:
    """Collects the figures' data, which stand at the end of the page."""

    def __init__(self) -> None:
        self.scripts: list[str] = []

    def plot(self, figure: go.Figure, *, tall: bool = False) -> str:
        """Return the place of a figure."""
        name = f"figure-{len(self.scripts)}"
        data = figure.to_json().replace("</", "<\\/")
        self.scripts.append(f'<script type="application/json" id="{name}">{data}</script>')
        kind = "plot tall" if tall else "plot"
        return f'<div class="{kind}" data-figure="{name}"></div>'


def _subtitle(analysis: Analysis) -> str:
    seconds = sum(each.duration for each in analysis.recordings)
    length = f"{seconds:.1f} s" if seconds < _LONG else f"{seconds / 60.0:.1f} minutes"
    samples = sum(each.samples for each in analysis.recordings)
    wanted = analysis.settings
    return (
        f"{samples} joint states in {length}; gross velocity by {wanted.method},"
        f" friction law {wanted.law}"
    )


def _answer(analysis: Analysis) -> str:
    return html_section("answer", "In words", html_list(analysis.answer, "answer"))


def _warnings(analysis: Analysis) -> str:
    if not analysis.warnings:
        return ""
    shown = html_list(analysis.warnings[:_SHOWN_WARNINGS])
    left = len(analysis.warnings) - _SHOWN_WARNINGS
    note = f"and {left} more, see analysis.json" if left > 0 else ""
    title = "What the data cannot answer, and anomalies"
    return html_section("warnings", title, shown, note=note)


def _models(analysis: Analysis, page: _Page) -> str:
    if not analysis.ranking:
        return ""
    rows = [
        [
            each.candidate.name,
            f"{np.degrees(each.error):.2f}",
            f"{np.degrees(each.low):.2f} to {np.degrees(each.high):.2f}",
            f"{100 * each.best_share:.0f} %",
            f"{each.candidate.friction:.2f}",
            f"{each.candidate.restitution:.2f}",
        ]
        for each in analysis.ranking
    ]
    head = ["model", "mean error [deg/s]", "95 %", "best in", "friction", "restitution"]
    note = (
        "Mean over joints and impacts of |predicted - measured| joint velocity after the impact."
        " 95 % and the share of wins: resampled impacts."
    )
    title, plot = "Which model explains the impacts", page.plot(figures.ranking(analysis))
    return html_section("models", title, plot, html_table(head, rows, best=0), note=note)


def _impulse_models(analysis: Analysis) -> str:
    if not analysis.impulse_ratios:
        return ""
    rows = [
        [name, *_statistic(each, "{:.2f}"), f"{each.impacts} impacts"]
        for name, each in analysis.impulse_ratios.items()
    ]
    head = ["inertia", "predicted / measured", "95 %", "from"]
    note = (
        "Normal impulse that the friction law gives with each inverse inertia of the contact point"
        " (gm: that of M), at the friction identified with that inertia (em, crb and flex: that of"
        " the inertia that ranks first); e from the velocities of each impact. Above 1: the model"
        " predicts too much."
    )
    title = "Which inertia explains the impulse"
    return html_section("impulse", title, html_table(head, rows, best=0), note=note)


def _coefficients(analysis: Analysis) -> str:
    rows = []
    for inertia, found in analysis.coefficients.items():
        rows.append([f"friction, with {inertia}", *_identified(found.friction)])
        rows.append([f"restitution, with {inertia}", *_identified(found.restitution)])
    if analysis.measured_restitution is not None:
        one = analysis.measured_restitution
        rows.append(["restitution, from velocities", *_statistic(one), f"{one.impacts} impacts"])
    best = min((each["rms"].value for each in analysis.contact.values()), default=0.0)
    for law, each in analysis.contact.items():
        if each["rms"].value > _SAME_FIT * best:
            continue
        for name, unit in zip(("stiffness", "damping"), analysis.contact_units[law], strict=True):
            rows.append(
                [
                    f"contact {name}, {law} [{unit}]",
                    *_statistic(each[name], "{:.3g}"),
                    f"{each[name].impacts} impacts, rms {each['rms'].value:.1f} N",
                ]
            )
    head = ["coefficient", "value", "95 %", "from"]
    note = _ELASTIC if analysis.contact else ""
    return html_section("coefficients", "What was identified", html_table(head, rows), note=note)


def _identified(found: Identified) -> list[str]:
    if not np.isfinite(found.value):
        return ["-", "-", "no comparable impact"]
    span = f"{found.low:.2f} to {found.high:.2f}" if np.isfinite(found.low) else "-"
    origin = "assumed" if found.assumed else f"{found.impacts} impacts"
    if found.at_bound:
        origin += ", at the end of the range"
    exact = found.assumed and found.low == found.high
    return [f"{found.value:.3f}", "-" if exact else span, origin]


def _statistic(one: Statistic, form: str = "{:.3f}") -> list[str]:
    span = f"{form.format(one.low)} to {form.format(one.high)}" if np.isfinite(one.low) else "-"
    return [form.format(one.value), span]


def _comparison(analysis: Analysis, page: _Page) -> str:
    if not analysis.cells:
        return ""
    inertias = list(analysis.mean_errors)
    joints = list(analysis.robot.joint_names)
    head = ["group", *[f"joint {j + 1}" for j in range(len(joints))]]
    rows, marks = [], set()
    for row, group in enumerate(dict.fromkeys(cell.group for cell in analysis.cells)):
        cells = [cell for cell in analysis.cells if cell.group == group]
        texts = []
        for cell in cells:
            texts.append(" / ".join(f"{np.degrees(cell.errors[one]):.2f}" for one in inertias))
            if cell.significant:
                marks.add((row, len(texts)))
        rows.append([f"{group} ({cells[0].repetitions})", *texts])
    note = f"Mean |error| in deg/s with {' / '.join(inertias)}; in brackets the repetitions."
    if {"M+B_theta", "M+B_rho"} <= {*inertias}:
        note += f" Marked: M+B_theta and M+B_rho differ by more than {SIGNIFICANT:g} deg/s."
    errors = html_table(head, rows, kind="table joints", marks=marks)
    plot = page.plot(figures.joint_errors(analysis))
    return html_section("comparison", "Errors joint by joint", plot, errors, note=note)


def _impacts(analysis: Analysis, page: _Page) -> str:
    if not analysis.impacts:
        return ""
    drawn = analysis.impacts[:MOST_SECTIONS]
    sections = [_impact(analysis, k, each, page) for k, each in enumerate(drawn)]
    left = len(analysis.impacts) - len(drawn)
    note = f"{left} more impacts are in impacts.csv." if left else ""
    return html_section("impacts", "Impacts", *sections, note=note)


def _impact(analysis: Analysis, number: int, impact: Judged, page: _Page) -> str:
    item = impact.measured
    title = f"{number + 1}. {item.recording}, {item.time:.4f} s"
    if np.isfinite(impact.approach_speed):
        title += f", {impact.approach_speed:.3f} m/s"
    notes = [html_note(said.text) for said in item.notes]
    parts = [html_table(["", ""], _facts(impact), kind="facts"), *notes]
    if item.trace is not None:
        parts.append("<h3>Joint velocities</h3>" + page.plot(figures.velocities(analysis, impact)))
        parts.append(
            "<h3>Joint torques and detection</h3>"
            + page.plot(figures.torques(analysis, impact), tall=True)
        )
        profile = figures.force(impact)
        if profile is not None:
            parts.append("<h3>Contact force</h3>" + page.plot(profile))
    if impact.torques is not None:
        changes = figures.torque_changes(analysis, impact.torques)
        parts.append("<h3>Changes of the joint torques</h3>" + page.plot(changes))
    if impact.membership is not None:
        parts.append(
            "<h3>Impulse and its set</h3>"
            + page.plot(figures.polytope(impact.membership), tall=True)
        )
    is_open = " open" if number == 0 else ""
    return f"<details{is_open}><summary>{escape(title)}</summary>{''.join(parts)}</details>"


def _facts(impact: Judged) -> list[list[str]]:
    item, member = impact.measured, impact.membership
    facts = [
        ("detected by", f"{item.detector}, {item.statistic:.1f} of {item.threshold:g}"),
        ("delay after contact", number(1e3 * item.delay, ".2f", unit="ms")),
        ("link that was hit", item.link or "-"),
        ("as announced", {True: "yes", False: "no", None: "nothing announced"}[item.expected]),
        ("approach speed", number(impact.approach_speed, ".4f", unit="m/s")),
        ("effective mass", number(impact.effective_mass, ".2f", unit="kg")),
        ("impulse", _impulse(impact)),
        ("peak force", number(item.peak_force, ".0f", unit="N")),
        ("contact lasted", number(1e3 * item.duration, ".2f", unit="ms")),
        ("restitution", number(item.restitution, ".2f")),
    ]
    if member is not None:
        low, high = member.restitution
        of = f"friction {member.friction:.2f}, restitution {low:.2f} to {high:.2f}, {member.source}"
        weaker = "weaker, in its hull with zero"
        place = "inside" if member.strict else weaker if member.hull else "beyond it"
        facts.append(("impulse and its set", f"{place} ({of})"))
    return [[name, text] for name, text in facts]


def _impulse(impact: Judged) -> str:
    item = impact.measured
    if not np.isfinite(item.impulse).all():
        return "-"
    size = float(np.linalg.norm(item.impulse))
    return f"{size:.3f} +- {item.impulse_std:.3f} N.s, from the {item.impulse_source}"


def _recordings(analysis: Analysis) -> str:
    rows = [
        [
            each.recording,
            str(each.samples),
            f"{each.duration:.1f}",
            str(len(each.impacts)),
            number(each.largest_statistic, ".1f"),
            each.error or "; ".join(said.text for said in each.remarks) or "-",
        ]
        for each in analysis.recordings
    ]
    head = ["recording", "states", "duration [s]", "impacts", "largest statistic", "remarks"]
    return html_section("recordings", "Recordings", html_table(head, rows))
