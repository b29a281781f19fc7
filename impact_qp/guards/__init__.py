# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is looked at in every cycle whatever the controller does. Needs no ROS."""
