# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recomputes published claims, and validates the suite in long studies: a folder for each.

Part of a checkout, not installed: ``./impact reproduce`` runs it.
"""
