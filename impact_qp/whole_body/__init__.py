# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Control of a whole robot, its base free: the tasks, limits and program of several contacts."""

from impact_qp.whole_body.arrival import Arrival, ArrivingImpulses, arriving_impulses
from impact_qp.whole_body.impact_rows import CentroidalBounds, ImpactRows, several_impact_rows
from impact_qp.whole_body.planning import READINGS, arrival_speed
from impact_qp.whole_body.speed_bounds import existential_bound, worst_case_bound, worst_loads

__all__ = [
    "READINGS",
    "Arrival",
    "ArrivingImpulses",
    "CentroidalBounds",
    "ImpactRows",
    "arrival_speed",
    "arriving_impulses",
    "existential_bound",
    "several_impact_rows",
    "worst_case_bound",
    "worst_loads",
]
