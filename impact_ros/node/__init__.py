# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Node infrastructure: start, spin, checked callbacks and orderly shutdown."""
