# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Shuts nodes down in the given order, avoiding a possible endless wait in Fast DDS 3.2."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rclpy
from rclpy.context import Context

THREADS = Path("/proc/self/task")


def close(*nodes: Any, context: Context | None = None) -> None:
    """Destroy nodes, one after the other, then shut their context down.

    Args:
        *nodes: Objects with a method `destroy_node`.
        context: Of these nodes; the default one if none is given. It may be shut down already.
    """
    with one_core():
        for node in nodes:
            node.destroy_node()
        rclpy.try_shutdown(context=context)


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep all threads of this process on one core while a context's last node is destroyed.

    The destruction of what Fast DDS calls a participant waits for callbacks of discovery. Where it
    is built for a C library before 2.30, as in the wheels, that wait unlocks and locks a mutex
    without a pause (eProsima/Fast-DDS#6513), and a callback that runs on another core and needs
    the mutex may never get it: seen to spin for minutes, until it was killed. On one core the
    scheduler runs whoever was woken by the unlocking before the spinning thread locks again. A
    real-time priority of any thread, which would forbid just that, is given up for good.
    """
    before = {}
    core = min(os.sched_getaffinity(0))
    for entry in THREADS.iterdir():
        thread = int(entry.name)
        with contextlib.suppress(OSError):  # it has ended
            before[thread] = os.sched_getaffinity(thread)
            os.sched_setaffinity(thread, {core})
            if os.sched_getscheduler(thread) in (os.SCHED_FIFO, os.SCHED_RR):
                os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
    try:
        yield
    finally:
        for thread, cores in before.items():
            with contextlib.suppress(OSError):
                os.sched_setaffinity(thread, cores)
