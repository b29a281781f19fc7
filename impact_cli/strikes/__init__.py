# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plans of strikes with a tool, for the command `plan`."""
