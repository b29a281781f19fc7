# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What one recording tells: its impacts, those perhaps missed, what speaks against it."""
