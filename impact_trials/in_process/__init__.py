# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One trial in one process without ROS: a hit, a push, free motion, a learned wall."""
