# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Shows recordings, and runs in progress, in 3-D in the browser."""
