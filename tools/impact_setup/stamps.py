# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Stamps: what was made from which inputs.

A stamp is removed before its step starts and written, in one atomic rename, after the step is
complete. So a stamp that is missing means "never made or half made", whatever interrupted it.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path


def digest(texts: Iterable[str], files: Iterable[Path] = ()) -> str:
    """Hash texts and files, with the files' names.

    Args:
        texts: Anything else that the result depends on.
        files: Files whose absence counts as a content of its own.

    Returns:
        A short hexadecimal digest.
    """
    result = hashlib.sha256()
    for text in texts:
        result.update(f"{len(text)}:{text}".encode())
    for file in files:
        content = file.read_bytes() if file.is_file() else b"absent"
        result.update(f"{file.name}:{len(content)}:".encode() + content)
    return result.hexdigest()[:24]


def read(stamp: Path) -> dict[str, str]:
    """Return what a stamp says, or nothing when it is missing or damaged."""
    try:
        content = json.loads(stamp.read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write(stamp: Path, content: dict[str, str]) -> None:
    """Write a stamp in one atomic step."""
    stamp.parent.mkdir(parents=True, exist_ok=True)
    partial = stamp.with_name(stamp.name + ".partial")
    partial.write_text(json.dumps(content, indent=1))
    partial.replace(stamp)


def remove(stamp: Path) -> None:
    """Remove a stamp if it is there."""
    stamp.unlink(missing_ok=True)
