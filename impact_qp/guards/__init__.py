# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks in every cycle, independent of the controller. Needs no ROS."""
