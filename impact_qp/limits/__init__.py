# SPDX-License-Identifier: Apache-2.0
"""Limits: what the arm must not do."""

from impact_qp.limits.impact import (
    Contact,
    ExistentialImpactLimit,
    ImpactLimit,
    NominalImpactLimit,
    RobustImpactLimit,
    SpeedBound,
    WorstCaseImpactLimit,
    impact_rows,
)
from impact_qp.limits.joint import JointLimit
from impact_qp.limits.limit import Limit, Rows
from impact_qp.limits.torque import TorqueLimit

__all__ = [
    "Contact",
    "ExistentialImpactLimit",
    "ImpactLimit",
    "JointLimit",
    "Limit",
    "NominalImpactLimit",
    "RobustImpactLimit",
    "Rows",
    "SpeedBound",
    "TorqueLimit",
    "WorstCaseImpactLimit",
    "impact_rows",
]
