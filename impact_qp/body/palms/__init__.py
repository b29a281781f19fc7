# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Palms that press on one another through a box: bounds of impulses, and of joint loads."""
