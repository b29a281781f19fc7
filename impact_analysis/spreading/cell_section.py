# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The report's section about arms that hit an object: a table and a figure for each impact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from impact_analysis.present.number import numbers
from impact_analysis.present.section import html_note, html_section
from impact_analysis.present.table import html_table
from impact_analysis.spreading.arm_impact import ArmImpact, ArmTrace
from impact_analysis.spreading.cell_sentences import arm_name
from impact_analysis.spreading.episodes import CellFindings, Episode
from impact_analysis.spreading.followed import Followed
from impact_trials.truth.spread_figures import FeedbackFigures

Plot = Callable[[go.Figure], str]
MEASURED, ANTE, POST, ASKED, TOUCH = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#999999"
PANELS = ("velocity [m/s]", "feedback [m/s^2]", "force [N]")  # the first two along the tool
MOST = 30  # impacts with a section
_NOTE = (
    "Velocities are in base axes of the arm, the object's in those of its poses; after the impact"
    " they are the mean from 20 to 100 ms after contact. Before contact the ante-impact"
    " reference is the right one, from contact on the post-impact one; a reference counts as"
    " followed where the velocity that was asked for is its, but for 2 % of the difference of the"
    " two. Feedback is a_fb from 2 ms before first contact of any arm to 0.5 s after it, along"
    " the tool's axis. Momentum: by how much the contact point's change of velocity, from 20 ms"
    " before contact to 100 ms after it, exceeds what torques explain."
)


def cells_section(cells: Sequence[CellFindings], plot: Plot) -> str:
    """Return the section as HTML, empty without such recordings.

    Args:
        cells: recordings of several arms, or of an object.
        plot: makes the place of a figure.
    """
    if not cells:
        return ""
    parts, count = [], 0
    for found in cells:
        parts.append(f"<h3>{escape(found.recording)}</h3>")
        for episode in found.episodes[: max(0, MOST - count)]:
            parts.append(_episode(episode, plot))
            count += 1
    left = sum(len(found.episodes) for found in cells) - count
    more = f"{left} more impacts are in arms.csv." if left else ""
    title = "Arms, references and the object"
    return html_section("arms", title, *parts, html_note(_NOTE), note=more)


def _episode(episode: Episode, plot: Plot) -> str:
    head = ["", *(arm_name(arm.arm) for arm in episode.arms)]
    rows = [[name, *(of(arm) for arm in episode.arms)] for name, of in ROWS.items()]
    inertias = {
        name for arm in episode.arms if isinstance(arm.closure, dict) for name in arm.closure
    }
    rows += [
        [f"momentum off with {name} [m/s]", *(_miss(arm, name) for arm in episode.arms)]
        for name in sorted(inertias)
    ]
    joints = len(episode.arms[0].dq_before) if episode.arms else 0
    rows += [
        [f"joint {joint + 1} before, after [deg/s]", *(_joint(arm, joint) for arm in episode.arms)]
        for joint in range(joints)
    ]
    parts = [html_table(head, rows)]
    if (moved := episode.object) is not None:
        axes = f" ({moved.frame})" if moved.frame else ""
        rows = [
            ["before", numbers(moved.before)],
            ["after, mean from 20 to 100 ms after the last contact", numbers(moved.after)],
        ]
        parts.append(html_table([f"velocity of the object{axes}", "x, y, z [m/s]"], rows))
    if (figure := episode_figure(episode)) is not None:
        parts.append(plot(figure))
    if episode.later:
        parts.append(html_note(f"{episode.later} more impacts within half a second."))
    title = f"Impact at {episode.time:.4f} s"
    return f"<details open><summary>{title}</summary>{''.join(parts)}</details>"


def _joint(arm: ArmImpact, joint: int) -> str:
    return numbers(np.degrees([arm.dq_before[joint], arm.dq_after[joint]]), ".1f")


def _miss(arm: ArmImpact, name: str) -> str:
    return numbers([arm.closure.get(name, np.nan)] if isinstance(arm.closure, dict) else [np.nan])


def _feedback(arm: ArmImpact, name: str) -> str:
    return (
        f"{getattr(arm.feedback, name):.3f}" if isinstance(arm.feedback, FeedbackFigures) else "-"
    )


def _reference(arm: ArmImpact, name: str) -> str:
    found = getattr(arm.followed, name) if isinstance(arm.followed, Followed) else np.nan
    return numbers([1e3 * found], ".2f")


ROWS: dict[str, Callable[[ArmImpact], str]] = {
    "touch [s]": lambda arm: f"{arm.touch:.4f}, by {'force' if arm.by_force else 'the detector'}",
    "after first contact [ms]": lambda arm: f"{1e3 * arm.after_first:.2f}",
    "contact point before, x, y, z [m/s]": lambda arm: numbers(arm.velocity_before),
    "contact point after, x, y, z [m/s]": lambda arm: numbers(arm.velocity_after),
    "largest force [N]": lambda arm: numbers([arm.peak_force], ".0f"),
    "largest feedback along the tool [m/s^2]": lambda arm: _feedback(arm, "peak"),
    "integral of its size [m/s]": lambda arm: _feedback(arm, "integral"),
    "integral of the whole feedback's size [m/s]": lambda arm: _feedback(arm, "norm_integral"),
    "post-impact reference from [ms after contact]": lambda arm: _reference(arm, "switch"),
    "ante-impact reference too long [ms]": lambda arm: _reference(arm, "ante_after"),
    "post-impact reference too early [ms]": lambda arm: _reference(arm, "post_before"),
    "neither [ms]": lambda arm: _reference(arm, "neither"),
    "velocity nearer to the post-impact one from [ms]": lambda arm: _reference(arm, "nearer_post"),
}


def episode_figure(episode: Episode) -> go.Figure | None:
    """Return the figure, a column per arm; None without a trace."""
    drawn = [arm for arm in episode.arms if arm.trace is not None]
    if not drawn:
        return None
    figure = make_subplots(
        rows=3,
        cols=len(drawn),
        shared_xaxes=True,
        shared_yaxes="rows",
        vertical_spacing=0.06,
        horizontal_spacing=0.04,
        column_titles=[arm_name(arm.arm) for arm in drawn],
    )
    for column, arm in enumerate(drawn, 1):
        assert arm.trace is not None
        _velocities(figure, arm.trace, column)
        _rest(figure, arm.trace, column)
        _times(figure, arm, column)
        figure.update_xaxes(title_text="time since first contact [ms]", row=3, col=column)
    for row, title in enumerate(PANELS, 1):
        figure.update_yaxes(title_text=title, row=row, col=1)
    legend = {"orientation": "h", "y": -0.15}
    figure.update_layout(margin={"l": 60, "r": 15, "t": 30, "b": 100}, legend=legend)
    return figure


def _velocities(figure: go.Figure, trace: ArmTrace, column: int) -> None:
    for name, values, colour, dash in (
        ("ante-impact reference", trace.ante, ANTE, "dot"),
        ("post-impact reference", trace.post, POST, "dash"),
        ("followed", trace.desired, ASKED, "solid"),
        ("measured", trace.measured, MEASURED, "solid"),
    ):
        if np.isfinite(values).any():
            _line(figure, trace.t, values, 1, column, name, colour, dash)


def _rest(figure: go.Figure, trace: ArmTrace, column: int) -> None:
    if np.isfinite(trace.feedback).any():
        _line(figure, trace.t, trace.feedback, 2, column, "feedback", ASKED, "solid")
    if trace.force.size:
        _line(figure, trace.force_t, trace.force, 3, column, "force", MEASURED, "solid")


def _line(
    figure: go.Figure,
    t: np.ndarray,
    values: np.ndarray,
    row: int,
    column: int,
    name: str,
    colour: str,
    dash: str,
) -> None:
    figure.add_scatter(
        x=np.round(1e3 * t, 3),
        y=[round(float(each), 5) if np.isfinite(each) else None for each in values],
        name=name,
        legendgroup=name,
        showlegend=column == 1 and row == 1,
        line={"color": colour, "dash": dash, "width": 1.5},
        mode="lines",
        row=row,
        col=column,
    )


def _times(figure: go.Figure, arm: ArmImpact, column: int) -> None:
    """Mark the contact, and shade the time of the wrong reference."""
    touch = 1e3 * arm.after_first
    found = arm.followed
    for row in range(1, len(PANELS) + 1):
        figure.add_vline(x=touch, line_dash="dash", line_color=TOUCH, row=row, col=column)
        if isinstance(found, Followed) and found.wrong > 0.0 and np.isfinite(found.switch):
            ends = sorted((touch, touch + 1e3 * found.switch))
            figure.add_vrect(*ends, fillcolor=ANTE, opacity=0.25, line_width=0, row=row, col=column)
