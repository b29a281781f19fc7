# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes a hit of the foreign arm as the bag that a robot's driver would have given."""

from __future__ import annotations

from pathlib import Path

from rosbags.typesys.store import Typestore

from impact_bags import BagWriter
from impact_bags.writing.message_maker import Made, MessageMaker
from impact_detector.signals.sample import from_seconds
from impact_robots import Robot
from studies.foreign import SimulatedHit


def write_hit(path: Path, robot: Robot, hit: SimulatedHit, types: Typestore) -> None:
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
    make, names = MessageMaker(types, robot.base_frame), robot.joint_names
    messages: list[tuple[int, str, Made]] = []
    for time, *values in zip(hit.t, hit.q, hit.dq, hit.tau, strict=True):
        stamp = from_seconds(float(time))
        messages.append((stamp, "/joint_states", make.joint_state(stamp, names, *values)))
    for time, force in zip(hit.force_t, hit.force, strict=True):
        stamp = from_seconds(float(time))
        messages.append((stamp, "/wrench", make.wrench(stamp, force)))
    messages.sort(key=lambda message: message[:2])
    with BagWriter(path, types) as bag:
        for stamp, topic, made in messages:
            bag.write(topic, *made, stamp)
