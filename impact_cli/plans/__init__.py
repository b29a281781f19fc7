# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `plan`: computation and report of each kind of task."""
