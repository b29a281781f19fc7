# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the arm and the wall of a scenario for other simulators."""
