# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A long study: what it says when Ctrl-C stops it, and where its figures come from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from impact_analysis.reproduce.row import Claims
    from impact_analysis.reproduce.study_folder import StudyFolder

INTERRUPTED = 130  # exit status after Ctrl-C


@contextmanager
def resumable(finished: StudyFolder[Any], what: str, command: str = "reproduce") -> Iterator[None]:
    """Keep what is finished within; Ctrl-C says how to go on.

    Args:
        finished: the study's folder.
        what: it holds, in the plural.
        command: that is run.

    Raises:
        SystemExit: Ctrl-C.
    """
    try:
        with finished:
            yield
    except KeyboardInterrupt:
        print(
            f"\nimpact {command}: stopped; {len(finished.trials)} {what} are finished,"
            f" go on with --resume --out {finished.folder}",
            file=sys.stderr,
        )
        raise SystemExit(INTERRUPTED) from None


def with_origin(table: Claims, finished: StudyFolder[Any]) -> Claims:
    """Return a study's table that says where its figures come from, all sessions together."""
    return replace(table, summary={**finished.origin(), **table.summary})
