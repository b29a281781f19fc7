# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid that grabs boxes between its palms, lifts and tosses them: its phases and its node."""
