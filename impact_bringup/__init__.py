# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite's processes: console scripts, an experiment over DDS, its recording.

Importing this package needs no ROS; its modules do.
"""
