# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The quadratic program: an object that is composed from tasks and limits, printed and solved."""
