# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact-aware control as a quadratic program: tasks, limits, and a solver with fall-backs."""

from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_qp.exceptions import ControlError
from impact_qp.limits import IMPACT_LIMITS, Contact
from impact_qp.program.program import NoSolutionFound, QuadraticProgram, Solution, solve

__all__ = [
    "IMPACT_LIMITS",
    "Command",
    "Contact",
    "ControlError",
    "ImpactController",
    "NoSolutionFound",
    "Phase",
    "Plan",
    "QuadraticProgram",
    "Solution",
    "solve",
]
