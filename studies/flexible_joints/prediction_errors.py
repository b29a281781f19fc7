# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tables II and III of Rey Arias 2024: errors of predicted joint velocities (H11, H12, H13)."""

from __future__ import annotations

import numpy as np

from studies.published import parameter, read
from studies.row import Row, judged

TYPES, JOINTS = 10, 7
FACTOR = 1.88  # by which joint 6 is said to improve; the claim's own number
DIGIT = 0.005  # rounding of the tables [deg/s]


def errors(table: str, column: str) -> np.ndarray:
    """Return absolute errors of one column, experiment types by joints, shape (10, 7) [deg/s]."""
    found = np.full((TYPES, JOINTS), np.nan)
    for line in read(table):
        found[int(line["exp_type"]) - 1, int(line["joint"]) - 1] = float(line[column])
    return found


def apparent() -> np.ndarray:
    """Return the errors of M + B_theta, friction 0.3, shape (10, 7) [deg/s]."""
    return errors("flex2024_table2_errors_Btheta_vs_Brho", "abs_err_Btheta_deg_per_s")


def reflected() -> np.ndarray:
    """Return the errors of M + B_rho, friction 0.3, shape (10, 7) [deg/s]."""
    return errors("flex2024_table2_errors_Btheta_vs_Brho", "abs_err_Brho_deg_per_s")


def held() -> np.ndarray:
    """Return the errors if no joint jumped: |jump measured|, shape (10, 7) [deg/s].

    The measured velocity after the impact is the published virtual rigid one (Table II).
    """
    table = "flex2024_table2_errors_Btheta_vs_Brho"
    after = errors(table, "qd_plus_virtual_rigid_deg_per_s")
    return np.abs(after - errors(table, "qd_minus_deg_per_s"))


def frictionless() -> np.ndarray:
    """Return the errors of M + B_theta without friction, shape (10, 7) [deg/s]."""
    return errors("flex2024_table3_errors_friction", "abs_err_mu0_deg_per_s")


def rows() -> tuple[Row, ...]:
    """Return the rows H11, H12 and H13."""
    return _largest(), _joint_6(), _joint_5()


def _largest() -> Row:
    """Compare the largest errors with and without friction."""
    with_friction, without = apparent(), frictionless()
    largest = np.array([with_friction.max(), without.max()])
    published = np.array([*parameter("flex.max_error"), *parameter("flex.max_error_mu0")])
    reduction = 1.0 - largest[0] / largest[1]
    deviation = float(np.abs(largest - published).max())
    means = with_friction.mean(), reflected().mean(), without.mean()
    return judged(
        "H11",
        ours=f"max {largest[0]:.2f}; {largest[1]:.2f} (mu=0); {reduction:.0%}",
        difference=f"{deviation:.2f} deg/s",
        holds=deviation < DIGIT,
        note="largest of the 70 errors of each column; means {:.2f} (B_theta), {:.2f} (B_rho),"
        " {:.2f} (mu=0) deg/s".format(*means),
        figures={
            "largest_error_radps": float(np.radians(largest[0])),
            "largest_error_frictionless_radps": float(np.radians(largest[1])),
            "reduction": float(reduction),
        },
    )


def _joint_6() -> Row:
    """Count the types in which joint 6 improves by the claimed factor."""
    factor = reflected()[:, 5] / apparent()[:, 5]
    improved = int(np.sum(np.round(factor, 2) >= FACTOR))
    return _count(
        "H12",
        improved,
        f"error of B_rho over that of B_theta, at least {FACTOR}: smallest of these"
        f" {factor[np.round(factor, 2) >= FACTOR].min():.2f}",
    )


def _joint_5() -> Row:
    """Count the types in which joint 5 gets significantly worse."""
    (significant,) = parameter("flex.significance")
    excess = (apparent() - reflected())[:, 4]
    worse = excess[excess > significant]
    return _count(
        "H13",
        len(worse),
        f"error of B_theta minus that of B_rho above {significant:g} deg/s, the published"
        f" significance: {worse.min():.2f} to {worse.max():.2f}, mean {worse.mean():.2f}",
    )


def _count(claim_id: str, count: int, note: str) -> Row:
    """Return the row of a claim about a number of experiment types."""
    ours = f"{count}/{TYPES}"
    row = judged(claim_id, ours=ours, difference="", holds=False, note=note)
    published = int(row.published.split("/")[0])
    return judged(
        claim_id,
        ours=ours,
        difference=str(count - published),
        holds=count == published,
        note=note,
        figures={"experiment_types": count},
    )
