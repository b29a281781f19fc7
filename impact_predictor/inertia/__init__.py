# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inverse inertia matrices of a contact point, and their Jacobian."""
