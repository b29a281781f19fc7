# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the controller; each carries its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from impact_robots.exceptions import ImpactError

if TYPE_CHECKING:
    from impact_qp.program import QuadraticProgram


class ControlError(ImpactError):
    """The controller was set up with something it cannot use."""


class NoSolutionFound(ControlError):
    """A quadratic program has no solution; ``program`` is kept for a look."""

    def __init__(self, program: QuadraticProgram, reason: str) -> None:
        """Keep the program and the solver's reason."""
        super().__init__(f"no solution: {reason}")
        self.program = program
