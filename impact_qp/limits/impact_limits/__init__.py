# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact limits: one file each, found by name, and their common parts."""
