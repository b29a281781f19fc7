# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Table I of Wang 2022: approximate over exact contact velocity, from its own columns (H7)."""

from __future__ import annotations

import numpy as np

from studies.published import read
from studies.row import Row, judged

HALF_DIGIT = 0.5e-4  # largest rounding of a figure printed with four decimals


def ratios() -> np.ndarray:
    """Return printed e_a, recomputed e_a and the error that rounding allows, shape (15, 3) [-]."""
    table = read("iim2022_table1_contact_velocity")
    columns = ("ratio_e_a_printed", "v_approx_m_per_s", "v_exact_m_per_s")
    printed, approximate, exact = np.array(
        [[float(line[name]) for name in columns] for line in table]
    ).T
    ratio = approximate / exact
    allowed = HALF_DIGIT * (1.0 + (1.0 + ratio) / exact)
    return np.column_stack([printed, ratio, allowed])


def row() -> Row:
    """Return the row H7."""
    printed, ratio, allowed = ratios().T
    deviation = np.abs(printed - ratio)
    return judged(
        "H7",
        published=f"{len(printed)} ratios",
        ours=f"{ratio.min():.3f} to {ratio.max():.3f}",
        difference=f"max {deviation.max():.1e}",
        holds=bool(np.all(deviation <= allowed)),
        note="v_approx/v_exact of every line; no deviation exceeds the rounding of the digits",
        figures={"largest_deviation": float(deviation.max()), "ratios": len(printed)},
    )
