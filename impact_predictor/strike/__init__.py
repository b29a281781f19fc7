# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes with a tool whose handle gives: loads, the highest safe speed, effect on the target."""
