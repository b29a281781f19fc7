# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C that must wait: while modules are imported, or until a child process can brake for it."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def deferred_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back until the block is over.

    For imports: compiled modules turn it into an ImportError with a traceback.

    Raises:
        KeyboardInterrupt: Ctrl-C came within the block.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Let Ctrl-C wait, also in the processes that the block starts: they inherit that."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
