# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""This suite's own claim: contacts with people at the planned speed stay within their limits."""
