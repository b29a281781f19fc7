# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the simulator."""

from impact_robots.exceptions import ImpactError


class SimulationError(ImpactError):
    """The simulated plant was asked for something it cannot do; nothing has moved."""


class ScenarioError(ImpactError):
    """A scenario is unknown or incomplete; the text names the choices."""

    is_wrong_input = True
