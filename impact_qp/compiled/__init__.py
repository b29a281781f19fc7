# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The inner loops of a cycle, compiled; see :mod:`impact_robots.compiling.compiled`."""
