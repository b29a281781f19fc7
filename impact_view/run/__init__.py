# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Data of a run for the viewer: from a recording, or of a run in progress."""
