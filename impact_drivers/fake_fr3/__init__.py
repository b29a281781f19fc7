# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A simulated Franka Research 3: the suite's plant behind the arm's own protocol."""
