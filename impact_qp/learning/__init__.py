# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hits that learn a wall: from where, what was recorded of one, and a node that asks for them."""
