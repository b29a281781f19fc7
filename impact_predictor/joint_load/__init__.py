# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint torques of a flexible-joint arm in an impact."""
