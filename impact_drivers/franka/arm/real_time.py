# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Real-time settings of a process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

LATENCY = Path("/dev/cpu_dma_latency")  # how long a processor may take to wake up, of Linux
LOCK_ALL = 3  # MCL_CURRENT | MCL_FUTURE
PRIORITY = 80  # of SCHED_FIFO, below the kernel's own threads
_awake: list[int] = []  # open file of this process, while it keeps the processors awake


def claim(core: int | None = None) -> list[str]:
    """Lock memory, set a real-time priority, reserve a core and keep it awake, where allowed.

    Args:
        core: number of the core; None: the last of several, else any.

    Returns:
        the refused settings, as text.
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
    try:
        stay_awake()
    except OSError as error:
        refused.append(f"the processors may sleep: {error.strerror}: {LATENCY}")
    return refused


def stay_awake() -> None:
    """Keep all processors from sleeping while they are idle, until this process ends.

    One that slept takes longer for the next cycle: it wakes up with a lower clock, or another
    virtual machine has used its caches. Awake, they need as much power as under load. Linux keeps
    the setting for as long as the file is open.

    Raises:
        OSError: it is not allowed, or this is no Linux.
    """
    if not _awake:
        file = os.open(LATENCY, os.O_WRONLY)
        try:
            os.write(file, (0).to_bytes(4, sys.byteorder))  # [us]
        except OSError:
            os.close(file)
            raise
        _awake.append(file)


@contextlib.contextmanager
def own_priority() -> Iterator[None]:
    """Restore this thread's scheduling after a library call that changes it.

    libfranka sets the highest real-time priority for the connecting thread, even if it is
    configured to run without a real-time kernel. Child processes inherit it, and two busy ones
    would block two cores. It is restored by the C library's own call: the library stores the last
    setting, and Fast DDS applies it to its threads.
    """
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority
    try:
        yield
    finally:
        this, parameters = ctypes.c_ulong(threading.get_ident()), ctypes.c_int(priority)
        ctypes.CDLL(None).pthread_setschedparam(this, policy, ctypes.byref(parameters))
