# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A wall of a scenario that is learned from the arm's own hits: the run, its table, its picture."""
