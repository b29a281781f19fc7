# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The truth about a trial, from the plant: rows of trials.csv."""
