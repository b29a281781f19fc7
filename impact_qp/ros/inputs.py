# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller's two input streams: the arm's states and the detector's verdicts, with ages."""

from __future__ import annotations

import time
from math import inf

import numpy as np
from sensor_msgs.msg import JointState

from impact_msgs.msg import DetectorStatus
from impact_robots import ArmDynamics, PointState, Robot
from impact_ros.messages import NANOSECONDS, JointReader, to_nanoseconds


class Inputs:
    """The last usable state, the newest verdict, and when they came.

    Attributes:
        state: joint positions and velocities, each of shape (n,) [rad, rad/s]; none so far.
        state_time: when that state came [s of a monotonic clock].
        status_time: when the newest verdict came [s of the same clock].
    """

    def __init__(self, robot: Robot, evidence_age: float = inf) -> None:
        """Wait for the first messages of ``robot`` and of its detector.

        Args:
            robot: the arm.
            evidence_age: by how much the stamps of a verdict and of the state that it is used with
                may differ [s].
        """
        self._oldest = evidence_age * NANOSECONDS
        self._reader, self._dynamics = JointReader(robot.joint_names), ArmDynamics(robot)
        self.state: tuple[np.ndarray, np.ndarray] | None = None
        self._newest_status: DetectorStatus | None = None
        self._status_stamp = self._state_stamp = 0  # [ns]
        self.reset()

    def reset(self) -> None:
        """Count both ages from now; what was received stays."""
        self.state_time = self.status_time = time.monotonic()

    def read(self, message: JointState) -> tuple[np.ndarray, np.ndarray]:
        """Return joint positions and velocities, each of shape (n,) [rad, rad/s].

        Raises:
            MessageError: not a state of this robot.
        """
        q, dq, _ = self._reader.read(message)
        return q, dq

    def take_state(self, q: np.ndarray, dq: np.ndarray, stamp: int = 0) -> None:
        """Keep a usable state, each of shape (n,) [rad, rad/s], with its stamp [ns]."""
        self.state, self.state_time, self._state_stamp = (q, dq), time.monotonic(), stamp

    def take_status(self, message: DetectorStatus) -> None:
        """Keep the detector's verdict on a state; one that is too old keeps nothing alive."""
        self._newest_status, self._status_stamp = message, to_nanoseconds(message.header.stamp)
        if self._fresh(self._state_stamp):
            self.status_time = time.monotonic()

    def _fresh(self, stamp: int) -> bool:
        """Tell whether the verdict is recent enough for a state with a stamp [ns]."""
        return self._newest_status is not None and abs(stamp - self._status_stamp) <= self._oldest

    def point(self) -> PointState | None:
        """Return the dynamics of the arm in its last usable state, none without one."""
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
        """Time since the newest verdict [s]."""
        return time.monotonic() - self.status_time

    def impact(self, stamp: int) -> bool:
        """Tell whether the arm has hit something, by a verdict for a state's stamp [ns]."""
        return self._newest_status is not None and self._newest_status.impact and self._fresh(stamp)

    def ready(self, stamp: int) -> bool:
        """Tell whether the detector would see an impact, by a verdict for a state's stamp [ns]."""
        return self._newest_status is not None and self._newest_status.ready and self._fresh(stamp)

    def judged(self, message: JointState) -> bool:
        """Tell whether the newest verdict is that on ``message``."""
        verdict = self._newest_status
        return verdict is not None and verdict.header.stamp == message.header.stamp
