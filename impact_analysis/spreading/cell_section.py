# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The report's section about arms that hit an object: a table and a figure for each impact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go

from impact_analysis.spreading.arm_impact import ArmImpact
from impact_analysis.spreading.cell_figure import episode_figure
from impact_analysis.spreading.cell_sentences import arm_name, numbers_text
from impact_analysis.spreading.episodes import CellFindings, Episode
from impact_analysis.spreading.followed import Followed
from impact_trials.spread_figures import FeedbackFigures

Table = Callable[[Sequence[str], Sequence[Sequence[str]]], str]
Plot = Callable[[go.Figure], str]
MOST = 30  # impacts with a section
_NOTE = (
    "Velocities are in base axes of the arm, the object's in those of its poses; after the impact"
    " they are the mean from 20 to 100 ms after the touch. Before the touch the ante-impact"
    " reference is the right one, from the touch on the post-impact one; a reference counts as"
    " followed where the velocity that was asked for is its, but for 2 % of the difference of the"
    " two. Feedback is a_fb from 2 ms before the first touch of any arm to 0.5 s after it, along"
    " the tool's axis. Momentum: by how much the contact point's change of velocity, from 20 ms"
    " before the touch to 100 ms after it, exceeds what torques explain."
)


def cells_section(cells: Sequence[CellFindings], table: Table, plot: Plot) -> str:
    """Return the section as HTML, empty without such recordings.

    Args:
        cells: recordings of several arms, or of an object.
        table: makes a table of a head and rows.
        plot: makes the place of a figure.
    """
    if not cells:
        return ""
    parts, count = [], 0
    for found in cells:
        parts.append(f"<h3>{escape(found.recording)}</h3>")
        for episode in found.episodes[: max(0, MOST - count)]:
            parts.append(_episode(episode, table, plot))
            count += 1
    left = sum(len(found.episodes) for found in cells) - count
    more = f'<p class="note">{left} more impacts are in arms.csv.</p>' if left else ""
    title = "<h2>Arms, references and the object</h2>"
    return f'<section id="arms">{title}{"".join(parts)}<p class="note">{_NOTE}</p>{more}</section>'


def _episode(episode: Episode, table: Table, plot: Plot) -> str:
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
    parts = [table(head, rows)]
    if (moved := episode.object) is not None:
        axes = f" ({moved.frame})" if moved.frame else ""
        rows = [
            ["before", numbers_text(moved.before)],
            ["after, mean from 20 to 100 ms after the last touch", numbers_text(moved.after)],
        ]
        parts.append(table([f"velocity of the object{axes}", "x, y, z [m/s]"], rows))
    if (figure := episode_figure(episode)) is not None:
        parts.append(plot(figure))
    if episode.later:
        parts.append(f'<p class="note">{episode.later} more impacts within half a second.</p>')
    title = f"Impact at {episode.time:.4f} s"
    return f"<details open><summary>{title}</summary>{''.join(parts)}</details>"


def _joint(arm: ArmImpact, joint: int) -> str:
    return numbers_text(np.degrees([arm.dq_before[joint], arm.dq_after[joint]]), "{:.1f}")


def _miss(arm: ArmImpact, name: str) -> str:
    return numbers_text(
        [arm.closure.get(name, np.nan)] if isinstance(arm.closure, dict) else [np.nan]
    )


def _feedback(arm: ArmImpact, name: str) -> str:
    return (
        f"{getattr(arm.feedback, name):.3f}" if isinstance(arm.feedback, FeedbackFigures) else "-"
    )


def _reference(arm: ArmImpact, name: str) -> str:
    found = getattr(arm.followed, name) if isinstance(arm.followed, Followed) else np.nan
    return numbers_text([1e3 * found], "{:.2f}")


ROWS: dict[str, Callable[[ArmImpact], str]] = {
    "touch [s]": lambda arm: f"{arm.touch:.4f}, by {'force' if arm.by_force else 'the detector'}",
    "after the first touch [ms]": lambda arm: f"{1e3 * arm.after_first:.2f}",
    "contact point before, x, y, z [m/s]": lambda arm: numbers_text(arm.velocity_before),
    "contact point after, x, y, z [m/s]": lambda arm: numbers_text(arm.velocity_after),
    "largest force [N]": lambda arm: numbers_text([arm.peak_force], "{:.0f}"),
    "largest feedback along the tool [m/s^2]": lambda arm: _feedback(arm, "peak"),
    "integral of its size [m/s]": lambda arm: _feedback(arm, "integral"),
    "integral of the whole feedback's size [m/s]": lambda arm: _feedback(arm, "norm_integral"),
    "post-impact reference from [ms after the touch]": lambda arm: _reference(arm, "switch"),
    "ante-impact reference too long [ms]": lambda arm: _reference(arm, "ante_after"),
    "post-impact reference too early [ms]": lambda arm: _reference(arm, "post_before"),
    "neither [ms]": lambda arm: _reference(arm, "neither"),
    "velocity nearer to the post-impact one from [ms]": lambda arm: _reference(arm, "nearer_post"),
}
