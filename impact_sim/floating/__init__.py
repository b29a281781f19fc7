# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Motion of robots with any base, springs and closed loops, on a level floor."""
