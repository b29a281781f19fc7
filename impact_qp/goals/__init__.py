# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Goals: read from messages, planned beside the cycle, begun or refused. Needs no ROS."""
