# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings and data sets in; comparisons, tables, plots and reports out. No ROS needed."""
