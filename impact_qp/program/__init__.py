# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The quadratic program: composed from tasks and limits, can be printed and solved."""
