# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Topics, action and diagnostics of the Franka node."""
