# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The flexible-joint arm in MuJoCo, its torque loop, and the wall that it hits."""
