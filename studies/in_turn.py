# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Pieces of a study that are made in turn, with progress, and kept nowhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from impact_trials.processes import in_order


def made_in_turn(
    work: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    jobs: int,
    progress: Callable[[float, str], None],
    *,
    study: str,
    what: str,
) -> list[Any]:
    """Return ``work(*each)`` for each of ``arguments``; the number of processes changes nothing.

    Args:
        work: makes a piece.
        arguments: of each piece.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.
        study: its name at the command line.
        what: the pieces are, in the plural.

    Raises:
        AnalysisError: a process died.
    """
    found, count = [], len(arguments)
    for each in in_order(work, arguments, jobs, f"reproduce {study}"):
        found.append(each)
        progress(len(found) / count, f"{len(found)} of {count} {what}")
    return found
