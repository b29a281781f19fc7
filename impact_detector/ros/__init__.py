# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Messages and diagnostics of the detector's node."""
