# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact laws and simulations of a convex body against tosses that were measured."""
