# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The viewer's web server, and browsers for it."""
