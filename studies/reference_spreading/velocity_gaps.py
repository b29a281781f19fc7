# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tables II and III of van Steen 2025: predicted against measured velocities (H15, H16, H17)."""

from __future__ import annotations

import numpy as np

from studies.published import parameter, read
from studies.row import Row, judged

COLUMNS = ("err_nominal_Btheta_percent", "err_Brho_percent", "err_B0_percent")
ROUNDING = 0.01  # half a digit of the tables' entries and half a digit of their mean [percent]


def errors(table: str) -> np.ndarray:
    """Return signed errors of B_theta, B_rho and B=0, one line a case, shape (9, 3) [percent]."""
    return np.array([[float(line[column]) for column in COLUMNS] for line in read(table)])


def rows() -> tuple[Row, ...]:
    """Return the rows H15, H16 and H17."""
    hit, grab = errors("rs2025_table2_hit_and_push"), errors("rs2025_table3_grabbing")
    return (
        _row("H15", "rs.abs_error_hit", hit),
        _row("H16", "rs.abs_error_grab", grab),
        _row("H17", "rs.abs_error_all", np.vstack([hit, grab])),
    )


def _row(claim_id: str, key: str, found: np.ndarray) -> Row:
    """Compare mean absolute errors with the published ones."""
    means, published = np.abs(found).mean(axis=0), np.array(parameter(key))
    deviation = float(np.abs(means - published).max())
    return judged(
        claim_id,
        published=_percent(published),
        ours=_percent(means),
        difference=f"max {deviation:.4f} %",
        holds=deviation <= ROUNDING,
        note=f"mean absolute error of {len(found)} cases for B_theta, B_rho, B=0; entries and"
        f" means are rounded to 0.01 %, so {ROUNDING} % is no difference",
        figures={
            "error_b_theta": float(means[0] / 100),
            "error_b_rho": float(means[1] / 100),
            "error_without_motors": float(means[2] / 100),
        },
    )


def _percent(values: np.ndarray) -> str:
    return " / ".join(f"{value:.2f}" for value in values) + " %"
