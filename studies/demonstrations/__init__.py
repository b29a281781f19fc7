# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""References from demonstrations: a hand guides an arm into a box, the arm repeats it."""
