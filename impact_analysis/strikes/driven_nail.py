# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What one way to drive a nail came to, and the table of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from impact_analysis.present.table import Column, turned_table
from impact_trials.strikes.nail_run import NailRun, NailStrike


@dataclass(frozen=True, eq=False)
class DrivenNail:
    """The strikes of one run."""

    controller: str
    run: NailRun
    strikes: Sequence[NailStrike]

    @property
    def count(self) -> int:
        """Number of strikes."""
        return len(self.strikes)

    @property
    def depths(self) -> list[float]:
        """True depth of the nail after each strike [m]."""
        depths = [0.0]
        for each in self.strikes:
            depths.append(depths[-1] if each.strike.truth is None else each.strike.truth.depth)
        return depths[1:]

    @property
    def depth(self) -> float:
        """True depth of the nail in the end [m]."""
        return self.depths[-1] if self.strikes else 0.0

    @property
    def measured_depth(self) -> float:
        """Depth of the nail before the last strike, by the joints [m]."""
        return self.strikes[-1].measured_depth if self.strikes else 0.0

    @property
    def speeds(self) -> list[float | None]:
        """True speed of each strike, None if nothing was hit [m/s]."""
        return [each.strike.truth and each.strike.truth.speed for each in self.strikes]

    @property
    def loads(self) -> list[float | None]:
        """True largest fraction of a limit of each strike, None if nothing was hit [-]."""
        return [each.strike.truth and each.strike.truth.used for each in self.strikes]

    @property
    def highest_load(self) -> float | None:
        """True largest fraction of a limit, None if nothing was hit [-]."""
        return max((each for each in self.loads if each is not None), default=None)

    @property
    def done(self) -> bool:
        """Whether the nail is at its depth, by the joints."""
        nail = self.run.world.target.nail
        return nail is not None and self.measured_depth >= (nail.depth or 0.0)

    @property
    def problem(self) -> str:
        """Why the run ended before, "" if it did not."""
        fault = self.strikes[-1].strike.fault if self.strikes else "no strike is safe"
        return fault or self.run.planner.problem

    def as_json(self) -> dict[str, Any]:
        """Return the document of the run."""
        tool, nail = self.run.planner.tool, self.run.planner.target.nail
        return {
            "controller": self.controller,
            "strikes": self.count,
            "depth_m": self.depth,
            "measured_depth_m": self.measured_depth,
            "done": self.done,
            "highest_load": self.highest_load,
            "problem": self.problem or None,
            "q": self.run.q.tolist(),
            "handle_stiffness_npm": list(tool.stiffness) if tool.gives else None,
            "head_mass_kg": list(tool.mass),
            "nail_resistance_n": None if nail is None else list(nail.resistance),
            "depths_m": self.depths,
            "speeds_mps": self.speeds,
            "loads": self.loads,
        }


def _range(values: Sequence[float] | None, form: str) -> str:
    return "-" if values is None else " to ".join(format(each, form) for each in values)


LINES = (
    Column("", "strikes", of="count", form="d"),
    Column("", "nail driven [mm]", ".1f", "depth", 1e3),
    Column("", "the same by the joints, before the last [mm]", ".1f", "measured_depth", 1e3),
    Column("", "speed of the first strike [m/s]", ".3f", lambda e: (e.speeds or [None])[0]),
    Column("", "speed of the last strike [m/s]", ".3f", lambda e: (e.speeds or [None])[-1]),
    Column("", "highest load of a joint over its limit", ".2f", "highest_load"),
    Column(
        "",
        "handle, as known in the end [kN/m]",
        text=lambda e: _range(
            [k * 1e-3 for k in e.run.planner.tool.stiffness] if e.run.tool.gives else None, ".1f"
        ),
    ),
    Column(
        "",
        "resistance of the nail, the same [N]",
        text=lambda e: _range(e.run.planner.target.nail.resistance, ".0f"),
    ),
)


def nail_table(runs: Sequence[DrivenNail]) -> str:
    """Return the figures as text, a column a run."""
    return turned_table([each.controller for each in runs], LINES, runs)


def nail_sentence(runs: Sequence[DrivenNail]) -> str:
    """Return the summary of the table, from its own numbers."""
    parts = [
        f"{each.controller}: {each.count} strikes, {each.depth * 1e3:.1f} mm"
        + ("" if each.done else f" ({each.problem or 'not driven in as many'})")
        for each in runs
    ]
    loads = [each.highest_load for each in runs if each.highest_load is not None]
    within = f"; highest load of a joint: {max(loads):.2f} of its limit" if loads else ""
    return "; ".join(parts) + within + "."
