# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Functions compiled by numba: imported by what runs them, when it is made."""
