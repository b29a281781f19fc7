# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A recorded experiment as arrays."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from impact_bags.exceptions import RecordingError
from impact_bags.reader import BagReader
from impact_robots.robot import Robot
from impact_ros.messages import JointReader, to_nanoseconds

STATES = "/joint_states"
FORCES = "/wrench_batch"
CONTROLLER = "/impact_qp/status"
DETECTOR = "/impact_detector/status"
EVENTS = "/impact_detector/impact"
_FAULTLESS = ("waiting: ", "cleaned up", "shut down")  # remarks, where a status has no code
TOPICS = (STATES, FORCES, CONTROLLER, DETECTOR, EVENTS)


@dataclass(frozen=True)
class RunRecord:
    """Measurements of one run; times in seconds of the recording's clock."""

    time: np.ndarray  # of the joint states, shape (N,) [s]
    q: np.ndarray  # shape (N, n) [rad]
    dq: np.ndarray  # shape (N, n) [rad/s]
    tau: np.ndarray  # shape (N, n) [N.m]
    force_time: np.ndarray  # shape (M,) [s]
    force: np.ndarray  # on the robot, base axes, shape (M, 3) [N]
    control_time: np.ndarray  # of the controller's status, shape (K,) [s]
    normal_speed: np.ndarray  # of the contact point along the normal, shape (K,) [m/s]
    speed_bound: np.ndarray  # NaN where there is none, shape (K,) [m/s]
    slack: np.ndarray  # by which impact limits gave way, shape (K,)
    fault: str  # why the controller stopped, "" if it did not
    detector_time: np.ndarray  # shape (L,) [s]
    statistic: np.ndarray  # shape (L,) [N.m]
    threshold: float  # [N.m], NaN without a detector
    detection_times: np.ndarray  # of the events, shape (E,) [s]


def read_run(bag: Path, robot: Robot) -> RunRecord:
    """Read the recording of an experiment.

    Raises:
        RecordingError: no recording, or without joint states.
    """
    rows: dict[str, list[Any]] = defaultdict(list)
    reader = JointReader(robot.joint_names)
    with BagReader(bag) as source:
        topics = [topic for topic in TOPICS if topic in source.topics]
        if STATES not in topics:
            raise RecordingError(f"{bag}: expected {STATES}, got {', '.join(source.topics)}")
        for topic, _, message in source.messages(topics):
            _COLLECT[topic](rows, message, reader)
    return _record(rows, robot.dof)


def _state(rows: dict[str, list[Any]], message: Any, reader: JointReader) -> None:
    state = reader.read(message)
    rows["time"].append(to_nanoseconds(message.header.stamp))
    rows["state"].append(state)


def _forces(rows: dict[str, list[Any]], message: Any, _: JointReader) -> None:
    force = np.array(message.force).reshape(-1, 3)
    steps = np.arange(len(force)) * round(message.sample_period * 1e9)
    rows["force_time"].append(to_nanoseconds(message.header.stamp) + steps)
    rows["force"].append(force)


def _controller(rows: dict[str, list[Any]], message: Any, _: JointReader) -> None:
    rows["control_time"].append(to_nanoseconds(message.header.stamp))
    rows["control"].append((message.normal_speed, message.speed_bound, message.slack))
    if _is_fault(message):
        rows["faults"].append(message.message)


def _is_fault(status: Any) -> bool:
    """Return whether a status says that the controller is stopped by a fault."""
    code = getattr(status, "fault", 0)
    if code == 0:  # recorded before there were codes
        return bool(status.message) and not status.message.startswith(_FAULTLESS)
    return bool(code > status.FAULT_NONE)


def _detector(rows: dict[str, list[Any]], message: Any, _: JointReader) -> None:
    rows["detector_time"].append(to_nanoseconds(message.header.stamp))
    rows["statistic"].append(message.statistic)
    rows["threshold"].append(message.threshold)


def _event(rows: dict[str, list[Any]], message: Any, _: JointReader) -> None:
    rows["detection"].append(to_nanoseconds(message.detection_time))


_COLLECT = {
    STATES: _state,
    FORCES: _forces,
    CONTROLLER: _controller,
    DETECTOR: _detector,
    EVENTS: _event,
}


def _record(rows: dict[str, list[Any]], dof: int) -> RunRecord:
    """Return the collected rows as arrays."""
    states = np.array(rows["state"]).reshape(-1, 3, dof)
    control = np.array(rows["control"], dtype=float).reshape(-1, 3)
    forces = rows["force"] or [np.zeros((0, 3))]
    force_time = np.concatenate(rows["force_time"] or [np.zeros(0)])
    return RunRecord(
        time=_seconds(rows["time"]),
        q=states[:, 0],
        dq=states[:, 1],
        tau=states[:, 2],
        force_time=_seconds(force_time),
        force=np.concatenate(forces),
        control_time=_seconds(rows["control_time"]),
        normal_speed=control[:, 0],
        speed_bound=control[:, 1],
        slack=control[:, 2],
        fault=rows["faults"][0] if rows["faults"] else "",
        detector_time=_seconds(rows["detector_time"]),
        statistic=np.array(rows["statistic"], dtype=float),
        threshold=float(rows["threshold"][-1]) if rows["threshold"] else float("nan"),
        detection_times=_seconds(rows["detection"]),
    )


def _seconds(nanoseconds: Any) -> np.ndarray:
    return np.asarray(nanoseconds, dtype=float) * 1e-9
