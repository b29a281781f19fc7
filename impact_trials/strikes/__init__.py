# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes with a tool in simulation: one, and as many as drive a nail."""
