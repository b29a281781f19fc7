# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A sentence of a report with its key."""

from __future__ import annotations

from typing import NamedTuple


class Sentence(NamedTuple):
    """A sentence of a report, and what it is about."""

    key: str  # of the templates, or "unreadable"
    text: str
    recording: str = ""  # empty: all of them
    time: float | None = None  # of the impact that it is about, None: of none [s]
