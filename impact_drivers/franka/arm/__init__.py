# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm: interface to the loop, libfranka's implementation, model and settings."""
