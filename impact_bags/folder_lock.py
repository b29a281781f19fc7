# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One process at a time writes into a folder; the lock ends with its owner, however that ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from impact_bags.exceptions import AnalysisError
from impact_robots.exceptions import UsageError


@contextlib.contextmanager
def locked(folder: Path, option: str) -> Iterator[None]:
    """Keep other processes of this project out of a folder; no file is made for it.

    The kernel holds the lock, so a killed process leaves none behind. File systems without locks of
    folders (some network file systems) do not exclude other processes.

    Args:
        folder: that exists.
        option: of the command line, which named it.

    Raises:
        AnalysisError: another process holds it.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AnalysisError(
                f"{option}: another process is writing into {folder}: wait for it, or choose"
                " another folder"
            ) from None
        except OSError:
            pass
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def made_and_locked(folder: Path, option: str) -> Iterator[None]:
    """Make a folder where there is none, and keep others out; left empty, it is removed again.

    Args:
        folder: that may exist.
        option: of the command line, which named it.

    Raises:
        UsageError: it cannot be made.
        AnalysisError: another process holds it.
    """
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{option}: cannot make {folder}: {error.strerror}") from None
    try:
        with locked(folder, option):
            yield
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # it is not empty
                folder.rmdir()
