# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What loop and node share: cycles in a ring, requests in a block, both without a lock."""
