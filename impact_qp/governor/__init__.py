# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Slows down the commands of another controller so that impacts stay within their limits."""

from impact_qp.governor.governor import Capped, Governor, MeasuredState

__all__ = ["Capped", "Governor", "MeasuredState"]
