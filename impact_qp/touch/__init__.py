# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Move until contact: goal, promise, detection and controller. Needs no ROS."""
