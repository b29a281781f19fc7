# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories that the governor passes on, in single points."""

from __future__ import annotations

from typing import Any

import numpy as np
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from impact_qp.governor.command_stream import CommandStream, Moment
from impact_qp.governor.governor import SILENCE
from impact_qp.governor.timed_path import STALLED, TimedPath
from impact_robots.robot import Robot
from impact_ros.exceptions import MessageError
from impact_ros.messages import NANOSECONDS, from_nanoseconds, reorder, to_nanoseconds

SHORTEST = 0.01  # time to each point of a path, at least [s]
LATEST = 10.0  # after now, that a trajectory may begin [s]


class TrajectoryStream(CommandStream):
    """Trajectories, as MoveIt Servo and planners send them to a joint_trajectory_controller.

    They are passed on along their path, in single points, until the next message. One point that is
    at most ``SILENCE`` ahead is one of a stream; any other trajectory is a command to its end.
    """

    kind, topic, motion = JointTrajectory, "trajectory", "position"

    def __init__(self, robot: Robot) -> None:
        """Read and write trajectories of all joints of an arm."""
        super().__init__(robot)
        self._order = np.arange(robot.dof)
        self._path: TimedPath | None = None
        self._velocity: np.ndarray | None = None  # at full speed, (n,) [rad/s]; None: not given
        self._until = round(SHORTEST * NANOSECONDS)  # time to the point that is sent [ns]

    def read(self, message: Any, moment: Moment) -> np.ndarray:
        """Return the positions of the point, or those on a path."""
        times, points, order = self._points_of(message)
        self._last, self._order, self._path = message, order, None
        self._velocity = points[0, 1] if points.shape[1] > 1 else None
        self.ends_by_itself, begun = len(times) > 1 or times[0] > SILENCE, 0.0
        stamp = to_nanoseconds(message.header.stamp) if self.ends_by_itself else 0
        if stamp:
            begun = (moment.now - stamp) / NANOSECONDS
        if not -LATEST <= begun <= times[-1]:
            raise MessageError(
                f"expected a trajectory that begins within {LATEST:g} s and has not ended, got one"
                f" from {-begun:.3f} to {times[-1] - begun:.3f} s after now (header.stamp)"
            )
        self._path = TimedPath(times, points, moment.start, begun)
        return self.following(moment)

    def _points_of(self, message: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return times (m,), positions and what is known more (m, 1 to 3, n), and the order (n,).

        Raises:
            MessageError: it is no trajectory of this arm.
        """
        order = reorder(message.joint_names, self._robot.joint_names)
        n, count = self._robot.dof, len(message.points)
        if len(message.joint_names) != n:
            raise MessageError(f"expected {n} joints, got {len(message.joint_names)}")
        if not count:
            raise MessageError("expected one point or more in a trajectory, got none")
        times = np.array([to_nanoseconds(p.time_from_start) for p in message.points]) / NANOSECONDS
        if times[0] < 0.0 or (np.diff(times) <= 0.0).any():
            raise MessageError("expected increasing time_from_start from 0 on, got others")
        columns = [[p.positions, p.velocities, p.accelerations] for p in message.points]
        sizes = {tuple(len(each) for each in column) for column in columns}
        size = sizes.pop()
        if sizes or size not in ((n, 0, 0), (n, n, 0), (n, n, n)):
            raise MessageError(
                f"expected {n} positions, velocities too or not, accelerations too or not, the same"
                f" in all points, got {', '.join(map(str, size))}"
            )
        known = sum(each > 0 for each in size)
        points = np.array([column[:known] for column in columns], dtype=float)[:, :, order]
        if not np.isfinite(points).all():
            raise MessageError("trajectory: not finite")
        return times, points, order

    @property
    def goes_on(self) -> bool:
        """Whether a path has not ended."""
        return self._path is not None

    def following(self, moment: Moment) -> np.ndarray:
        """Return the next positions of the path."""
        path = self._path
        assert path is not None
        if path.stalled:
            raise MessageError(f"trajectory: it has not gone on for {STALLED:g} s")
        self._until = round(max(moment.elapsed, SHORTEST) * NANOSECONDS)
        ahead = path.ahead(moment.elapsed)
        if self._velocity is not None and self.ends_by_itself:
            self._velocity = path.velocity
        return ahead

    def forget(self) -> None:
        """Leave the path."""
        self._path = None
        self._until = round(SHORTEST * NANOSECONDS)

    def written(self, values: np.ndarray, factor: float) -> Any:
        """Return a trajectory of one point, with velocities if they were given."""
        message, target = JointTrajectory(), JointTrajectoryPoint()
        message.points.append(target)
        if self._last is None:
            message.joint_names = list(self._robot.joint_names)
        else:
            message.joint_names = self._last.joint_names
            message.header.frame_id = self._last.header.frame_id
        target.positions = self._in_order(values)
        if self._velocity is not None:
            zero = np.zeros(len(values))
            target.velocities = self._in_order(factor * self._velocity if factor > 0.0 else zero)
        from_nanoseconds(self._until, target.time_from_start)
        self._note(values, factor)
        return message

    def _in_order(self, values: np.ndarray) -> list[float]:
        """Return values (n,) in the order of the message that was read last."""
        ordered = np.empty(len(values))
        ordered[self._order] = values
        return ordered.tolist()

    def _note(self, values: np.ndarray, factor: float) -> None:
        """Note that positions (n,) are sent with a factor."""
        if self._path is not None:
            self._path.advance(factor)
            if self._path.ended(values):
                self._path = None
