# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predictions beside what was measured, and what follows for surface and joints."""
