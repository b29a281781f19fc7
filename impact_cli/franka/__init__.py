# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The FR3 at an address, real or fake: hits, operator questions, reports."""
