# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detectors on recordings: run, score and learn thresholds, and draw events."""
