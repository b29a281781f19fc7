# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Shared memory of loop and node: cycles in a ring, requests in a block, lock-free."""
