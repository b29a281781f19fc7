# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact with people: how fast an arm may be, and how gently it can meet something."""
