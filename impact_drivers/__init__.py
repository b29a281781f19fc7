# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drivers of real arms: what commands them in their own cycle, and its link to ROS."""
