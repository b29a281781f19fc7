# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The commands `map` and `compare`: speeds over a surface, of one arm or several, and reports."""
