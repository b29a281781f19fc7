# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The report's plots, as Plotly figures without a template: the page gives them its colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from impact_analysis.analyze.result import Analysis, Judged, Membership

if TYPE_CHECKING:  # loads slowly
    from impact_predictor.joint_load.load_interval import TorqueComparison

# Okabe and Ito, told apart by everybody and readable on light and dark paper
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#b8a900")
SYMBOLS = {"M": "x", "M+B_theta": "circle", "M+B_rho": "diamond-open"}
_DECADES = [digit * 10.0**power for power in range(-3, 7) for digit in (1, 2, 5)]
_AFTER = 0.1  # where predictions are drawn [s]
_MARGIN = {"l": 60, "r": 15, "t": 30, "b": 100}


def ranking(analysis: Analysis) -> go.Figure:
    """Return the mean error of every model with its interval."""
    rows = analysis.ranking[::-1]
    values = np.degrees([each.error for each in rows])
    low = np.degrees([each.low for each in rows])
    high = np.degrees([each.high for each in rows])
    figure = go.Figure(
        go.Bar(
            x=values,
            y=[each.candidate.name for each in rows],
            orientation="h",
            error_x={"type": "data", "array": high - values, "arrayminus": values - low},
            marker_color=COLOURS[0],
            hovertemplate="%{y}: %{x:.2f} deg/s<extra></extra>",
        )
    )
    return _finished(figure, "mean error [deg/s]", "")


def joint_errors(analysis: Analysis) -> go.Figure:
    """Return the mean error of each joint for the three inertias."""
    figure = go.Figure()
    joints = [f"joint {j + 1}" for j in range(analysis.robot.dof)]
    for k, inertia in enumerate(analysis.mean_errors):
        by_joint = [
            np.mean([c.errors[inertia] for c in analysis.cells if c.joint == name])
            for name in analysis.robot.joint_names
        ]
        figure.add_bar(x=joints, y=np.degrees(by_joint), name=inertia, marker_color=COLOURS[k])
    return _finished(figure, "", "mean absolute error [deg/s]")


def velocities(analysis: Analysis, impact: Judged) -> go.Figure:
    """Return measured joint velocities with gross velocity and predictions."""
    item, figure = impact.measured, go.Figure()
    trace = item.trace
    assert trace is not None
    for j in range(analysis.robot.dof):
        colour, name = COLOURS[j % len(COLOURS)], f"joint {j + 1}"
        common = {"legendgroup": name, "line_color": colour}
        figure.add_scatter(
            x=_short(1e3 * trace.time),
            y=_short(np.degrees(trace.velocity[:, j])),
            name=name,
            **common,
        )
        if np.isfinite(item.dq_after[j]):
            figure.add_scatter(
                x=[0.0, 1e3 * _AFTER],
                y=np.degrees([item.dq_after[j]] * 2),
                mode="lines",
                line_dash="dot",
                name=f"gross velocity {j + 1}",
                showlegend=False,
                **common,
            )
    for inertia in analysis.mean_errors:
        after = impact.predicted.get(f"{inertia}, {analysis.settings.law}")
        if after is not None:
            figure.add_scatter(
                x=np.full(len(after), 1e3 * _AFTER + 4.0 + 2.0 * list(SYMBOLS).index(inertia)),
                y=np.degrees(after),
                mode="markers",
                marker={
                    "symbol": SYMBOLS[inertia],
                    "size": 8,
                    "color": [COLOURS[j % len(COLOURS)] for j in range(len(after))],
                },
                name=f"predicted, {inertia}",
                text=[f"joint {j + 1}" for j in range(len(after))],
                hovertemplate="%{text}: %{y:.2f} deg/s",
            )
    figure.add_vline(x=0.0, line_dash="dash", line_color=COLOURS[6])
    return _finished(figure, "time since contact [ms]", "joint velocity [deg/s]")


def torques(analysis: Analysis, impact: Judged) -> go.Figure:
    """Return joint torques over the detection statistic and its threshold."""
    item = impact.measured
    trace = item.trace
    assert trace is not None
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08)
    for j in range(analysis.robot.dof):
        torque = trace.torque[:, j]
        if np.isfinite(torque).any():
            figure.add_scatter(
                x=_short(1e3 * trace.time),
                y=_short(torque),
                name=f"joint {j + 1}",
                line_color=COLOURS[j % len(COLOURS)],
                row=1,
                col=1,
            )
    figure.add_scatter(
        x=_short(1e3 * trace.statistic_time),
        y=_short(trace.statistic),
        name=f"statistic ({item.detector})",
        line_color=COLOURS[5],
        row=2,
        col=1,
    )
    figure.add_scatter(  # a label of a line across a logarithmic axis is put elsewhere
        x=1e3 * trace.statistic_time[[0, -1]],
        y=[item.threshold] * 2,
        mode="lines+text",
        text=["", f"threshold {item.threshold:.3g}"],
        textposition="top left",
        line={"dash": "dot", "color": COLOURS[6]},
        showlegend=False,
        hoverinfo="skip",
        row=2,
        col=1,
    )
    detected = 1e3 * (item.detection_time - item.time)
    for row in (1, 2):
        figure.add_vline(x=0.0, line_dash="dash", line_color=COLOURS[6], row=row, col=1)
        figure.add_vline(x=detected, line_color=COLOURS[5], line_width=1, row=row, col=1)
    for time, text, side in ((0.0, "touch", "right"), (detected, "detected", "left")):
        figure.add_annotation(
            text=text,
            showarrow=False,
            x=time,
            y=1.0,
            yref="y domain",
            yanchor="bottom",
            xanchor=side,
        )
    figure.update_yaxes(title_text="torque [N.m]", row=1, col=1)
    figure.update_yaxes(
        title_text="statistic", type="log", tickvals=_DECADES, tickformat="~g", row=2, col=1
    )
    figure.update_xaxes(title_text="time since contact [ms]", row=2, col=1)
    return _finished(figure).update_layout(margin_t=50)  # labels below the buttons


def force(impact: Judged) -> go.Figure | None:
    """Return the measured force with the fitted contact laws, none without one."""
    item = impact.measured
    trace = item.trace
    if trace is None or not trace.force_time.size:
        return None
    normal = item.normal if np.isfinite(item.normal).all() else None
    value = np.linalg.norm(trace.force, axis=1) if normal is None else trace.force @ normal
    end = 1.5 * item.duration if np.isfinite(item.duration) else 0.05
    shown = (trace.force_time > -0.2 * end - 1e-3) & (trace.force_time < end + 5e-3)
    figure = go.Figure()
    figure.add_scatter(
        x=_short(1e3 * trace.force_time[shown]),
        y=_short(value[shown]),
        mode="markers+lines",
        marker_size=3,
        line_width=1,
        name="measured",
        line_color=COLOURS[0],
    )
    for k, fit in enumerate(impact.laws):
        figure.add_scatter(
            x=_short(1e3 * fit.time),
            y=_short(fit.fitted_force),
            name=f"{fit.contact_law}, rms {fit.rms:.1f} N",
            line_color=COLOURS[(k + 1) % len(COLOURS)],
            visible=True if k == 0 else "legendonly",
        )
    label = "force [N]" if normal is None else "normal force [N]"
    return _finished(figure, "time since contact [ms]", label)


def torque_changes(analysis: Analysis, compared: TorqueComparison) -> go.Figure:
    """Return the largest change of each joint's torque on the interval that was predicted."""
    joints = [f"joint {j + 1}" for j in range(analysis.robot.dof)]
    low, high = compared.predicted
    figure = go.Figure()
    figure.add_bar(x=joints, y=high - low, base=low, name="predicted", marker_color=COLOURS[4])
    figure.add_scatter(
        x=joints,
        y=compared.measured,
        error_y={"type": "data", "array": compared.tolerance},
        mode="markers",
        marker={"color": COLOURS[5], "size": 9},
        name="measured",
    )
    return _finished(figure, "", "largest change of torque [N.m]")


def polytope(membership: Membership) -> go.Figure:
    """Return the set of impulses in contact axes with the measured one."""
    from scipy.spatial import ConvexHull, QhullError  # loads slowly

    figure, vertices = go.Figure(), membership.polytope.vertices
    x, y, z = vertices.T
    try:
        triangles = ConvexHull(vertices).simplices
        figure.add_mesh3d(
            x=x,
            y=y,
            z=z,
            **dict(zip("ijk", triangles.T, strict=True)),
            opacity=0.35,
            color=COLOURS[4],
            name="set",
            showlegend=True,
            hoverinfo="skip",
        )
    except QhullError:  # a flat set: one restitution, or no friction
        ring = np.append(np.arange(len(vertices) // 2), 0)
        figure.add_scatter3d(
            x=x[ring],
            y=y[ring],
            z=z[ring],
            mode="lines",
            line={"color": COLOURS[4], "width": 5},
            name="set",
        )
    figure.add_scatter3d(
        x=np.concatenate([[0.0, each, np.nan] for each in x]),
        y=np.concatenate([[0.0, each, np.nan] for each in y]),
        z=np.concatenate([[0.0, each, np.nan] for each in z]),
        mode="lines",
        line={"color": COLOURS[6], "width": 1},
        name="hull with zero",
        hoverinfo="skip",
    )
    a, b, c = membership.impulse
    figure.add_scatter3d(
        x=[0.0, a],
        y=[0.0, b],
        z=[0.0, c],
        mode="lines+markers",
        line={"color": COLOURS[5], "width": 5},
        marker={"size": [0, 6], "color": COLOURS[5]},
        name="measured impulse",
    )
    shown = np.vstack([vertices, membership.impulse, np.zeros(3)])
    sides = np.ptp(shown, axis=0)  # one scale for all axes, and the longest of them in view
    ratio = dict(zip("xyz", np.maximum(sides / sides.max(), 0.05), strict=True))
    titles = {"x": "tangential x", "y": "tangential y", "z": "normal z"}
    axes = {
        f"{name}axis": {"title": {"text": f"{text} [N.s]"}, "nticks": 2 + round(4 * ratio[name])}
        for name, text in titles.items()
    }
    scene = {**axes, "aspectmode": "manual", "aspectratio": ratio}
    figure.update_layout(scene={**scene, "camera": {"eye": {"x": 1.1, "y": 1.1, "z": 0.5}}})
    _finished(figure)
    return figure.update_layout(margin={"l": 0, "r": 0, "t": 0, "b": 40})


def _finished(figure: go.Figure, x: str = "", y: str = "") -> go.Figure:
    """Return the figure with titles of its axes and a legend below."""
    figure.update_layout(
        template=None,
        margin=_MARGIN,
        legend={"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
        hovermode="closest",
    )
    if x:
        figure.update_xaxes(title_text=x, automargin=True)
    if y:
        figure.update_yaxes(title_text=y)
    figure.update_yaxes(automargin=True)
    return figure


def _short(values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return single precision: half the size, and enough for a plot."""
    return np.asarray(values, dtype=np.float32)
