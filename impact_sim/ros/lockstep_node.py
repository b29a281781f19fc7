# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A plant in lockstep as a node: it sends its states again without an answer, then gives up."""

from __future__ import annotations

import time
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

RESEND_AFTER = 1.0  # send the state again when somebody does not answer [s]
GIVE_UP_AFTER = 10.0  # and then give up [s]
# Why there is no command, and what to do.
NOBODY = "is the controller running and active? On a busy machine start again with less beside it"


class LockstepNode(Node):
    """Nothing moves before :meth:`start`; what is published waits for its answer.

    Attributes:
        failure: why all is over, "" while nothing failed.
    """

    def __init__(self, name: str, **options: Any) -> None:
        """Begin to look at the time; a node's own parts follow."""
        super().__init__(name, **options)
        self.failure = self._dropped = ""  # why the last command was dropped
        self._started = False
        self._sent = self._answered = time.monotonic()
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = self.create_timer(RESEND_AFTER / 2.0, self._tick, clock=clock)

    @property
    def finished(self) -> bool:
        """The experiment is over, with its last states answered, or has failed."""
        raise NotImplementedError

    @property
    def unanswered(self) -> str:
        """Whose answer to the present states is missing, in words; "" if only one can answer."""
        return ""

    def publish_states(self) -> None:
        """Publish the present states, as far as they are not answered yet."""
        raise NotImplementedError

    def start(self) -> None:
        """Publish the first states."""
        self._started, self._answered = True, time.monotonic()
        self._publish()

    def _publish(self) -> None:
        self._sent = time.monotonic()
        self.publish_states()

    def _note_answered(self) -> None:
        """Keep that somebody has given a usable answer."""
        self._dropped, self._answered = "", time.monotonic()

    def _note_dropped(self, line: str) -> None:
        """Keep why a command was dropped: without another one, it is why the run fails."""
        self._dropped = line

    def _tick(self) -> None:
        """See whether somebody still answers."""
        if not self._started or self.finished:
            return
        waited = time.monotonic() - self._answered
        if waited > GIVE_UP_AFTER:
            why = self._dropped or NOBODY
            self.failure = f"no command for {waited:.0f} s{self.unanswered}: {why}"
        elif time.monotonic() - self._sent > RESEND_AFTER:
            self._publish()
