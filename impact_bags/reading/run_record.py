# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An experiment: its settings, and the recorded signals of its arms as series over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from impact_bags.bag_recording import (
    DESIRED,
    JOINT_STATE,
    UNREADABLE,
    WRENCH,
    WRENCH_BATCH,
    is_measured,
)
from impact_bags.exceptions import RecordingError
from impact_bags.reading.cell_topics import POST_REFERENCE
from impact_bags.reading.reader import BagReader, Span
from impact_bags.series import Series, series
from impact_bags.writing.message_maker import ACCELERATION, COMMAND, POSE, TWIST
from impact_bags.writing.writer import Tap
from impact_detector.ros.conversion import batch_sample, wrench_sample
from impact_robots.robot import Robot
from impact_ros.joints import JointReader, reorder
from impact_ros.messages import to_nanoseconds, vector

RUN = ("states", "force", "control", "detections")  # series of an experiment; with torques
CELL = ("states", "force", "commands", "desired", "ante", "post", "feedback")  # of several arms
_NAMES = {  # series of other topics of an arm, by type and the end of the name
    (COMMAND, "impact_qp/command"): "commands",
    (TWIST, "impact_qp/ante_reference"): "ante",
    (TWIST, POST_REFERENCE): "post",
    (ACCELERATION, "impact_qp/feedback_acceleration"): "feedback",
    ("impact_msgs/msg/ControllerStatus", "impact_qp/status"): "control",
    ("impact_msgs/msg/ImpactEvent", "impact_detector/impact"): "detections",
}
_FAULTLESS = ("waiting: ", "cleaned up", "shut down")  # remarks, where a status has no code
_NOTHING = series([], [], 1)
Row = tuple[int, Any]  # stamp [ns]; numbers, or a text
Named = tuple[str, int, Any]  # name of a series, and a row
Read = Callable[[Any, JointReader], list[Named]]
Kind = TypeVar("Kind", covariant=True)  # of scenario


@dataclass(frozen=True)
class Run(Generic[Kind]):
    """Settings of one experiment, in one process or over DDS."""

    scenario: Kind
    controller: str  # which impact limits: unaware, robust, existential, nominal, joint_load
    folder: Path  # for the recording and logs; must not exist
    seed: int = 0
    noise: bool = True
    realtime: bool = False  # over DDS: not in lockstep
    duration: float = 10.0  # longest simulated time [s]
    progress: Callable[[float, float], None] = lambda time, gap: None  # simulated time [s], gap [m]
    tap: Tap | None = None  # receives the recorded messages

    @property
    def bag(self) -> Path:
        """The recording."""
        return self.folder / "bag"


@dataclass(frozen=True)
class RunRecord:
    """Recorded series of one arm; base axes, n joints. Missing series have no rows."""

    states: Series  # q, dq, shape (k, 2 n) [rad], [rad/s]
    torques: Series  # measured, shape (k, n) [N.m]
    force: Series  # of the fastest sensor, on the robot, shape (k, 3) [N]
    commands: Series = _NOTHING  # driver's torque, then 1 if it holds gravity, (k, n + 1) [N.m]
    desired: Series = _NOTHING  # joint velocity, shape (k, n) [rad/s]
    ante: Series = _NOTHING  # reference velocity of the contact point, shape (k, 3) [m/s]
    post: Series = _NOTHING  # the same after the impact, shape (k, 3) [m/s]
    feedback: Series = _NOTHING  # a_fb, shape (k, 3) [m/s^2]
    control: Series = _NOTHING  # speed along the normal, its bound or NaN, shape (k, 2) [m/s]
    detections: Series = _NOTHING  # statistic of each, at the time of detection, shape (k, 1)
    fault: str = ""  # why the controller stopped, "" if it did not

    @property
    def q(self) -> np.ndarray:
        """Positions of the states, shape (k, n) [rad]."""
        return self.states.values[:, : self.states.values.shape[1] // 2]

    @property
    def dq(self) -> np.ndarray:
        """Velocities of the states, shape (k, n) [rad/s]."""
        return self.states.values[:, self.states.values.shape[1] // 2 :]


class CellRecord(NamedTuple):
    """Recorded series of several arms, or of an object."""

    arms: dict[str, RunRecord]  # by namespace
    object: Series  # its position or velocity, shape (k, 3) [m] or [m/s]
    moves: bool  # velocities were recorded, not positions
    frame: str  # whose axes these have


def read_run(bag: Path, robot: Robot) -> RunRecord:
    """Read the recording of an experiment with one arm.

    Raises:
        RecordingError: no recording, or without joint states of the robot.
    """
    record = read_cell(bag, robot, names=RUN).arms[""]
    if not len(record.states.time):
        raise RecordingError(f"{bag}: expected joint states of {robot.name}, got none")
    return record


def read_cell(
    path: Path,
    robot: Robot,
    arms: Collection[str] = ("",),
    object: str = "",
    span: Span = (None, None),
    names: Collection[str] = CELL,
) -> CellRecord:
    """Read a bag, or the part of it that was recorded within a span of time [ns].

    Args:
        path: of the bag.
        robot: that every arm is.
        arms: their namespaces; empty: the arm has none.
        object: topic of the pose or velocity of the object; empty: none is read.
        span: recorded time; None: from the beginning, to the end.
        names: of the series that are read.

    Raises:
        RecordingError: nothing of the bag can be read.
    """
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)  # by topic and series
    joints, frame = JointReader(robot.joint_names), ""
    prefixes = {arm: f"/{arm}/" if arm else "/" for arm in arms}
    with BagReader(path, salvage=True) as bag:
        kinds = {topic: info.type_name for topic, info in bag.topics.items()}
        own = [topic for topic in kinds if topic.startswith(tuple(prefixes.values()))]
        held = {topic: name for topic in own if (name := _series_on(topic, kinds[topic])) in names}
        if object in kinds:
            held[object] = "position" if kinds[object] == POSE else "velocity"
        for topic, _, message in bag.messages(list(held), span) if held else ():
            with suppress(*UNREADABLE):  # damaged: counted by the caller
                for name, time, row in _READ[held[topic]](message, joints):
                    rows[topic, name].append((time, row))
                frame = frame or (message.header.frame_id if topic == object else "")
    return CellRecord(
        {arm: _record(rows, prefix, robot.dof) for arm, prefix in prefixes.items()},
        _made(rows[object, held.get(object, "")], 3),
        kinds.get(object) == TWIST,
        frame,
    )


def _series_on(topic: str, kind: str) -> str:
    """Return the name of the series of an arm's topic, empty for others."""
    if kind == JOINT_STATE:
        return "states" if is_measured(topic) else "desired" * topic.endswith(DESIRED)
    if kind in (WRENCH, WRENCH_BATCH):
        return "force"
    return next((s for (k, end), s in _NAMES.items() if k == kind and topic.endswith(end)), "")


def _states(message: Any, joints: JointReader) -> list[Named]:
    time, read = to_nanoseconds(message.header.stamp), joints.read(message)
    states = [("states", time, np.concatenate([read.position, read.velocity]))]
    return states + ([("torques", time, read.effort)] if len(message.effort) else [])


def _force(message: Any, _: JointReader) -> list[Named]:
    sample = batch_sample(message) if hasattr(message, "sample_period") else wrench_sample(message)
    times = (sample.time + k * sample.period for k in range(len(sample.force)))
    return [("force", *row) for row in zip(times, sample.force, strict=True)]


def _command(message: Any, joints: JointReader) -> list[Named]:
    if message.interface != message.INTERFACE_TORQUE:
        return []
    torque = np.array(message.values)[reorder(message.joint_names, joints.names)]
    row = np.append(torque, float(message.includes_gravity))
    return [("commands", to_nanoseconds(message.header.stamp), row)]


def _control(message: Any, _: JointReader) -> list[Named]:
    time = to_nanoseconds(message.header.stamp)
    speeds = [("control", time, np.array([message.normal_speed, message.speed_bound]))]
    return speeds + ([("fault", time, message.message)] if _is_fault(message) else [])


def _detection(message: Any, _: JointReader) -> list[Named]:
    return [("detections", to_nanoseconds(message.detection_time), np.array([message.statistic]))]


def _stamped(name: str, row: Callable[[Any, JointReader], np.ndarray]) -> Read:
    """Return the reader of one row, at the time of the message's stamp."""
    return lambda message, joints: [
        (name, to_nanoseconds(message.header.stamp), row(message, joints))
    ]


def _velocity(message: Any, _: JointReader) -> np.ndarray:
    return vector(message.twist.linear)


_READ: dict[str, Read] = {
    "states": _states,
    "desired": _stamped("desired", lambda message, joints: joints.read(message).velocity),
    "force": _force,
    "commands": _command,
    "ante": _stamped("ante", _velocity),
    "post": _stamped("post", _velocity),
    "feedback": _stamped("feedback", lambda message, _: vector(message.accel.linear)),
    "control": _control,
    "detections": _detection,
    "position": _stamped("position", lambda message, _: vector(message.pose.position)),
    "velocity": _stamped("velocity", _velocity),
}


def _is_fault(status: Any) -> bool:
    """Return whether a status reports that a fault has stopped the controller."""
    code = getattr(status, "fault", 0)
    if code == 0:  # recorded before there were codes
        return bool(status.message) and not status.message.startswith(_FAULTLESS)
    return bool(code > status.FAULT_NONE)


def _record(rows: Mapping[tuple[str, str], list[Row]], prefix: str, dof: int) -> RunRecord:
    """Return the record of the arm whose topics begin with ``prefix``."""
    own: dict[str, list[list[Row]]] = defaultdict(list)  # by series, one a topic
    for (topic, name), found in rows.items():
        if topic.startswith(prefix):
            own[name].append(found)

    def of(name: str, width: int) -> Series:
        found = own[name] or [[]]
        return _made(max(found, key=len) if name == "force" else found[0], width)

    faults = [text for found in own["fault"] for _, text in found]
    return RunRecord(
        states=of("states", 2 * dof),
        torques=of("torques", dof),
        force=of("force", 3),
        commands=of("commands", dof + 1),
        desired=of("desired", dof),
        ante=of("ante", 3),
        post=of("post", 3),
        feedback=of("feedback", 3),
        control=_made(next(iter(own["control"]), []), 2, unbounded=True),
        detections=of("detections", 1),
        fault=faults[0] if faults else "",
    )


def _made(rows: list[Row], width: int, *, unbounded: bool = False) -> Series:
    fitting = [(time, row) for time, row in rows if len(row) == width]
    times, values = [time for time, _ in fitting], [row for _, row in fitting]
    return series(times, values, width, unbounded=unbounded)
