# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Collision thresholds of an arm: what a hit needs, and what still stops the arm."""
