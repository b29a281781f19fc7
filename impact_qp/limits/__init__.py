# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Limits on the motion of an arm. All files are imported here, because they may register one."""

from importlib import import_module
from pkgutil import iter_modules

from impact_qp.limits import impact_limits
from impact_qp.limits.collision import Body, CollisionLimit
from impact_qp.limits.impact_limits.contact import Contact, SpeedBound
from impact_qp.limits.impact_limits.effects import (
    VELOCITY_MAPS,
    PostImpactBound,
    impact_rows,
    velocity_jump,
)
from impact_qp.limits.impact_limits.existential import ExistentialImpactLimit
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_qp.limits.impact_limits.joint_load import JointLoadLimit
from impact_qp.limits.impact_limits.person import PersonLimit
from impact_qp.limits.impact_limits.registry import IMPACT_LIMITS, RegisteredLimit, impact_limit
from impact_qp.limits.impact_limits.speed import ApproachSpeedLimit
from impact_qp.limits.impact_limits.worst_case import (
    NominalImpactLimit,
    RobustImpactLimit,
    WorstCaseImpactLimit,
)
from impact_qp.limits.joint import JointLimit
from impact_qp.limits.limit import Limit, RateLimit, Rows
from impact_qp.limits.torque import TorqueLimit

__all__ = [
    "IMPACT_LIMITS",
    "VELOCITY_MAPS",
    "ApproachSpeedLimit",
    "Body",
    "CollisionLimit",
    "Contact",
    "ExistentialImpactLimit",
    "ImpactLimit",
    "JointLimit",
    "JointLoadLimit",
    "Limit",
    "NominalImpactLimit",
    "PersonLimit",
    "PostImpactBound",
    "RateLimit",
    "RegisteredLimit",
    "RobustImpactLimit",
    "Rows",
    "SpeedBound",
    "TorqueLimit",
    "WorstCaseImpactLimit",
    "impact_limit",
    "impact_rows",
    "velocity_jump",
]

for _module in iter_modules(impact_limits.__path__):
    import_module(f"{impact_limits.__name__}.{_module.name}")
