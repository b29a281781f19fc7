# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid that grabs boxes: what is promised of it over seeds, and what makes it fall."""
