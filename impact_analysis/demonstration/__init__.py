# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""References of reference spreading from a recorded demonstration: cut at the impact, smoothed."""
