# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hits of one arm with recorded truth, and its free motions."""
