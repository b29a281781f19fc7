# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the viewer."""

from __future__ import annotations

from impact_bags.exceptions import AnalysisError


class ViewError(AnalysisError):
    """Nothing can be shown: no port, or no browser for a picture."""
