# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of the speed limits: the rows H20 and H22, and the table of scenarios."""

from __future__ import annotations

import numpy as np

from impact_analysis.present.table import Column, Table
from studies.controller.speed_limits import SpeedLimit
from studies.published import parameter
from studies.row import Row, judged


def speed_row(scenarios: list[SpeedLimit], sampled: list[SpeedLimit]) -> Row:
    """Return the row H20: the published speeds lie among the limits of plausible poses."""
    published = [abs(parameter(f"qp.v_contact_cfg{number}")[2]) for number in (1, 2)]
    (wanted, *_) = parameter("qp.v_ref_panda")
    existential = np.array([limit.existential for limit in sampled])
    robust = np.array([limit.robust for limit in sampled])
    low, middle, high = np.percentile(existential, [5, 50, 95])
    by_name = {limit.name: limit for limit in scenarios}
    ours = [by_name[f"qp_panda_cfg{number}"].existential for number in (1, 2)]
    limited = float(np.mean(existential < wanted))
    return judged(
        "H20",
        ours="; ".join(f"{speed:.3f}" for speed in ours) + " m/s",
        difference="; ".join(f"{o / p - 1:+.1%}" for o, p in zip(ours, published, strict=True)),
        holds=bool(low <= min(published) and max(published) <= high and limited == 1.0),
        note="closed-form existential bounds at the scenarios qp_panda_cfg1 and 2, chosen to be"
        f" near the published speeds: poses are not published. {len(sampled)} drawn poses: median"
        f" {middle:.2f}, 5-95 % {low:.2f}-{high:.2f} m/s (robust: median {np.median(robust):.2f}),"
        f" all below {wanted:g}. The closed loop that keeps the bounds: below",
        figures={
            "bound_cfg1_mps": ours[0],
            "bound_cfg2_mps": ours[1],
            "sampled_existential_median_mps": float(middle),
            "sampled_existential_5_percent_mps": float(low),
            "sampled_existential_95_percent_mps": float(high),
            "sampled_robust_median_mps": float(np.median(robust)),
        },
    )


def velocity_row(scenarios: list[SpeedLimit], sampled: list[SpeedLimit]) -> Row:
    """Return the row H22: the scenarios decide, with both maps; drawn poses are reported."""
    published = max(limit.published_velocity_share for limit in scenarios)
    arm = max(limit.velocity_share for limit in scenarios)
    beyond = {
        "published": sum(limit.published_velocity_share > 1.0 for limit in sampled),
        "arm": sum(limit.velocity_share > 1.0 for limit in sampled),
    }
    return judged(
        "H22",
        ours=f"|qd+| at most {published:.2f} of its limit; by M+B_theta {arm:.2f}",
        difference="inactive" if max(published, arm) < 1.0 else "ACTIVE",
        holds=max(published, arm) < 1.0,
        note=f"worst impulse at the existential speed, {len(scenarios)} scenarios, by the"
        " published minimum-norm map and (M+B_theta)^-1 J^T, which the arm follows. Not everywhere:"
        f" of {len(sampled)} drawn poses {beyond['published']} exceed a limit by the published map"
        f" and {beyond['arm']} by the arm's",
        figures={
            "largest_share_published_map": published,
            "largest_share_b_theta": arm,
            "drawn_poses": len(sampled),
            "drawn_poses_beyond_published_map": beyond["published"],
            "drawn_poses_beyond_b_theta": beyond["arm"],
        },
    )


def study(scenarios: list[SpeedLimit]) -> Table:
    """Return the table of scenarios."""
    return Table(
        "speed_limits",
        "Highest approach speed of the scenarios [m/s]; |qd+| over its limit at the existential",
        (
            Column("scenario", "scenario", of="name"),
            Column("friction", "mu", "g"),
            Column("existential_bound_mps", "existential", ".3f", "existential"),
            Column("robust_bound_mps", "robust", ".3f", "robust"),
            Column("robust_binding_joint", "joint", of="joint"),
            Column("velocity_share", "|qd+|", ".2f"),
            Column(
                "velocity_share_published_map",
                "|qd+|, published map",
                ".2f",
                "published_velocity_share",
            ),
        ),
        scenarios,
    )
