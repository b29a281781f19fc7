# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Handles a standard output that is closed, full or no longer read, and a closed standard error."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable

from impact_robots.exceptions import WriteError

READER_GONE = 128 + 13  # exit status of a shell after SIGPIPE
FAILED = 1
OF_OUTPUT = (errno.EBADF, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # without a name


def fill_closed_streams() -> None:
    """Occupy descriptors 0 to 2 where they are closed (``>&-``), before a file gets their number.

    Writing to a standard output that was closed fails, as it does for other programs.
    """
    while (number := os.open(os.devnull, os.O_RDONLY)) <= 2:
        os.set_inheritable(number, True)  # for child processes it is the same
    os.close(number)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def failed(program: str, message: object, status: int) -> int:
    """Print a program's name and one line on standard error; return the exit status."""
    print(f"{program}: {' '.join(str(message).split())}", file=sys.stderr)
    return status


def with_output(command: Callable[[], int]) -> int:
    """Run a command and flush its output.

    Args:
        command: returns the exit status.

    Returns:
        its exit status; silently ``READER_GONE`` if the reader has gone, ``FAILED`` if the output
        was closed from the beginning.

    Raises:
        WriteError: standard output cannot be written, on a full disk for instance.
        SystemExit: as the command did.
    """
    try:
        try:
            return command()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _discard()
        return READER_GONE
    except OSError as error:
        if error.filename is not None or error.errno not in OF_OUTPUT:
            raise WriteError(str(error)) from None
        _discard()
        if error.errno == errno.EBADF:
            return FAILED
        raise WriteError.of("standard output", error) from None


def _discard() -> None:
    """Redirect the remaining output to the null device, so that Python does not flush it again."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
