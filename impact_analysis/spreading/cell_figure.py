# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The figure of an impact of one or more arms: velocities, feedback and forces over time."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from impact_analysis.spreading.arm_impact import ArmImpact, ArmTrace
from impact_analysis.spreading.cell_sentences import arm_name
from impact_analysis.spreading.episodes import Episode
from impact_analysis.spreading.followed import Followed

MEASURED, ANTE, POST, ASKED, TOUCH = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#999999"
PANELS = ("velocity [m/s]", "feedback [m/s^2]", "force [N]")  # the first two along the tool


def episode_figure(episode: Episode) -> go.Figure | None:
    """Return the figure, a column an arm; none where nothing was kept to draw."""
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
        figure.update_xaxes(title_text="time since the first touch [ms]", row=3, col=column)
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
    """Mark the touch, and shade where the wrong reference was followed."""
    touch = 1e3 * arm.after_first
    found = arm.followed
    for row in range(1, len(PANELS) + 1):
        figure.add_vline(x=touch, line_dash="dash", line_color=TOUCH, row=row, col=column)
        if isinstance(found, Followed) and found.wrong > 0.0 and np.isfinite(found.switch):
            ends = sorted((touch, touch + 1e3 * found.switch))
            figure.add_vrect(*ends, fillcolor=ANTE, opacity=0.25, line_width=0, row=row, col=column)
