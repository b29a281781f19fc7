# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A table as text."""

from __future__ import annotations

from collections.abc import Sequence


def text_table(lines: Sequence[Sequence[str]]) -> str:
    """Return cells in columns, the first one to the left; the first line is the head."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    texts = [
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    ]
    rule = "-" * len(texts[0])
    return "\n".join([texts[0], rule, *texts[1:], rule])
