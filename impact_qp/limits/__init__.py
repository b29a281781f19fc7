# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Limits: what the arm must not do."""

from impact_qp.limits.collision import Body, CollisionLimit
from impact_qp.limits.contact import Contact, SpeedBound
from impact_qp.limits.effects import VELOCITY_MAPS, PostImpactBound, impact_rows, velocity_jump
from impact_qp.limits.existential import ExistentialImpactLimit
from impact_qp.limits.impact import ImpactLimit
from impact_qp.limits.joint import JointLimit
from impact_qp.limits.limit import Limit, Rows
from impact_qp.limits.torque import TorqueLimit
from impact_qp.limits.worst_case import (
    NominalImpactLimit,
    RobustImpactLimit,
    WorstCaseImpactLimit,
)

__all__ = [
    "VELOCITY_MAPS",
    "Body",
    "CollisionLimit",
    "Contact",
    "ExistentialImpactLimit",
    "ImpactLimit",
    "JointLimit",
    "Limit",
    "NominalImpactLimit",
    "PostImpactBound",
    "RobustImpactLimit",
    "Rows",
    "SpeedBound",
    "TorqueLimit",
    "WorstCaseImpactLimit",
    "impact_rows",
    "velocity_jump",
]
