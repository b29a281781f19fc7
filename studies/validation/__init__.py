# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The validation of van Steen 2025 by simulation: net feedback of pushes and grabs."""
