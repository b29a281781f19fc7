# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes with a tool: where from; approach, letting go before the contact, retreat."""
