# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reports of commands, as text and JSON."""
