# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the controller."""

from __future__ import annotations

from impact_robots.exceptions import ImpactError


class ControlError(ImpactError):
    """The controller was set up with something it cannot use."""
