# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Experiments over DDS: the plant in this process, nodes in others, and their recording."""
