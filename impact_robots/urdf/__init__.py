# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A robot's URDF: read strictly, and checked against its YAML."""
