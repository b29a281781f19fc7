# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Passes recorded messages to a viewer in a separate process, without ever waiting for it."""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
from collections import deque
from types import TracebackType

from impact_bags.bag_recording import ANNOUNCEMENT, JOINT_STATE, WRENCH, WRENCH_BATCH
from impact_bags.writing.message_maker import ODOMETRY, POSE, SIZE
from impact_bags.writing.suite_messages import CONTROLLER_STATUS, EVENT
from impact_view.web.server import check_port

SHOWN = (
    *(JOINT_STATE, WRENCH, WRENCH_BATCH, ANNOUNCEMENT, CONTROLLER_STATUS, EVENT),
    *(ODOMETRY, POSE, SIZE),
)
PERIOD = 0.1  # between parcels [s]
Message = tuple[str, str, bytes]  # topic, type and CDR


class LiveFeed:
    """A viewer of runs in progress, a context manager.

    Runs continue if the viewer fails.
    """

    def __init__(self, robot: str, port: int, *, browser: bool) -> None:
        """Start the viewer.

        Args:
            robot: name of the arm.
            port: of its page.
            browser: open one.

        Raises:
            ViewError: the port is taken.
        """
        check_port(port)
        command = [sys.executable, "-m", "impact_view.live", robot, str(port), str(int(browser))]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
        )
        self._waiting: deque[Message | str] = deque()
        self._over = threading.Event()
        self._sender = threading.Thread(target=self._send, daemon=True)
        self._sender.start()

    def begin(self, label: str) -> None:
        """Report the start of a run with that name."""
        self._waiting.append(label)

    def tap(self, topic: str, type_name: str, cdr: bytes | memoryview, _time: int) -> None:
        """Take a message that is being recorded, as ``BagWriter`` gives it."""
        if type_name in SHOWN and "desired" not in topic:
            self._waiting.append((topic, type_name, bytes(cdr)))

    def _send(self) -> None:
        """Send parcels until closed; what cannot be sent is dropped."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            while True:
                over = self._over.wait(PERIOD)
                count = len(self._waiting)  # more may come meanwhile
                parcel = [self._waiting.popleft() for _ in range(count)]
                pickle.dump(parcel, self._process.stdin)
                self._process.stdin.flush()
                if over:
                    break
        self._waiting = deque(maxlen=0)  # no further message is kept

    def watch(self) -> None:
        """Wait until the user interrupts or the viewer ends, after everything has been sent."""
        self._over.set()
        sys.stdout.flush()  # earlier output is readable meanwhile
        with contextlib.suppress(KeyboardInterrupt):
            if self._process.poll() is None:
                print("The page stays until Ctrl-C.", file=sys.stderr, flush=True)
            self._process.wait()

    def __enter__(self) -> LiveFeed:
        """Return the feed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the viewer."""
        self._over.set()
        self._process.terminate()
        self._process.wait()
        self._sender.join()  # nobody reads any more
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
