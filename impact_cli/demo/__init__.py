# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demos: which scenarios, how each is run, and how it ends."""
