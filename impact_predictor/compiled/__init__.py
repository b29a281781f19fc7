# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of predictions, compiled; see :mod:`impact_robots.compiling.compiled`."""
