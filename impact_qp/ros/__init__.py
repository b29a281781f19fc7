# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the controller's node is made of: inputs, outputs, cycle, goals, supervision."""
