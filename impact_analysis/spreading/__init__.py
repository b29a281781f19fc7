# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Analysis of recordings of arms that follow spread references, and of the object."""
