# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms with plates that push or grab a box by reference spreading: their plans and their node."""
