# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The loop in the arm's cycle: its states, one motion, one answer, and stop conditions."""
