# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Control of a whole robot, its base free: the tasks, limits and program of several contacts."""

from impact_qp.whole_body.arrival import Arrival, ArrivingImpulses, arriving_impulses
from impact_qp.whole_body.arrivals_limit import WorstCaseArrivalsLimit
from impact_qp.whole_body.body_limits import (
    AngularMomentumLimit,
    ComVelocityLimit,
    SupportLimit,
)
from impact_qp.whole_body.body_tasks import AngularMomentumTask, ComTask, JointPostureTask
from impact_qp.whole_body.controller import WholeBodyCommand, WholeBodyController
from impact_qp.whole_body.impact_rows import CentroidalBounds, ImpactRows, several_impact_rows
from impact_qp.whole_body.one_impulse_each import ExistentialArrivalsLimit
from impact_qp.whole_body.planning import READINGS, arrival_speed
from impact_qp.whole_body.speed_bounds import existential_bound, worst_case_bound, worst_loads
from impact_qp.whole_body.standing import StandingLimit
from impact_qp.whole_body.targets import PalmApproach, PalmTarget, Phases, WholeBodyTargets

__all__ = [
    "READINGS",
    "AngularMomentumLimit",
    "AngularMomentumTask",
    "Arrival",
    "ArrivingImpulses",
    "CentroidalBounds",
    "ComTask",
    "ComVelocityLimit",
    "ExistentialArrivalsLimit",
    "ImpactRows",
    "JointPostureTask",
    "PalmApproach",
    "PalmTarget",
    "Phases",
    "StandingLimit",
    "SupportLimit",
    "WholeBodyCommand",
    "WholeBodyController",
    "WholeBodyTargets",
    "WorstCaseArrivalsLimit",
    "arrival_speed",
    "arriving_impulses",
    "existential_bound",
    "several_impact_rows",
    "worst_case_bound",
    "worst_loads",
]
