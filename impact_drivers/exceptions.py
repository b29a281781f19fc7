# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the drivers."""

from __future__ import annotations

from impact_robots.exceptions import ImpactError


class DriverError(ImpactError):
    """Root of the errors of this package."""


class LinkError(DriverError):
    """The memory between a driver's loop and its node cannot be used."""
