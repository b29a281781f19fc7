# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller's inputs: states of the arm and detection status, with their ages."""

from __future__ import annotations

import time
from math import inf, isfinite

import numpy as np
from sensor_msgs.msg import JointState

from impact_msgs.msg import DetectorStatus
from impact_robots import ArmDynamics, PointState, Robot
from impact_ros.messages import NANOSECONDS, JointReader, to_nanoseconds
from impact_ros.state_stream import StreamedState


class Inputs:
    """The last usable state, the newest detection status, and their arrival times.

    Attributes:
        state: joint positions and velocities, each of shape (n,) [rad, rad/s]; none so far.
        effort: joint torques of the last message, shape (n,) [N.m]; none if it has none.
        state_time: arrival of that state [s of a monotonic clock].
        status_time: arrival of the newest usable detection status [s of the same clock].
    """

    def __init__(self, robot: Robot, evidence_age: float = inf) -> None:
        """Wait for the first messages of ``robot`` and of its detector.

        Args:
            robot: the arm.
            evidence_age: largest difference between the stamps of a detection status and of the
                state that it is used with [s].
        """
        self._oldest = evidence_age * NANOSECONDS
        self._reader, self._dynamics = JointReader(robot.joint_names), ArmDynamics(robot)
        self.state: tuple[np.ndarray, np.ndarray] | None = None
        self.effort: np.ndarray | None = None
        self._newest_status: DetectorStatus | None = None
        self._status_stamp = self._state_stamp = 0  # [ns]
        self.reset()

    def reset(self) -> None:
        """Restart both ages from now; received messages stay."""
        self.state_time = self.status_time = time.monotonic()

    def read(self, message: JointState | StreamedState) -> tuple[np.ndarray, np.ndarray]:
        """Return joint positions and velocities, each of shape (n,) [rad, rad/s].

        Raises:
            MessageError: not a state of this robot.
        """
        q, dq, effort = self._reader.read(message)
        finite = isfinite(sum(effort.tolist())) or np.isfinite(effort).all()  # the first is faster
        self.effort = effort if finite else None
        return q, dq

    def take_state(self, q: np.ndarray, dq: np.ndarray, stamp: int = 0) -> None:
        """Store a usable state, each of shape (n,) [rad, rad/s], with its stamp [ns]."""
        self.state, self.state_time, self._state_stamp = (q, dq), time.monotonic(), stamp

    def take_status(self, message: DetectorStatus) -> None:
        """Store the detection status of a state; one that is too old does not reset its age.

        Of two detectors by mistake, none hides the other's impact at the same state.
        """
        before, stamp = self._newest_status, to_nanoseconds(message.header.stamp)
        if before is not None and stamp == self._status_stamp:
            message.impact |= before.impact
            message.ready &= before.ready
        self._newest_status, self._status_stamp = message, stamp
        if self._fresh(self._state_stamp):
            self.status_time = time.monotonic()

    def _fresh(self, stamp: int) -> bool:
        """Tell whether the status is recent enough for a state with a stamp [ns]."""
        return self._newest_status is not None and abs(stamp - self._status_stamp) <= self._oldest

    def point(self) -> PointState | None:
        """Return the dynamics of the arm in its last usable state, None without one."""
        return None if self.state is None else self._dynamics(*self.state)

    @property
    def newest(self) -> int | None:
        """Stamp of the last usable state, None before the first [ns]."""
        return None if self.state is None else self._state_stamp

    @property
    def state_age(self) -> float:
        """Time since the last usable state [s]."""
        return time.monotonic() - self.state_time

    @property
    def status_age(self) -> float:
        """How long usable states have come without a detection status [s].

        A driver that falls silent silences the detector, too: that is the states' age.
        """
        return self.state_time - self.status_time

    def impact(self, stamp: int) -> bool:
        """Tell whether an impact is detected, for a state's stamp [ns]."""
        return self._newest_status is not None and self._newest_status.impact and self._fresh(stamp)

    def ready(self, stamp: int) -> bool:
        """Tell whether the detector is ready, for a state's stamp [ns]."""
        return self._newest_status is not None and self._newest_status.ready and self._fresh(stamp)

    def judged(self, stamp: int) -> bool:
        """Tell whether the newest detection status is that of the state with a stamp [ns]."""
        return self._newest_status is not None and self._status_stamp == stamp
