# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""This suite's own claim: the load of every joint in an impact, and the safe speed."""
