# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Output of `compare`: table, JSON document and picture of arms at the same points."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from impact_analysis.present.table import Column, turned_table
from impact_cli.maps.compared_arms import ComparedArm, Comparison
from impact_cli.reports.predict_report import coefficients

_PANEL = (2.8, 2.6)  # of the picture [inch]


class _Quantity(NamedTuple):
    """A number of each hit."""

    name: str  # field of ArmHit
    unit: str  # suffix of the JSON key
    title: str
    form: str

    def cell(self, arm: ComparedArm) -> str:
        """Return median and percentiles as text."""
        median, low, high = (format(each, self.form) for each in arm.summary(self.name))
        return f"{median} ({low} to {high})"

    def entries(self, arm: ComparedArm) -> dict[str, float]:
        """Return median and percentiles by JSON key."""
        keys = (f"{self.name}{part}_{self.unit}" for part in ("", "_low", "_high"))
        return dict(zip(keys, arm.summary(self.name), strict=True))


_QUANTITIES = (
    _Quantity("safe_speed", "mps", "safe speed [m/s]", ".3f"),
    _Quantity("impulse", "ns", "impulse [N.s]", ".3f"),
    _Quantity("effective_mass", "kg", "effective mass [kg]", ".2f"),
    _Quantity("rotation_after", "radps", "rotation after [rad/s]", ".3f"),
)


_BOTTOMS = _Quantity("bottoms", "mps", "cover bottoms out from [m/s]", ".3f")


def compare_document(comparison: Comparison) -> dict[str, Any]:
    """Return the JSON document: medians, 5th and 95th percentiles, and values at each point."""
    surface, arms = comparison.surface, comparison.arms
    grid = next(iter(arms.values())).task.grid
    return {
        "centre_m": grid.centre,
        "normal": surface.normal,
        "friction": surface.friction,
        "restitution": surface.restitution,
        "stiffness_npm": surface.stiffness,
        "grid_points": comparison.common.size,
        "points_m": comparison.points,
        "arms": {name: _arm_entries(arm) for name, arm in arms.items()},
    }


def _arm_entries(arm: ComparedArm) -> dict[str, Any]:
    entries: dict[str, Any] = {
        "robot": arm.task.robot.name,
        "turn_deg": float(np.degrees(arm.turn)),
        "impact_limits": arm.task.plan.impact_limits,
        "reached": arm.reached,
        "points": len(arm.hits),
    }
    for each in _QUANTITIES:
        entries |= each.entries(arm)
    entries["critical_joint"], entries["critical_joint_fraction"] = arm.critical_joint
    at_points = {f"{each.name}_{each.unit}": arm.values(each.name) for each in _QUANTITIES}
    if arm.task.robot.cover is not None:
        entries |= _BOTTOMS.entries(arm)
        at_points[f"{_BOTTOMS.name}_{_BOTTOMS.unit}"] = arm.values(_BOTTOMS.name)
    at_points["critical_joint"] = arm.values("critical_joint")
    at_points["limit"] = arm.values("limit")
    at_points["q_rad"] = arm.values("q")
    return {**entries, "at_points": at_points}


def compare_text(comparison: Comparison) -> str:
    """Return a table with an arm in each column."""
    arms = [*comparison.arms.values()]
    covered = any(arm.task.robot.cover is not None for arm in arms)
    x, y, z = arms[0].task.grid.centre
    columns = [
        *(Column(title=each.title, text=each.cell) for each in _QUANTITIES),
        *([Column(title=_BOTTOMS.title, text=_bottoming)] if covered else []),
        Column(title="critical joint", text=_critical),
        Column(title="points reached", text=lambda arm: str(arm.reached)),
        Column(title="by the limits", text=lambda arm: arm.task.plan.impact_limits),
    ]
    return "\n".join(
        [
            f"{len(comparison.points)} of {comparison.common.size} points around"
            f" ({x:.3f}, {y:.3f}, {z:.3f}) m are reached by all",
            f"  {coefficients(comparison.surface)}; median (5 to 95 % of the points)",
            turned_table([*comparison.arms], columns, arms),
        ]
    )


def _bottoming(arm: ComparedArm) -> str:
    """Return when the cover of an arm bottoms out, as text."""
    if arm.task.robot.cover is None:
        return "no cover"
    if np.isnan(arm.values(_BOTTOMS.name)).any():
        return "not in the limits"
    return _BOTTOMS.cell(arm)


def _critical(arm: ComparedArm) -> str:
    name, fraction = arm.critical_joint
    return f"{name} ({fraction:.0%})"


def draw_comparison(comparison: Comparison, path: Path) -> None:
    """Draw the common points: an arm in each row, a quantity with one scale in each column.

    Raises:
        WriteError: the picture cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    from impact_analysis.picture import save

    arms, grid = comparison.arms, next(iter(comparison.arms.values())).task.grid
    size = len(arms), len(_QUANTITIES)
    width, height = _PANEL[0] * size[1], _PANEL[1] * size[0] + 0.8
    figure, panels = plt.subplots(
        *size,
        figsize=(width, height),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for quantity, line in zip(_QUANTITIES, panels.T, strict=True):
        every = np.concatenate([arm.values(quantity.name) for arm in arms.values()])
        scale = {"vmin": every.min(), "vmax": every.max(), "shading": "nearest"}
        for (name, arm), axes in zip(arms.items(), line, strict=True):
            values = np.full(comparison.common.shape, np.nan)
            values[comparison.common] = arm.values(quantity.name)
            shown = axes.pcolormesh(grid.offsets(0), grid.offsets(1), values, **scale)
            axes.set_facecolor("0.8")
            axes.set_aspect("equal")
            axes.set_title(name, fontsize="medium")
        figure.colorbar(shown, ax=line, label=quantity.title, location="bottom")
    figure.supxlabel("along the width [m]; grey: not reached by all", fontsize="medium")
    figure.supylabel("along the height [m]", fontsize="medium")
    save(figure, path, 110, "--figure")
