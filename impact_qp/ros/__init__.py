# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parts of the controller's node: inputs, outputs, cycle, goals, supervision."""
