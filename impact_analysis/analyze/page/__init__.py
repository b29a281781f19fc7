# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Output of an analysis: sentences, tables, plots, documents."""
