# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Collects measurements of a robot with a free base, of its palms and of boxes near it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from impact_bags.bag_recording import DESIRED, JOINT_STATE, WRENCH
from impact_bags.writing.message_maker import ODOMETRY, POSE, SIZE
from impact_bags.writing.suite_messages import CONTROLLER_STATUS
from impact_robots.robot import Robot
from impact_ros.messages import JointReader, to_nanoseconds, vector
from impact_view.run.collector import limits_of
from impact_view.run.record import BoxTrack, PalmForce, ViewRecord

KINDS = (JOINT_STATE, ODOMETRY, WRENCH, POSE, SIZE, CONTROLLER_STATUS)
BOX_POSE, BOX_SIZE = re.compile(r"(.*/box\d+)_pose"), re.compile(r"(.*/box\d+)_size")
UNKNOWN = 0.1  # edges of a box of unknown size [m]


class _Track:
    """Received values over time."""

    def __init__(self) -> None:
        self._times, self._values = list[int](), list[Any]()

    def __len__(self) -> int:
        return len(self._times)

    def add(self, time: int, value: Any) -> None:
        """Keep a value, unless time has jumped back."""
        if not self._times or time > self._times[-1]:
            self._times.append(time)
            self._values.append(value)

    @property
    def times(self) -> np.ndarray:
        """Of the values, shape (k,) [ns]."""
        return np.array(self._times, dtype=np.int64)

    def at(self, times: np.ndarray) -> list[Any]:
        """Return the last value at each time [ns]; before the first value, the first one."""
        index = np.searchsorted(self.times, times, side="right") - 1
        return [self._values[k] for k in np.maximum(index, 0)]


class FreeCollector:
    """Grows with every message, in whatever order; :meth:`record` may be asked for at any time."""

    def __init__(self, robot: Robot, state_topic: str = "") -> None:
        """Collect the states of a robot; on ``state_topic``, if there are several."""
        self._reader, self._state_topic = JointReader(robot.joint_names), state_topic
        contacts = (each.name for each in robot.contacts if each.half_extents is None)
        self._palms = {name: _Track() for name in contacts}
        self._joints, self._base, self._status = _Track(), _Track(), _Track()
        self._boxes, self._sizes = dict[str, _Track](), dict[str, np.ndarray]()

    def add(self, topic: str, kind: str, message: Any) -> None:
        """Take a message of one of :data:`KINDS`.

        Raises:
            MessageError: the message cannot be shown.
        """
        time = to_nanoseconds(message.header.stamp)
        if kind == JOINT_STATE:
            if DESIRED not in topic and topic == (self._state_topic or topic):
                q, dq, _ = self._reader.read(message)
                self._put(self._joints, time, (q, dq))
        elif kind == ODOMETRY:
            twist = message.twist.twist
            rates = np.concatenate([vector(twist.linear), vector(twist.angular)])
            self._put(self._base, time, (_pose(message.pose.pose), rates))
        elif kind == WRENCH:
            palm = topic.strip("/").removesuffix("/wrench").rpartition("/")[2]
            if palm in self._palms:
                self._put(self._palms[palm], time, (vector(message.wrench.force),))
        elif kind == CONTROLLER_STATUS:
            said = message.speed_bound, message.message, limits_of(message)
            self._status.add(time, said)
        elif found := BOX_POSE.fullmatch(topic):
            self._put(self._boxes.setdefault(found[1], _Track()), time, (_pose(message.pose),))
        elif found := BOX_SIZE.fullmatch(topic):
            self._sizes[found[1]] = vector(message.vector)

    @staticmethod
    def _put(track: _Track, time: int, value: tuple[np.ndarray, ...]) -> None:
        if all(np.isfinite(each).all() for each in value):
            track.add(time, value)

    def __len__(self) -> int:
        return len(self._joints) if len(self._base) else 0

    def record(self) -> ViewRecord:
        """Return all collected data; needs at least one state of the joints and one of the base."""
        times = self._joints.times
        count, unknown = len(times), np.full(len(times), np.nan)
        joints, base = self._joints.at(times), self._base.at(times)
        palms = tuple(
            PalmForce(name, np.array([value for (value,) in track.at(times)]))
            for name, track in self._palms.items()
            if len(track)
        )
        forces = np.zeros((count, 3))
        for palm in palms:
            larger = np.linalg.norm(palm.force, axis=1) > np.linalg.norm(forces, axis=1)
            forces[larger] = palm.force[larger]
        said = self._status.at(times) if len(self._status) else [(np.nan, "", "")] * count
        return ViewRecord(
            time=(times - times[0]) * 1e-9,
            q=np.array([np.concatenate([b[0], j[0]]) for b, j in zip(base, joints, strict=True)]),
            dq=np.array([np.concatenate([b[1], j[1]]) for b, j in zip(base, joints, strict=True)]),
            force=forces,
            impulse=np.zeros((count, 3)),
            normal_speed=unknown,
            speed_bound=np.array([bound for bound, _, _ in said], dtype=float),
            gap=unknown,
            mode=tuple(text for _, text, _ in said),
            limits=said[-1][2],
            announced=(None,) * count,
            detections=(),
            palms=palms,
            boxes=tuple(
                BoxTrack(
                    self._sizes.get(name, np.full(3, UNKNOWN)),
                    np.array([value for (value,) in track.at(times)]),
                )
                for name, track in self._boxes.items()
            ),
        )


def _pose(pose: Any) -> np.ndarray:
    """Return position and quaternion x, y, z, w, shape (7,)."""
    turn = [getattr(pose.orientation, axis) for axis in "xyzw"]
    return np.concatenate([vector(pose.position), turn])
