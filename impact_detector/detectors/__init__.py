# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detectors: a statistic, its threshold, and when that is an event."""
