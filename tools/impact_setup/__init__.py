# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The set-up behind ``./impact``: virtual environment, ROS 2, both colcon packages.

It runs before anything is installed, so it uses the standard library alone. Read it in this order:
``cli`` (commands), ``workspace`` (what is stale, and in which order it is mended), then the steps.
"""
