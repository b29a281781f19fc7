# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Control by reference spreading: an arm that goes on after an impact as the impact leaves it."""

from impact_qp.spreading.controller import SpreadingController, join
from impact_qp.spreading.force import GrabForce, PushForce, no_force
from impact_qp.spreading.friction import FrictionFeedforward, learn_friction
from impact_qp.spreading.guard import SpreadGuard
from impact_qp.spreading.modes import Mode, StopReason, Trigger, Variant, heard
from impact_qp.spreading.plan import SpreadGains, SpreadPlan, held_back
from impact_qp.spreading.speeds import check_speeds

__all__ = [
    "FrictionFeedforward",
    "GrabForce",
    "Mode",
    "PushForce",
    "SpreadGains",
    "SpreadGuard",
    "SpreadPlan",
    "SpreadingController",
    "StopReason",
    "Trigger",
    "Variant",
    "check_speeds",
    "heard",
    "held_back",
    "join",
    "learn_friction",
    "no_force",
]
