# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What commands print: text and JSON."""
