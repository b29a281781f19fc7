# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Robot cells: one or two arms with plates, a free box, and its support."""
