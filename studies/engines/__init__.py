# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simultaneous impact map beside the rigid steps of MuJoCo and of DART."""
