# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detectors: a statistic, its threshold, and when that is an event."""

from impact_robots.registry import import_modules

# Each detector registers itself; the order is that of options and messages.
import_modules(__name__, __path__, first=("fused", "torque_error", "momentum"))
