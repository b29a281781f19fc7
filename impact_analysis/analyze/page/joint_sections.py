# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sections of the report about joints: their torques, their jumps, and what was identified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from impact_analysis.analyze.page.narrative import FIGURES
from impact_analysis.analyze.result import Analysis
from impact_analysis.present.number import number
from impact_analysis.present.section import html_section
from impact_analysis.present.table import html_table

if TYPE_CHECKING:  # loads slowly
    from impact_predictor.joint_load.load_interval import JumpComparison, TorqueComparison

MOST_ROWS = 50  # impacts in a table


def torque_section(analysis: Analysis) -> str:
    """Return measured and predicted changes of torques as HTML, nothing without any."""
    note = (
        "Largest change of the measured torque within 30 ms of contact, in N.m; in brackets what"
        " the flexible-joint model allows over the ranges of surface and joints. Marked: outside,"
        " by more than the noise of the sensor."
    )
    found = [each.torques for each in analysis.impacts]
    return _compared_section(analysis, ("torques", "Measured joint torques"), found, 1.0, note)


def jump_section(analysis: Analysis) -> str:
    """Return when joints jumped, measured and predicted, as HTML, nothing without any."""
    note = (
        "Time since contact at which a joint has half of its largest change of velocity within"
        " 30 ms, in ms; in brackets what the flexible-joint model allows over the ranges of surface"
        " and joints. A dash: the change is not clear of the noise. Marked: outside, by more than a"
        " sample and twice the deviation of the time of contact."
    )
    found = [each.jumps for each in analysis.impacts]
    return _compared_section(analysis, ("jumps", "When each joint jumps"), found, 1e3, note)


def _compared_section(
    analysis: Analysis,
    names: tuple[str, str],
    compared: Sequence[TorqueComparison | JumpComparison | None],
    scale: float,
    note: str,
) -> str:
    """Return a row an impact that was compared, a column a joint, as HTML; nothing without any.

    Args:
        analysis: whose impacts they are.
        names: of the section, and its title.
        compared: of each impact; None: it was not.
        scale: of the numbers.
        note: below the table.
    """
    known = [(k, each) for k, each in enumerate(compared) if each is not None]
    if not known:
        return ""
    marks: set[tuple[int, int]] = set()
    rows: list[list[str]] = []
    for k, found in known[:MOST_ROWS]:
        marks |= {(len(rows), int(j) + 1) for j in np.flatnonzero(found.outside)}
        numbers = zip(found.measured, *found.predicted, strict=True)
        cells = [
            f"{number(value, '.1f', scale)} ({scale * low:.1f} to {scale * high:.1f})"
            for value, low, high in numbers
        ]
        rows.append([f"{k + 1}. {analysis.impacts[k].measured.recording}", *cells])
    head = ["impact", *[f"joint {j + 1}" for j in range(analysis.robot.dof)]]
    left = len(known) - len(rows)
    note += f" {left} more impacts are in impacts.csv." if left else ""
    table = html_table(head, rows, kind="table joints", marks=marks)
    return html_section(*names, table, note=note)


def joint_section(analysis: Analysis) -> str:
    """Return what was identified of the joints as HTML, nothing where nothing was fitted."""
    found = analysis.joints
    if found is None or not np.isfinite(found.scale).any():
        return ""
    robot, marks = analysis.robot, set()
    rows: list[list[str]] = []
    nominal = robot.joint_stiffness, robot.joint_damping, robot.apparent_motor_inertia
    for j in range(robot.dof):
        cells = []
        for k, values in enumerate(nominal):
            value, low, high = (each[k, j] * values[j] for each in (found.scale, *found.interval))
            shown = np.isfinite(value) and found.explained[j]
            cells.append(f"{value:.4g} ({low:.3g} to {high:.3g})" if shown else "-")
            if found.known[k, j]:
                marks.add((j, k + 1))
        odd, most = found.misfit[j], found.most_misfit[j]
        misfit = f"{odd:.2f} of {most:.2f}" if np.isfinite(odd) else "-"
        rows.append([f"joint {j + 1}", *cells, str(found.hits[j]), misfit])
    units = ("N.m/rad", "N.m.s/rad", "kg.m^2, apparent")
    named = [f"{name} [{unit}]" for name, unit in zip(FIGURES, units, strict=True)]
    note = (
        "From joint torques and positions alone. In brackets 95 %; marked: known better than"
        " assumed, and in joints.yaml; dampings if the torque loop is that of the robot's YAML."
        " Misfit: squared residual over what noise explains, and up to where the model is believed;"
        " a joint beyond it has no figures."
    )
    head = ["", *named, "hits", "misfit"]
    found_table = html_table(head, rows, marks=marks)
    return html_section("joints", "Identified joints", found_table, note=note)
