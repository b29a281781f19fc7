# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings in 3-D in the browser, and runs as they are made."""
