# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demos: choice of scenario, run and output of each."""
