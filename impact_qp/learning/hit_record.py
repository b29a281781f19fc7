# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What was recorded of a hit: cut out of streams of states and commands, about its touch."""

from __future__ import annotations

from collections import deque

import numpy as np

from impact_predictor.recorded_hit import RecordedHit
from impact_qp.exceptions import ControlError
from impact_robots.robot import Robot

BEFORE, AFTER = 0.11, 0.042  # the touch [s]
FRESH = 0.2  # from a touch to its detection, at most [s]
HELD = 0.05  # that a command counts, at most, until the next one is heard [s]
_KEPT = 5000  # samples, of which those about the touch are looked for: events may be heard late
_NS = 1e-9


def cut_hit(
    time: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    torque: np.ndarray,
    command: np.ndarray | None,
    touch: int,
) -> RecordedHit:
    """Return what was recorded from 0.11 s before to 0.042 s after a touch.

    Args:
        time: of N samples, rising, shape (N,), integers [ns].
        position: of the joints, shape (N, n) [rad].
        velocity: shape (N, n) [rad/s].
        torque: measured, shape (N, n) [N.m].
        command: to the torque loop, shape (N, n) [N.m]; none: not recorded.
        touch: as it was detected, on the same clock [ns].
    """
    since = (time - touch) * _NS
    part = (since >= -BEFORE) & (since <= AFTER)
    commanded = None if command is None else command[part]
    return RecordedHit(since[part], position[part], velocity[part], torque[part], commanded)


class HitRecorder:
    """Keeps the last seconds of an arm's states and commands, until what follows a touch is there.

    Attributes:
        position: joint positions of the newest state, shape (n,) [rad]; none so far.
    """

    def __init__(self, robot: Robot) -> None:
        """Begin with no states of an arm."""
        self._dof, self._newest = robot.dof, 0
        self.position: np.ndarray | None = None
        self.begin()

    def begin(self) -> None:
        """Wait for a hit: what came up to now belongs to the one before."""
        self._since = self._newest
        self._contact: int | None = None  # [ns]
        self._states: deque[tuple[int, np.ndarray]] = deque(maxlen=_KEPT)
        self._commands: dict[int, np.ndarray] = {}

    @property
    def _complete(self) -> bool:
        """Whether what follows a touch was recorded."""
        return self._contact is not None and (self._newest - self._contact) * _NS > AFTER

    def add_state(self, stamp: int, q: np.ndarray, dq: np.ndarray, torque: np.ndarray) -> None:
        """Take a state: positions [rad], velocities [rad/s], torques [N.m], shape (n,) each.

        Raises:
            ControlError: it is not finite.
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
        """Take the torques, shape (n,) [N.m], that answer the state of a stamp [ns].

        Raises:
            ControlError: they are not n finite numbers.
        """
        if np.shape(torque) != (self._dof,) or not np.isfinite(torque).all():
            raise ControlError(f"expected {self._dof} finite torques")
        if self._complete:
            return
        self._commands[stamp] = np.array(torque, dtype=float)
        while len(self._commands) > _KEPT:
            del self._commands[next(iter(self._commands))]

    def add_event(self, detected: int, touch: int) -> None:
        """Take a detection, and the touch that it was of [ns]; the first one of a hit counts.

        One whose touch is not shortly before it does not. A detection may be heard before the
        states that it is of: a hit is there once these have come.
        """
        touch = touch or detected
        late = (detected - touch) * _NS
        if self._contact is None and detected > self._since and 0.0 <= late <= FRESH:
            self._contact = touch

    @property
    def detected(self) -> bool:
        """Whether an impact was detected."""
        return self._contact is not None

    def hit(self) -> RecordedHit:
        """Return what was recorded of the hit.

        Raises:
            ControlError: no impact was detected, what follows it is not there yet, or commands
                were silent about it.
        """
        if self._contact is None or not self._complete:
            raise ControlError(f"hit: expected states up to {AFTER} s after a detected touch")
        time = np.array([stamp for stamp, _ in self._states])
        rows = np.array([row for _, row in self._states]).reshape(len(time), 3, self._dof)
        position, velocity, torque = np.swapaxes(rows, 0, 1)
        return cut_hit(time, position, velocity, torque, self._held(time), self._contact)

    def _held(self, time: np.ndarray) -> np.ndarray | None:
        """Return the command that held at each state, shape (N, n); none: none was heard."""
        if not self._commands:
            return None
        stamps = np.array(sorted(self._commands))
        values = np.array([self._commands[stamp] for stamp in stamps.tolist()])
        place = np.searchsorted(stamps, time, side="right") - 1
        assert self._contact is not None  # only a hit asks
        since = (time - self._contact) * _NS
        part = (since >= -BEFORE) & (since <= AFTER)
        age = (time - stamps[np.clip(place, 0, None)])[part] * _NS
        if age.size and age.max() > HELD:
            raise ControlError(
                f"hit: expected commands at most {HELD:g} s apart, got none for {age.max():.3f} s"
            )
        return np.asarray(values[np.clip(place, 0, None)])
