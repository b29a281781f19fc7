# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid with a free base on a floor, whose palms grab boxes from a pedestal."""
