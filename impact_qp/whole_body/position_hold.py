# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint positions for servos: starting near the measured ones, held without creeping."""

from __future__ import annotations

import numpy as np

from impact_qp.interface import LEAD
from impact_robots.robot import Robot

RUN_IN = 0.1  # speed at which the first command approaches the target [rad/s]


class PositionHold:
    """Stores the last positions sent to a robot with position servos.

    Servos droop under load: sending the measured positions repeatedly lets a robot sink. So a hold
    repeats the last positions, except for joints pushed farther than the distance. The first
    command after a start is within one control step of the measurement.

    Attributes:
        sent: positions of the last command, shape (n,) [rad]; none so far.
        begins: the next command is the first one.
    """

    def __init__(self, robot: Robot, period: float, distance: float) -> None:
        """Hold the joints of a robot.

        Args:
            robot: whose joints have position servos.
            period: of control [s].
            distance: of a joint from its held position, beyond which its new one is held [rad];
                less for slow joints: no command leads by more than ``LEAD`` at full speed.
        """
        velocity = robot.limits.velocity
        self._step, self._run_in = velocity * period, RUN_IN * period
        self._lead, self._names = LEAD * velocity, robot.joint_names
        self._distance = np.minimum(distance, self._lead)
        self.sent: np.ndarray | None = None
        self._held: np.ndarray | None = None  # held positions of the joints, (n,) [rad]
        self.begin()

    def begin(self) -> None:
        """Restart at the next state: the robot may have been moved meanwhile."""
        self.begins, self._offset = True, np.zeros(len(self._names))

    def is_far(self, q: np.ndarray) -> bool:
        """Tell whether a joint, of measured positions (n,) [rad], was pushed from the hold."""
        held = self.sent if self._held is None else self._held
        return held is not None and bool((np.abs(held - q) > self._distance).any())

    def leads(self, positions: np.ndarray, q: np.ndarray) -> str:
        """Return the joint that would lead its measurement too far, "" if none.

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
        """Return the command of a motion, shape (n,) [rad]; :meth:`note` it if it is sent.

        The first is within a control step of the measured positions; the difference to the target
        is removed at ``RUN_IN``.

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
        """Store sent positions, shape (n,) [rad]."""
        self.sent, self.begins, self._held = positions, False, None

    def held(self, q: np.ndarray) -> np.ndarray:
        """Return the command that holds a robot at ``q``, shape (n,) each [rad].

        After a restart these are the earlier held positions, if the robot is still near them:
        otherwise a robot that loses its states repeatedly would creep by its droop.
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
