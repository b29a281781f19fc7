# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The loop as a child process of the node."""

from __future__ import annotations

import contextlib
import os
import subprocess

from impact_drivers.franka.child import Child
from impact_drivers.franka.memory.link import NodeEnd
from impact_drivers.franka.parameters import FrankaParameters

MODULE, RESTORE = "impact_drivers.franka.loop_main", "impact_drivers.franka.restore_main"


class LoopProcess:
    """Runs the loop in a process of its own, without ROS.

    If its parent dies, it brakes for lack of the node's beats, and then ends.

    Attributes:
        cycles: that it reports.
        commands: to it.
    """

    def __init__(self, settings: FrankaParameters, module: str = MODULE) -> None:
        """Begin; the loop connects to the arm and reports its states.

        Args:
            settings: passed as one line on its standard input.
            module: to run, see :mod:`.loop_main`.

        Raises:
            LinkError: no shared memory available.
        """
        self._settings = settings
        self._restorer: Child | None = None
        self._link = NodeEnd()
        self.cycles, self.commands = self._link.cycles, self._link.commands
        descriptor = self._link.descriptor
        given = [str(descriptor), str(os.getpid())]
        self._child = Child(module, settings.to_line(), given, [descriptor])

    @property
    def identifier(self) -> int:
        """Number of the process."""
        return self._child.process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._child.is_alive

    @property
    def ended_in_order(self) -> bool:
        """Whether the process has ended, with the arm's collision thresholds low."""
        return self._child.process.poll() == 0

    def pause(self, duration: float) -> None:
        """Wait for some time [s], less if the process ends."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.process.wait(duration)

    def stop(self, *, at_once: bool) -> None:
        """Ask the process to end by a signal, or kill it; the arm then stops by itself."""
        if at_once:
            self._child.process.kill()
        else:
            self._child.process.terminate()

    def restore(self) -> str | None:
        """Lower the arm's collision thresholds, if the process has left them raised.

        Returns:
            None during the attempt; then why they may still be raised, "" if they are low.
        """
        if not self._settings.raise_thresholds:
            return ""
        if self._restorer is None:
            self._restorer = Child(RESTORE, self._settings.to_line())
        if self._restorer.is_alive:
            return None
        return self._restorer.exit_reason() if self._restorer.process.returncode else ""

    def said(self) -> list[str]:
        """Return its printed lines."""
        return self._child.said()

    def exit_reason(self) -> str:
        """Return how it ended, in one line."""
        return self._child.exit_reason()

    def close(self) -> None:
        """Release a process that has ended."""
        self._child.close()
        self._link.close()
        if self._restorer is not None:
            self._restorer.process.kill()  # if it still runs
            self._restorer.process.wait()
            self._restorer.close()
