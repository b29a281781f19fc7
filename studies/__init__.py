# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recomputes what papers claim, and judges the suite at length: a folder for each source or study.

Part of a checkout, not installed: ``./impact reproduce`` runs it.
"""
