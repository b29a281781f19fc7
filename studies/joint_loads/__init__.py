# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""This suite's own promise: what every joint feels in an impact, and how fast is safe."""
