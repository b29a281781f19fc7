# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What compiled functions share: how they are compiled and called, kinds of arrays."""
