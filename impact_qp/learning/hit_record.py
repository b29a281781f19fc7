# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Record of a hit: cut out of streams of states and commands around the contact time."""

from __future__ import annotations

from collections import deque

import numpy as np

from impact_predictor.recorded_hit import RecordedHit
from impact_qp.exceptions import ControlError
from impact_robots.robot import Robot

BEFORE, AFTER = 0.11, 0.042  # the contact [s]
FRESH = 0.2  # longest time from contact to detection [s]
HELD = 0.05  # longest time for which a command is valid until the next one [s]
_STORED = 5000  # samples to search for a contact: events may arrive late
_NS = 1e-9


def cut_hit(
    time: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    torque: np.ndarray,
    command: np.ndarray | None,
    contact: int,
) -> RecordedHit:
    """Return the record from 0.11 s before to 0.042 s after a contact.

    Args:
        time: of N samples, rising, shape (N,), integers [ns].
        position: of the joints, shape (N, n) [rad].
        velocity: shape (N, n) [rad/s].
        torque: measured, shape (N, n) [N.m].
        command: to the torque loop, shape (N, n) [N.m]; None: not recorded.
        contact: its detected time, on the same clock [ns].
    """
    since = (time - contact) * _NS
    part = (since >= -BEFORE) & (since <= AFTER)
    commanded = None if command is None else command[part]
    return RecordedHit(since[part], position[part], velocity[part], torque[part], commanded)


class HitRecorder:
    """Stores the last seconds of an arm's states and commands, until a hit is complete.

    Attributes:
        position: joint positions of the newest state, shape (n,) [rad]; none so far.
    """

    def __init__(self, robot: Robot) -> None:
        """Begin with no states of an arm."""
        self._dof, self._newest = robot.dof, 0
        self.position: np.ndarray | None = None
        self.begin()

    def begin(self) -> None:
        """Wait for a hit: earlier samples belong to the previous one."""
        self._since = self._newest
        self._contact: int | None = None  # [ns]
        self._states: deque[tuple[int, np.ndarray]] = deque(maxlen=_STORED)
        self._commands: dict[int, np.ndarray] = {}

    @property
    def _complete(self) -> bool:
        """Whether the time after a contact was recorded."""
        return self._contact is not None and (self._newest - self._contact) * _NS > AFTER

    def add_state(self, stamp: int, q: np.ndarray, dq: np.ndarray, torque: np.ndarray) -> None:
        """Take a state: positions [rad], velocities [rad/s], torques [N.m], shape (n,) each.

        Raises:
            ControlError: the state is not finite.
        """
        row = np.concatenate([q, dq, torque])
        if not np.isfinite(row).all():
            raise ControlError("expected finite positions, velocities and efforts")
        if self._complete or stamp == self._newest:  # a lockstep simulation repeats itself
            self.position = q
            return
        self.position, self._newest = q, stamp
        self._states.append((stamp, row))

    def add_command(self, stamp: int, torque: np.ndarray) -> None:
        """Take the torques, shape (n,) [N.m], that answer the state with a stamp [ns].

        Raises:
            ControlError: not n finite numbers.
        """
        if np.shape(torque) != (self._dof,) or not np.isfinite(torque).all():
            raise ControlError(f"expected {self._dof} finite torques")
        if self._complete:
            return
        self._commands[stamp] = np.array(torque, dtype=float)
        while len(self._commands) > _STORED:
            del self._commands[next(iter(self._commands))]

    def add_event(self, detected: int, contact: int) -> None:
        """Take a detection and its contact time [ns]; the first one of a hit counts.

        Detections long after their contact are ignored. A detection may arrive before its states: a
        hit is complete once these have arrived.
        """
        contact = contact or detected
        late = (detected - contact) * _NS
        if self._contact is None and detected > self._since and 0.0 <= late <= FRESH:
            self._contact = contact

    @property
    def detected(self) -> bool:
        """Whether an impact was detected."""
        return self._contact is not None

    def hit(self) -> RecordedHit:
        """Return the record of the hit.

        Raises:
            ControlError: no impact was detected, the record is incomplete, or commands are missing
                around the contact.
        """
        if self._contact is None or not self._complete:
            raise ControlError(f"hit: expected states up to {AFTER} s after a detected touch")
        time = np.array([stamp for stamp, _ in self._states])
        rows = np.array([row for _, row in self._states]).reshape(len(time), 3, self._dof)
        position, velocity, torque = np.swapaxes(rows, 0, 1)
        return cut_hit(time, position, velocity, torque, self._held(time), self._contact)

    def _held(self, time: np.ndarray) -> np.ndarray | None:
        """Return the command valid at each state, shape (N, n); None: no command received."""
        if not self._commands:
            return None
        stamps = np.array(sorted(self._commands))
        values = np.array([self._commands[stamp] for stamp in stamps.tolist()])
        place = np.searchsorted(stamps, time, side="right") - 1
        assert self._contact is not None  # only called for a hit
        since = (time - self._contact) * _NS
        part = (since >= -BEFORE) & (since <= AFTER)
        age = (time - stamps[np.clip(place, 0, None)])[part] * _NS
        if age.size and age.max() > HELD:
            raise ControlError(
                f"hit: expected commands at most {HELD:g} s apart, got none for {age.max():.3f} s"
            )
        return np.asarray(values[np.clip(place, 0, None)])
