# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What one arm does in the plant: hits whose truth is recorded, and motions."""
