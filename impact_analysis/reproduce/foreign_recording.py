# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes a hit of the foreign arm as the bag that a robot's driver would have given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rosbags.typesys.store import Typestore

from impact_bags import BagWriter
from impact_detector.signals.sample import NANOSECONDS, from_seconds
from impact_foreign import Hit
from impact_robots import Robot

STATE = "sensor_msgs/msg/JointState"
WRENCH = "geometry_msgs/msg/WrenchStamped"


def write_hit(path: Path, robot: Robot, hit: Hit, types: Typestore) -> None:
    """Write joint states and, if the hit has them, forces; no announcement, no desired states.

    Args:
        path: folder to make.
        robot: whose joint names are written.
        hit: that was simulated.
        types: the same may serve many bags.

    Raises:
        RecordingError: the folder is there.
        WriteError: the disk refused.
    """
    known = types.types
    vector, wrench = (known[f"geometry_msgs/msg/{name}"] for name in ("Vector3", "Wrench"))
    messages: list[tuple[int, str, str, Any]] = []

    def header(time: float, frame: str) -> tuple[int, Any]:
        stamp = from_seconds(time)
        at = known["builtin_interfaces/msg/Time"](*divmod(stamp, NANOSECONDS))
        return stamp, known["std_msgs/msg/Header"](at, frame)

    names = list(robot.joint_names)
    for time, *values in zip(hit.t, hit.q, hit.dq, hit.tau, strict=True):
        stamp, head = header(float(time), "")
        messages.append((stamp, "/joint_states", STATE, known[STATE](head, names, *values)))
    for time, force in zip(hit.force_t, hit.force, strict=True):
        stamp, head = header(float(time), robot.base_frame)
        pushes = wrench(vector(*force.tolist()), vector(*np.zeros(3).tolist()))
        messages.append((stamp, "/wrench", WRENCH, known[WRENCH](head, pushes)))
    messages.sort(key=lambda message: message[:2])
    with BagWriter(path, types) as bag:
        for stamp, topic, kind, message in messages:
            bag.write(topic, kind, message, stamp)
