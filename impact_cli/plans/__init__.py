# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `plan` and `map`: what each kind of task is asked and answered."""
