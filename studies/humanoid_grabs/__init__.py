# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid that grabs boxes: expected figures over seeds, and causes of a fall."""
