# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the cycles of a trial as the bag that recording its topics would have given."""
