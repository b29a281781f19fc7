# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Where an arm was hit, and whether that had been announced."""
