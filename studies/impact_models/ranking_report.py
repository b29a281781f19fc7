# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of the inertia ranking: its row (H1) and its table of configurations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impact_analysis.present.table import Column, Table
from studies.impact_models.inertia_ranking import (
    PUBLISHED_MODELS,
    SPEED,
    MassComparison,
    mean_log_errors,
)
from studies.row import Row, judged

COLUMNS = ("crb", "em", "gm", "flex", "M+B_theta", "M+B_rho")


def row(comparisons: list[MassComparison]) -> Row:
    """Return the row H1."""
    errors = mean_log_errors(comparisons)
    bias = {
        model: float(np.mean([item.log_error(model) for item in comparisons]))
        for model in PUBLISHED_MODELS
    }
    best = min(PUBLISHED_MODELS, key=errors.__getitem__)
    holds = best == "crb" and bias["em"] > 0.0 > max(bias["gm"], bias["flex"])
    signs = ", ".join(f"{model} {bias[model]:+.2f}" for model in PUBLISHED_MODELS)
    over = sum(item.log_error("em") > 0.0 for item in comparisons)
    return judged(
        "H1",
        published="crb closest; em over, gm and flex under",
        ours="mean |ln|: " + " < ".join(f"{model} {e:.3f}" for model, e in errors.items()),
        difference=f"order {'as published' if holds else 'NOT as published'}",
        holds=holds,
        note=f"passive impacts at {len(comparisons)} wall configurations, {SPEED:g} m/s; mean"
        f" ln(predicted/simulated mass): {signs}; em over in {over} of {len(comparisons)}. What"
        " predicts best is the arm's mass with the motors that the torque loop leaves",
        figures={f"mean_log_error_{_key(model)}": error for model, error in errors.items()},
    )


def study(comparisons: list[MassComparison]) -> Table:
    """Return the table of configurations."""
    predicted = "predicted_effective_mass_kg"
    return Table(
        "inertia_ranking",
        "Effective mass at a wall [kg]: impulse until the end of compression over approach speed",
        (
            Column("configuration", "configuration", of="name"),
            Column("simulated_effective_mass_kg", "simulated", ".2f", "simulated"),
            Column(predicted, of=lambda item: {name: item.predicted[name] for name in COLUMNS}),
            *(Column("", name, ".2f", _predicted(name)) for name in COLUMNS),
            Column("compression_time_s", "compression [ms]", ".1f", "compression_time", 1e3),
        ),
        comparisons,
    )


def _predicted(model: str) -> Callable[[MassComparison], float]:
    return lambda item: item.predicted[model]


def _key(model: str) -> str:
    """Return a model's name as part of a key: M+B_theta as m_b_theta."""
    return model.lower().replace("+", "_")
