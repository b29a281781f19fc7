# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The virtual spring of Wang 2022 on viscoelastic profiles: it needs a restitution above 1 (H3).

The spring of Wang 2022, section VII-A1, changes its stiffness at the largest force, so it takes
the peak of a profile for the end of compression. A viscoelastic contact's force leads its
penetration: the peak comes early, and more impulse follows it than preceded it.
"""

from __future__ import annotations

import math

import numpy as np

from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.contact_force.restitution import spring_restitution
from impact_predictor.contact_force.simulation import simulate_contact
from studies.impact_models.contact_models import MASS, RATIOS, SPEED, STIFFNESS
from studies.row import Row, judged


def row() -> Row:
    """Return the row H3."""
    found = []
    for ratio in RATIOS:
        law = Viscoelastic(STIFFNESS, ratio * STIFFNESS / SPEED)
        profile = simulate_contact(law, MASS, SPEED)
        by = [spring_restitution(profile.time, profile.force, by) for by in ("impulse", "duration")]
        found.append((profile.restitution or math.nan, *by))
    true, impulses, times = np.array(found).T
    return judged(
        "H3",
        published="e_r > 1",
        ours=f"{impulses.min():.2f} to {impulses.max():.2f} by impulses, {times.min():.2f} to"
        f" {times.max():.2f} by times",
        difference=f"true e: {true.min():.2f} to {true.max():.2f}",
        holds=bool(impulses.min() > 1.0 and times.min() > 1.0 and true.max() < 1.0),
        note=f"virtual spring fitted to {len(found)} viscoelastic profiles, s = c|v|/k from"
        f" {RATIOS[0]:g} to {RATIOS[-1]:g}: the force peak, its end of compression, comes before"
        " the largest penetration",
        figures={
            "smallest_restitution_by_impulse": float(impulses.min()),
            "largest_restitution_by_impulse": float(impulses.max()),
            "largest_true_restitution": float(true.max()),
        },
    )
