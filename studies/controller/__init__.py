# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Wang 2023: the impact-aware controller, its speed limits and the sets that it announces."""
