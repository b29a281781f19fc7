# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The scene in the browser at one time: links, surface, arrows, and the panel beside it."""
