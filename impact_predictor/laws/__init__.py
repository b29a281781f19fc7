# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact laws of one contact: from velocities before to impulse and velocities after."""
