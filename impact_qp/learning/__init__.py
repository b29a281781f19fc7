# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Learning of a wall by hits: approach, record, and the node that requests the hits."""
