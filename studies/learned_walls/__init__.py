# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""This suite's own claim: walls and joints learned from hits, none of which is too fast."""
