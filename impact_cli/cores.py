# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How many processes there may be, if nobody says how many."""

import os


def cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
