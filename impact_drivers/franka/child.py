# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Python module as a child process: parameters as one line of input, output is stored.

And, in a child, whether its work is still wanted.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence


class Child:
    """A process that does not receive the terminal's Ctrl-C; its parent handles it."""

    def __init__(
        self, module: str, line: str, arguments: Sequence[str] = (), pass_fds: Sequence[int] = ()
    ) -> None:
        """Start it.

        Args:
            module: to run.
            line: for its standard input.
            arguments: of it.
            pass_fds: descriptors that it inherits.
        """
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            pass_fds=pass_fds,
            start_new_session=True,
        )
        with contextlib.suppress(BrokenPipeError):  # it has ended; its output has the reason
            assert self.process.stdin is not None
            with self.process.stdin as stream:
                stream.write(line.encode() + b"\n")

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def said(self) -> list[str]:
        """Return its printed lines."""
        self._output.seek(0)
        lines = self._output.read().decode(errors="replace").splitlines()
        return [line.rstrip() for line in lines if line.strip()]

    def exit_reason(self) -> str:
        """Return how it ended, in one line."""
        status, lines = self.process.poll(), self.said()
        how = f"status {status}" if status is None or status >= 0 else f"signal {-status}"
        return f"{lines[-1]} ({how})" if lines else how

    def close(self) -> None:
        """Release a process that has ended."""
        self._output.close()


class Wanted:
    """Whether a loop shall run: no signal received, and the process that started it runs."""

    def __init__(self, parent: int) -> None:
        """Start watching; ``parent``: number of that process, which may have ended already."""
        self._parent, self._signalled = parent, False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._note)

    def _note(self, _number: int, _frame: object) -> None:
        self._signalled = True

    def no_longer(self) -> bool:
        """Return whether the loop shall end."""
        return self._signalled or os.getppid() != self._parent
