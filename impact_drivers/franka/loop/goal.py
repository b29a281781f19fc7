# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A goal at the loop: asked for, made ready beside the cycle, begun or refused."""

from __future__ import annotations

from dataclasses import dataclass

from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_qp.control.controller import ImpactController
from impact_qp.control.plan import Plan


@dataclass(frozen=True)
class LoopGoal:
    """One goal, once its controller was made."""

    number: int  # of the request
    plan: Plan
    thresholds: CollisionBehavior | None  # of the arm in its hit; none: they stay low
    controller: ImpactController
