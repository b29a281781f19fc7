# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tools that strike, and their targets."""
