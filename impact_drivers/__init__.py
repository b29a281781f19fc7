# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drivers of real arms: control loop in the arm's cycle, and its link to ROS."""
