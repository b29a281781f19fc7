# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Velocity fields beside references in time, on objects that are not where they are expected."""
