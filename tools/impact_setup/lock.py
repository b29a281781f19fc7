# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One set-up at a time, also when the one before was killed."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(path: Path) -> Iterator[int]:
    """Hold a lock file, waiting for whoever holds it.

    The descriptor is handed on to pip and colcon, so that the lock outlives a killed set-up for as
    long as a child of it still writes.

    Args:
        path: The lock file; made when missing.

    Yields:
        The descriptor that holds the lock.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("impact: waiting for another set-up of this checkout", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()
