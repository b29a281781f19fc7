# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The loop as a child process of the node."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile

from impact_drivers.franka.memory.link import NodeEnd
from impact_drivers.franka.parameters import FrankaParameters

MODULE = "impact_drivers.franka.loop_main"


class LoopProcess:
    """Runs the loop in a process of its own, without ROS and without a second thread.

    It does not die with its parent: it brakes when the node is no longer heard, and then ends.

    Attributes:
        cycles: that it reports.
        commands: to it.
    """

    def __init__(self, settings: FrankaParameters, module: str = MODULE) -> None:
        """Begin; the loop connects to the arm and reports its states.

        Args:
            settings: that it gets as one line on its standard input.
            module: that is run, with the descriptor of the memory as argument.

        Raises:
            LinkError: there is no shared memory to be had.
        """
        self._link = NodeEnd()
        self.cycles, self.commands = self._link.cycles, self._link.commands
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, str(self._link.descriptor)],
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            pass_fds=[self._link.descriptor],
            start_new_session=True,  # Ctrl-C is for the node, which then ends the loop
        )
        self._send(settings.to_line())

    def _send(self, line: str) -> None:
        """Write a line to the standard input, and close it."""
        with contextlib.suppress(BrokenPipeError):  # it has ended; its last words say why
            assert self._process.stdin is not None
            with self._process.stdin as stream:
                stream.write(line.encode() + b"\n")

    @property
    def identifier(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def pause(self, duration: float) -> None:
        """Wait for some time [s], less if the process ends."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(duration)

    def stop(self, *, at_once: bool) -> None:
        """Ask the process to end by a signal, or kill it; the arm then stops by itself."""
        if at_once:
            self._process.kill()
        else:
            self._process.terminate()

    def said(self) -> list[str]:
        """Return the lines that it has printed."""
        self._output.seek(0)
        lines = self._output.read().decode(errors="replace").splitlines()
        return [line.rstrip() for line in lines if line.strip()]

    def last_words(self) -> str:
        """Return how it ended, in one line."""
        status, lines = self._process.poll(), self.said()
        how = f"status {status}" if status is None or status >= 0 else f"signal {-status}"
        return f"{lines[-1]} ({how})" if lines else how

    def close(self) -> None:
        """Forget a process that has ended."""
        self._output.close()
        self._link.close()
