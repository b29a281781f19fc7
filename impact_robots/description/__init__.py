# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A robot's YAML: its entries and the records made of them."""
