# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint positions for servos: the first near the measured ones, and held ones without creeping."""

from __future__ import annotations

import numpy as np

from impact_qp.interface import LEAD
from impact_robots.robot import Robot

RUN_IN = 0.1  # at which the first command comes to the wanted one [rad/s]


class PositionHold:
    """Keeps what a robot with position servos was sent.

    Servos droop under load: to be sent the measured positions again and again lets a robot sink.
    So a hold sends what was sent last, and gives up only joints that were pushed further than the
    distance. The first command after a beginning is within one control step of what is measured.

    Attributes:
        sent: positions of the last command, shape (n,) [rad]; none so far.
        begins: the next command is the first one.
    """

    def __init__(self, robot: Robot, period: float, distance: float) -> None:
        """Hold the joints of a robot.

        Args:
            robot: whose joints have position servos.
            period: of control [s].
            distance: of a joint from its held position, from which it is held anew [rad]; for
                slow joints less: no command leads by more than ``LEAD`` at full speed.
        """
        velocity = robot.limits.velocity
        self._step, self._run_in = velocity * period, RUN_IN * period
        self._lead, self._names = LEAD * velocity, robot.joint_names
        self._distance = np.minimum(distance, self._lead)
        self.sent: np.ndarray | None = None
        self._held: np.ndarray | None = None  # where the joints are to stay, (n,) [rad]
        self.begin()

    def begin(self) -> None:
        """Begin anew with the next state: the robot may have been moved meanwhile."""
        self.begins, self._offset = True, np.zeros(len(self._names))

    def is_far(self, q: np.ndarray) -> bool:
        """Tell whether a joint, of measured positions (n,) [rad], was pushed from the hold."""
        held = self.sent if self._held is None else self._held
        return held is not None and bool((np.abs(held - q) > self._distance).any())

    def leads(self, positions: np.ndarray, q: np.ndarray) -> str:
        """Return which joint of a motion would be too far ahead of the measured one, "" if none.

        Args:
            positions: to be sent, shape (n,) [rad].
            q: measured positions, shape (n,) [rad].
        """
        ahead = np.abs(positions - q)
        joint = int(np.argmax(ahead / self._lead))
        if not ahead[joint] > self._lead[joint]:
            return ""
        name, limit = self._names[joint], self._lead[joint]
        return f"{name} would lead by {ahead[joint]:.3g} rad, at most {limit:.3g}"

    def moved(self, wanted: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return what to send for a motion, shape (n,) [rad]; :meth:`note` it if it is sent.

        The first is within a control step of the measured positions; what is missing of the wanted
        ones is made up for at ``RUN_IN``.

        Args:
            wanted: positions, shape (n,) [rad].
            q: measured positions, shape (n,) [rad].
        """
        if self.begins:
            self._offset = np.clip(wanted, q - self._step, q + self._step) - wanted
        else:
            self._offset = self._offset - np.clip(self._offset, -self._run_in, self._run_in)
        return np.asarray(wanted + self._offset)

    def note(self, positions: np.ndarray) -> None:
        """Keep positions that are sent, shape (n,) [rad]."""
        self.sent, self.begins, self._held = positions, False, None

    def held(self, q: np.ndarray) -> np.ndarray:
        """Return what to send to hold a robot that is at ``q``, shape (n,) each [rad].

        After a beginning that is what was held before, if the robot is still near it: else a robot
        whose states are lost again and again would creep by its droop.
        """
        if self.sent is None or (self.begins and self.is_far(q)):
            held = np.array(q, dtype=float)
        else:
            held = self.sent if self._held is None else self._held
            held = np.where(np.abs(held - q) > self._distance, q, held)
        positions = self.moved(held, q)
        self.note(positions)
        self._held = held
        return positions
