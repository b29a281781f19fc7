# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What every node of the suite shares: parameters, messages, QoS, spinning, console scripts.

Importing this package needs no ROS; only what is called imports rclpy.
"""
