# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm with its driver: commands in, measurements with noise out."""
