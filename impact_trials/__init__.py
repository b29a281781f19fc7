# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simulated trials in lockstep, single or in campaigns, with the truth; no ROS."""
