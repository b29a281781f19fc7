# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the simulator."""

from impact_robots.exceptions import ImpactError, TaskError


class SimulationError(ImpactError):
    """An invalid request to the simulated plant, which has not moved."""


ScenarioError = TaskError  # scenarios share the entries of tasks, and their errors
