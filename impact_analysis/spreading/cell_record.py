# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads what the arms of a bag and their object did, about the times of impacts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from impact_analysis.spreading.series import Series, series
from impact_bags.bag_recording import DESIRED, JOINT_STATE, UNREADABLE, WRENCH, WRENCH_BATCH
from impact_bags.bag_recording import is_measured as measured_states
from impact_bags.cell_topics import POST_REFERENCE, CellTopics
from impact_bags.message_maker import ACCELERATION, COMMAND, POSE, TWIST
from impact_bags.reader import BagReader
from impact_detector.ros.conversion import batch_sample, wrench_sample
from impact_robots import Robot
from impact_ros.joints import JointReader
from impact_ros.messages import to_nanoseconds, vector

ANTE_REFERENCE = "impact_qp/ante_reference"
FEEDBACK = "impact_qp/feedback_acceleration"
TORQUES = "impact_qp/command"
Row = tuple[int, np.ndarray]  # stamp [ns], numbers


class ArmRecord(NamedTuple):
    """Topics of one arm; base axes, n joints. What was not recorded has no rows."""

    states: Series  # q, dq, shape (k, 2 n) [rad], [rad/s]
    torques: Series  # sensed, shape (k, n) [N.m]
    commands: Series  # driver's torque, then 1 if it holds gravity, shape (k, n + 1) [N.m]
    desired: Series  # joint velocity, shape (k, n) [rad/s]
    ante: Series  # reference velocity of the contact point, shape (k, 3) [m/s]
    post: Series  # the same after the impact, shape (k, 3) [m/s]
    feedback: Series  # a_fb, shape (k, 3) [m/s^2]
    force: Series  # of the fastest sensor, shape (k, 3) [N]


class CellRecord(NamedTuple):
    """Everything about one or more impacts."""

    arms: dict[str, ArmRecord]
    object: Series  # its position or velocity, shape (k, 3) [m] or [m/s]
    moves: bool  # velocities were recorded, not positions
    frame: str  # whose axes these have


Span = tuple[int | None, int | None]


def read_cell(path: Path, topics: CellTopics, robot: Robot, span: Span) -> CellRecord:
    """Read a bag, or the part of it that was recorded within a span of time [ns].

    Raises:
        RecordingError: nothing of the bag can be read.
    """
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    frames: dict[str, str] = {}
    with BagReader(path, salvage=True) as bag:
        kinds = {topic: info.type_name for topic, info in bag.topics.items()}
        readers = _readers(kinds, topics, robot)
        for topic, _, message in bag.messages(list(readers), span):
            with suppress(*UNREADABLE):  # damaged: the collection of the arms counts it
                for name, time, numbers in readers[topic](message):
                    rows[topic, name].append((time, numbers))
                frames.setdefault(topic, getattr(message.header, "frame_id", ""))
    arms = {arm: _arm(rows, f"/{arm}/" if arm else "/", robot.dof) for arm in topics.arms}
    moves = kinds.get(topics.object) == TWIST
    return CellRecord(arms, _made(rows[topics.object, ""], 3), moves, frames.get(topics.object, ""))


Read = Callable[[Any], list[tuple[str, int, np.ndarray]]]  # message: name of a series, stamp, row


def _readers(kinds: dict[str, str], topics: CellTopics, robot: Robot) -> dict[str, Read]:
    """Return what makes rows of the messages of each topic that is wanted."""
    found: dict[str, Read] = {}
    for topic, kind in kinds.items():
        own = any(topic.startswith(f"/{arm}/" if arm else "/") for arm in topics.arms)
        if topic == topics.object:
            found[topic] = _position if kind == POSE else _linear_velocity
        elif own and kind == JOINT_STATE:
            found[topic] = _joints(robot, measured_states(topic))
        elif own and kind == COMMAND and topic.endswith(TORQUES):
            found[topic] = _commands(robot)
        elif own and kind == TWIST and topic.endswith((ANTE_REFERENCE, POST_REFERENCE)):
            found[topic] = _linear_velocity
        elif own and kind == ACCELERATION and topic.endswith(FEEDBACK):
            found[topic] = _acceleration
        elif own and kind in (WRENCH, WRENCH_BATCH):
            found[topic] = _force if kind == WRENCH else _forces
    return found


def _joints(robot: Robot, measured: bool) -> Read:
    reader = JointReader(robot.joint_names)

    def read(message: Any) -> list[tuple[str, int, np.ndarray]]:
        time, joints = to_nanoseconds(message.header.stamp), reader.read(message)
        if not measured:
            return [("desired", time, joints.velocity)]
        state = [("states", time, np.concatenate([joints.position, joints.velocity]))]
        return state + ([("torques", time, joints.effort)] if len(message.effort) else [])

    return read


def _commands(robot: Robot) -> Read:
    names = robot.joint_names

    def read(message: Any) -> list[tuple[str, int, np.ndarray]]:
        if message.interface != message.INTERFACE_TORQUE:
            return []
        order = [list(message.joint_names).index(name) for name in names]
        torque = np.array(message.values)[order]
        row = np.append(torque, float(message.includes_gravity))
        return [("", to_nanoseconds(message.header.stamp), row)]

    return read


def _position(message: Any) -> list[tuple[str, int, np.ndarray]]:
    return [("", to_nanoseconds(message.header.stamp), vector(message.pose.position))]


def _linear_velocity(message: Any) -> list[tuple[str, int, np.ndarray]]:
    return [("", to_nanoseconds(message.header.stamp), vector(message.twist.linear))]


def _acceleration(message: Any) -> list[tuple[str, int, np.ndarray]]:
    return [("", to_nanoseconds(message.header.stamp), vector(message.accel.linear))]


def _force(message: Any) -> list[tuple[str, int, np.ndarray]]:
    sample = wrench_sample(message)
    return [("force", sample.time, sample.force[0])]


def _forces(message: Any) -> list[tuple[str, int, np.ndarray]]:
    sample = batch_sample(message)
    times = (sample.time + k * sample.period for k in range(len(sample.force)))
    return [("force", *row) for row in zip(times, sample.force, strict=True)]


def _arm(rows: dict[tuple[str, str], list[Row]], prefix: str, dof: int) -> ArmRecord:
    """Return the series of an arm whose topics begin with ``prefix``."""
    own = {key: found for key, found in rows.items() if key[0].startswith(prefix)}

    def of(ending: str, width: int, name: str = "") -> Series:
        return _made(
            next((own[t, n] for t, n in own if n == name and t.endswith(ending)), []), width
        )

    forces = [found for (_, name), found in own.items() if name == "force"]
    return ArmRecord(
        of("joint_states", 2 * dof, "states"),
        of("joint_states", dof, "torques"),
        of(TORQUES, dof + 1),
        of(DESIRED, dof, "desired"),
        of(ANTE_REFERENCE, 3),
        of(POST_REFERENCE, 3),
        of(FEEDBACK, 3),
        _made(max(forces, key=len, default=[]), 3),
    )


def _made(rows: list[Row], width: int) -> Series:
    fitting = [(time, row) for time, row in rows if len(row) == width]
    return series([time for time, _ in fitting], [row for _, row in fitting], width)
