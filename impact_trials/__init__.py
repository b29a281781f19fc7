# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simulated trials in lockstep, one or a campaign of them, with the truth beside; no ROS."""
