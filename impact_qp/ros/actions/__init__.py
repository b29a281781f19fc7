# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Actions of the controller's node."""
