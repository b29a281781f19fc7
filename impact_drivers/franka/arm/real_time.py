# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a process can do to be in time."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator

LOCK_ALL = 3  # MCL_CURRENT | MCL_FUTURE
PRIORITY = 80  # of SCHED_FIFO, below what the kernel's own threads take


def claim(core: int | None = None) -> list[str]:
    """Keep memory in place, take a real-time priority and a core of one's own, where allowed.

    Args:
        core: number of the core to run on; none: the last of several, else any.

    Returns:
        what was not allowed, in words.
    """
    refused = []
    if ctypes.CDLL(None, use_errno=True).mlockall(LOCK_ALL) != 0:
        refused.append("memory cannot be locked")
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except OSError:
        refused.append("no real-time priority")
    cores = sorted(os.sched_getaffinity(0))
    try:
        if core is not None or len(cores) > 1:
            os.sched_setaffinity(0, {cores[-1] if core is None else core})
    except OSError:
        refused.append(f"cannot reserve core {core}")
    return refused


@contextlib.contextmanager
def own_priority() -> Iterator[None]:
    """Undo what a library does to this thread's scheduling.

    libfranka takes the highest real-time priority for whoever connects, even where it is told to
    do without a real-time kernel; so would every process that the caller starts from then on, and
    two of them that are busy leave nothing of two cores to anybody else. It is undone by the C
    library's own call: that remembers what was set last, and Fast DDS gives it to its threads.
    """
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority
    try:
        yield
    finally:
        this, parameters = ctypes.c_ulong(threading.get_ident()), ctypes.c_int(priority)
        ctypes.CDLL(None).pthread_setschedparam(this, policy, ctypes.byref(parameters))
