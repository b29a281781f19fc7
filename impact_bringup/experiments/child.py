# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A child process that ends with its parent, whatever ends the parent."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

STOP_TIMEOUT = 5.0  # time to end on request, before it is killed [s]
PR_SET_PDEATHSIG = 1
# Looked up before the fork: of several threads, one may hold the loader's lock at that moment.
_PRCTL = getattr(ctypes.CDLL(None), "prctl", None)


@contextlib.contextmanager
def child_process(
    module: str, arguments: Sequence[str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Python module beside this process; its output goes to a file.

    Args:
        module: Name of the module, such as ``impact_bringup.suite``.
        arguments: Its command line.
        log: File for its output.

    Yields:
        The process; it is interrupted, then killed, at the end.
    """
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the parent, which then ends the child
            preexec_fn=_die_with_parent,
        )
        try:
            yield process
        finally:
            _stop(process)


def _die_with_parent() -> None:
    """Ask Linux to kill this process when its parent dies; no effect on other systems."""
    if _PRCTL is not None:
        _PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Interrupt the process; kill it when that does not help."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
