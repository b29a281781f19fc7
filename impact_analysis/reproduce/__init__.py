# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The published claims, recomputed: a room for each source, a module a study, a row a claim."""
