# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm: what a loop needs of one, libfranka's, its model, its settings."""
