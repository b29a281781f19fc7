# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Smallest and largest values over trials."""

from __future__ import annotations

from collections.abc import Iterable

Span = tuple[float, float]
NONE = float("nan"), float("nan")


def span(values: Iterable[float]) -> Span:
    """Return the least and the most of values; nan of none, or if one of them is."""
    found = list(values)
    if not found or any(value != value for value in found):
        return NONE
    return min(found), max(found)


def spanned(between: Span, digits: int = 3, scale: float = 1.0) -> str:
    """Return a span as text, its numbers multiplied by a scale."""
    return " to ".join(f"{scale * value:.{digits}f}" for value in between)


def within(found: Span, wanted: Span) -> bool:
    """Return whether one span is within another; nan is not."""
    return wanted[0] <= found[0] and found[1] <= wanted[1]
