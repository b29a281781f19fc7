# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka Research 3 through libfranka: a loop without ROS, and the node that it reports to."""
