# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Estimators of an impact: contact time, velocities, impulse, restitution."""
