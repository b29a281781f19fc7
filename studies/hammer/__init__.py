# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""This suite's own claim: strikes with a tool at the planned speed stay within joint limits."""
