# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Feasible sets: impulses, wrenches, velocities and torques that must be expected."""
