# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller's two input streams: the arm's states and the detector's verdicts, with ages."""

from __future__ import annotations

import time

import numpy as np
from sensor_msgs.msg import JointState

from impact_msgs.msg import DetectorStatus
from impact_robots import ArmDynamics, PointState, Robot
from impact_ros.messages import JointReader


class Inputs:
    """The last usable state, the newest verdict, and when they came.

    Attributes:
        state: joint positions and velocities, each of shape (n,) [rad, rad/s]; none so far.
        state_time: when that state came [s of a monotonic clock].
        verdict_time: when the newest verdict came [s of the same clock].
    """

    def __init__(self, robot: Robot) -> None:
        """Wait for the first messages of ``robot`` and of its detector."""
        self._reader, self._dynamics = JointReader(robot.joint_names), ArmDynamics(robot)
        self.state: tuple[np.ndarray, np.ndarray] | None = None
        self._verdict: DetectorStatus | None = None
        self.reset()

    def reset(self) -> None:
        """Count both ages from now; what was received stays."""
        self.state_time = self.verdict_time = time.monotonic()

    def read(self, message: JointState) -> tuple[np.ndarray, np.ndarray]:
        """Return joint positions and velocities, each of shape (n,) [rad, rad/s].

        Raises:
            MessageError: not a state of this robot.
        """
        q, dq, _ = self._reader.read(message)
        return q, dq

    def take_state(self, q: np.ndarray, dq: np.ndarray) -> None:
        """Keep a usable state, each of shape (n,) [rad, rad/s]."""
        self.state, self.state_time = (q, dq), time.monotonic()

    def take_verdict(self, message: DetectorStatus) -> None:
        """Keep the detector's verdict on a state."""
        self._verdict, self.verdict_time = message, time.monotonic()

    def point(self) -> PointState | None:
        """Return the dynamics of the arm in its last usable state, none without one."""
        return None if self.state is None else self._dynamics(*self.state)

    @property
    def state_age(self) -> float:
        """Time since the last usable state [s]."""
        return time.monotonic() - self.state_time

    @property
    def verdict_age(self) -> float:
        """Time since the newest verdict [s]."""
        return time.monotonic() - self.verdict_time

    @property
    def impact(self) -> bool:
        """Whether the detector holds that the arm has hit something."""
        return self._verdict is not None and self._verdict.impact

    @property
    def ready(self) -> bool:
        """Whether the detector would see an impact."""
        return self._verdict is not None and self._verdict.ready

    def judged(self, message: JointState) -> bool:
        """Tell whether the newest verdict is that on ``message``."""
        verdict = self._verdict
        return verdict is not None and verdict.header.stamp == message.header.stamp
