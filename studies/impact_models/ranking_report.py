# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the inertia ranking says: its row (H1) and its table of configurations."""

from __future__ import annotations

import numpy as np

from studies.impact_models.inertia_ranking import (
    PUBLISHED_MODELS,
    SPEED,
    MassComparison,
    mean_log_errors,
)
from studies.row import Row, Study, judged

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


def study(comparisons: list[MassComparison]) -> Study:
    """Return the table of configurations."""
    return Study(
        "inertia_ranking",
        "Effective mass at a wall [kg]: impulse until the end of compression over approach speed",
        ("configuration", "simulated", *COLUMNS, "compression [ms]"),
        [_line(item) for item in comparisons],
        [
            {
                "configuration": item.name,
                "simulated_effective_mass_kg": item.simulated,
                "predicted_effective_mass_kg": {name: item.predicted[name] for name in COLUMNS},
                "compression_time_s": item.compression_time,
            }
            for item in comparisons
        ],
    )


def _line(item: MassComparison) -> tuple[str, ...]:
    """Return the cells of one configuration."""
    masses = (item.simulated, *(item.predicted[name] for name in COLUMNS))
    return (
        item.name,
        *(f"{mass:.2f}" for mass in masses),
        f"{item.compression_time * 1e3:.1f}",
    )


def _key(model: str) -> str:
    """Return a model's name as part of a key: M+B_theta as m_b_theta."""
    return model.lower().replace("+", "_")
