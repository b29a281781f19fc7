# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Runs pip and colcon: output to the log, progress to the terminal, failures in one line."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from impact_setup.errors import SetupError

TAIL_LINES = 12
STOP_TIMEOUT_S = 10.0

# What pip, cmake and the compilers say, and what it means.
KNOWN_FAILURES = (
    (("No space left on device", "Errno 28", "Disk quota exceeded"), "no space left on the disk"),
    (
        (
            "Failed to establish a new connection",
            "Temporary failure in name resolution",
            "Name or service not known",
            "Network is unreachable",
            "ConnectTimeoutError",
            "ReadTimeoutError",
            "ProxyError",
            "NewConnectionError",
            "Max retries exceeded",
        ),
        "no network: pip cannot reach the package index",
    ),
    (("(from versions: none)",), "no network, or pip is set to an index without the packages"),
    (
        ("No CMAKE_CXX_COMPILER could be found", "No CMAKE_C_COMPILER could be found"),
        "no C++ compiler that works (Debian, Ubuntu: apt install g++)",
    ),
)


def explain(text: str) -> str:
    """Return what a failed command's output means in one line, or nothing when it is not known."""
    for patterns, meaning in KNOWN_FAILURES:
        if any(pattern in text for pattern in patterns):
            return meaning
    return ""


@dataclass
class Runner:
    """Runs the set-up's commands.

    Attributes:
        log: The file that takes their output.
        cwd: The directory that they run in.
        keep: A descriptor that they inherit: the lock's.
    """

    log: Path
    cwd: Path
    keep: int

    def run(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        """Run a command to its end.

        Raises:
            SetupError: It failed; says why in one line and names the log.
        """
        self.finish(self.start(command, environ))

    def start(self, command: Sequence[str], environ: Mapping[str, str]) -> "Started":
        """Start a command."""
        start = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as output:
            output.write(f"$ {' '.join(command)}\n".encode())
            output.flush()
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(environ),
                cwd=self.cwd,
                pass_fds=(self.keep,),
            )
        return Started(command, process, start)

    def finish(self, started: "Started") -> None:
        """Wait for the end of a command.

        Raises:
            SetupError: It failed; says why in one line and names the log.
        """
        if status := self._wait(started.process):
            raise self._failure(started.command, status, started.start)

    def _wait(self, process: "subprocess.Popen[bytes]") -> int:
        began = time.monotonic()
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(timeout=1.0)
                show_seconds(time.monotonic() - began)
        except KeyboardInterrupt:
            stop(process)
            raise

    def _failure(self, command: Sequence[str], status: int, start: int) -> SetupError:
        with self.log.open("rb") as output:
            output.seek(start)
            text = output.read().decode(errors="replace")
        meaning = explain(text)
        if not meaning:
            print("\n" + "\n".join(text.splitlines()[-TAIL_LINES:]), file=sys.stderr)
            meaning = f"{Path(command[0]).name} failed with status {status}"
        return SetupError(f"{meaning} (log: {self.log})")


@dataclass(frozen=True)
class Started:
    """A command that runs, and where its output begins in the log."""

    command: Sequence[str]
    process: "subprocess.Popen[bytes]"
    start: int

    def stop(self) -> None:
        """End it."""
        stop(self.process)


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End a process, and kill it when it does not end."""
    process.terminate()
    try:
        process.wait(timeout=STOP_TIMEOUT_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()


def show_seconds(elapsed: float) -> None:
    """Show how long a step has taken so far, on a terminal only."""
    if sys.stderr.isatty():
        text = f"{elapsed:4.0f} s"
        print(text + "\b" * len(text), end="", file=sys.stderr, flush=True)
