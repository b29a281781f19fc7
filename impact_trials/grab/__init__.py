# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Trials in which a humanoid grabs boxes between its palms, lifts them and tosses them."""
