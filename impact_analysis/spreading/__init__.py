# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What recordings tell of arms that follow spread references, and of what they hit."""
