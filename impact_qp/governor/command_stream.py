# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A type of commands: numbers out of messages, and numbers back into them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from impact_robots.robot import Robot
from impact_robots.state.state import PointState


class Moment(NamedTuple):
    """When a command is answered."""

    now: int  # by the clock of the states [ns]
    elapsed: float  # since the last command; 0: it is a first one [s]
    point: PointState  # of contact, in the newest state
    start: np.ndarray  # positions that were sent last, or are measured, shape (n,) [rad]


class CommandStream(ABC):
    """One type of commands.

    Attributes:
        kind: type of the messages.
        topic: name of what is published; what is heard has the suffix ``_in``.
        motion: name of what the governor takes, see :data:`.MOTIONS`.
        ends_by_itself: what was read is a command until its end, without further messages.
    """

    kind: Any
    topic: str
    motion: str
    ends_by_itself = False

    def __init__(self, robot: Robot) -> None:
        """Read and write commands of an arm; nothing was read yet."""
        self._robot = robot
        self._last: Any = None  # message that was read last
        self._goes_on = False

    @abstractmethod
    def read(self, message: Any, moment: Moment) -> np.ndarray:
        """Return the numbers of a message, as the governor takes them.

        Args:
            message: of another controller.
            moment: when it is answered.

        Raises:
            MessageError: its form is not that of a command for this arm.
        """

    @property
    def goes_on(self) -> bool:
        """Whether what was read moves the arm on without a further message."""
        return self._goes_on

    def following(self, moment: Moment) -> np.ndarray:
        """Return the numbers of now, while it goes on.

        Raises:
            MessageError: it cannot go on.
        """
        return self.read(self._last, moment)

    def forget(self) -> None:
        """Move nothing on without a message."""
        self._goes_on = False

    @abstractmethod
    def written(self, values: np.ndarray, factor: float) -> Any:
        """Return the message to send, in the form of the one that was read last; note it as sent.

        Args:
            values: of the governor.
            factor: of the governor, 0 for a rest [-].
        """
