# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What really happened in a trial, from the plant: rows of trials.csv."""
