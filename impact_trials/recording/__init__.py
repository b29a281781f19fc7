# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the cycles of a trial as a bag, identical to a recording of its topics."""
