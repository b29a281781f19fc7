# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Models of planar impacts, fitted to measured ones and judged on others."""
