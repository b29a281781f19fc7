# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""States of one strike, and what they say of it: place of the contact, loads of the joints."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.strike.striker import Striker
from impact_predictor.strike.tap_fit import Tap
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot

KEPT = 0.04, 0.08  # of a strike, before and after the contact [s]
STORED = 5000  # states
QUIET = 1e-3  # before the contact, where the load begins [s]


class StrikeRows(NamedTuple):
    """States of an arm, k samples of n joints."""

    time: np.ndarray  # shape (k,) [s]
    position: np.ndarray  # shape (k, n) [rad]
    velocity: np.ndarray  # shape (k, n) [rad/s]
    torque: np.ndarray  # measured, shape (k, n) [N.m]

    def head(self, arm: Robot, contact: float) -> np.ndarray:
        """Return where the head of an arm's tool was at a time [s], base axes, shape (3,) [m]."""
        q = np.array([np.interp(contact, self.time, each) for each in self.position.T])
        return ArmDynamics(arm).position(q)

    def energy(self, arm: Robot, contact: float) -> float:
        """Return the highest kinetic energy of an arm with its tool before a contact [J].

        More than a nail can take from it; ``contact`` may be late, when the arm is slower [s].
        """
        before = (self.time > contact - KEPT[0]) & (self.time <= contact)
        inertia = ArmDynamics(arm)(self.position[before][-1], self.velocity[before][-1])
        M = inertia.robot_state.inertia(arm.apparent_motor_inertia)
        dq = self.velocity[before]
        return float(0.5 * np.einsum("ki,ij,kj->k", dq, M, dq).max())

    def tap(self, contact: float, depth: float) -> Tap:
        """Return the samples about a contact.

        Args:
            contact: time of it [s].
            depth: of the nail before it [m].
        """
        time = self.time - contact
        kept = (time > -KEPT[0]) & (time < KEPT[1])
        q, dq, torque = (each[kept] for each in self[1:])
        return Tap(time[kept], q, dq, torque, depth)


class StrikeRecorder:
    """Stores the last states; times are relative to the first one."""

    def __init__(self) -> None:
        """Begin without any."""
        self._began: int | None = None  # [ns]
        self._rows: deque[tuple[float, np.ndarray, np.ndarray, np.ndarray]] = deque(maxlen=STORED)

    def add(self, time: int, q: np.ndarray, dq: np.ndarray, torque: np.ndarray) -> None:
        """Take a state: time [ns], joint positions, velocities and torques, shape (n,) each."""
        began = self._began = time if self._began is None else self._began
        self._rows.append(((time - began) * 1e-9, q.copy(), dq.copy(), torque.copy()))

    def kept(self) -> StrikeRecorder:
        """Return a copy to which nothing is added, for another thread."""
        copy = StrikeRecorder()
        copy._began, copy._rows = self._began, self._rows.copy()
        return copy

    def since(self, time: int) -> float:
        """Return a time [ns] as those of the rows [s]."""
        return 0.0 if self._began is None else (time - self._began) * 1e-9

    @property
    def rows(self) -> StrikeRows | None:
        """What was stored, none if nothing was."""
        if not self._rows:
            return None
        return StrikeRows(*(np.array(each) for each in zip(*self._rows, strict=True)))


def measured_use(striker: Striker, tap: Tap) -> float:
    """Return the largest fraction of a limit that the torque sensors show [-]."""
    before = np.array([np.interp(-QUIET, tap.time, each) for each in tap.torque.T])
    during = (tap.time > -QUIET) & (tap.time < striker.window)
    change = tap.torque[during] - before
    limits = load_limits(striker.robot, before)
    shares = change.max(axis=0), -change.min(axis=0)
    fractions = [*(each / limits.change for each in shares)]
    fractions += [shares[0] / limits.up, shares[1] / limits.down]
    return float(np.nanmax(fractions))
