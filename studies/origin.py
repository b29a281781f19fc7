# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Origin of a study's figures: commit, date, duration."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from datetime import datetime, timezone
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@cache
def commit() -> str:
    """Return the commit of this checkout, with "-dirty" if files differ from it; else a version."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]
    if (ROOT / ".git").exists():
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return "unknown"
        return done.stdout.strip()
    try:
        return f"version {metadata.version('impact_control')}"
    except metadata.PackageNotFoundError:
        return "unknown"


def origin(seconds: float, commits: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a study's JSON document says of where it comes from.

    Args:
        seconds: it took, wall clock [s].
        commits: at which it ran, if not at the present one alone.
    """
    return {
        "commit": ", ".join(commits or [commit()]),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "duration_s": round(seconds, 1),
    }
