# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The learner's topics and actions."""
