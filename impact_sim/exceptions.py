# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the simulator."""

from impact_robots.exceptions import ImpactError, TaskError


class SimulationError(ImpactError):
    """The simulated plant was asked for something it cannot do; nothing has moved."""


ScenarioError = TaskError  # of what a scenario and its task have in common, and of its world
