# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `touch`, where it moves the simulated arm."""
