# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm as its driver shows it: commands in, measurements with noise out."""
