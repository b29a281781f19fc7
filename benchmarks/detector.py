# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The time of detection: per sample, per recording, and as a node at 1 kHz.

Beside pinocchio's ``computeAllTerms`` of the same arm, beside reading the same bag with ``rosbags``
alone, and beside a node whose callback does nothing. Run it with ``./impact bench detector``.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import rclpy
from predictor_service import importable
from rclpy.context import Context
from rclpy.node import Node
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import JointState
from side_by_side import times

from impact_analysis.detection.detect_run import detect
from impact_bags import BagWriter
from impact_bags.bag_recording import BagRecording, TopicChoice
from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.domain import own_domain
from impact_detector.detectors.detector_kind import DETECTORS
from impact_detector.node import DetectorNode
from impact_detector.parameters import DetectorParameters, state_detectors
from impact_detector.signals.model_torque import ModelTorque
from impact_detector.signals.sample import JointSample
from impact_robots import load_robot
from impact_ros import qos
from impact_ros.node.closing import close
from impact_ros.node.main import main_for

ROBOT = load_robot("panda")
MILLISECOND = 1_000_000
BAG_SECONDS = 60
NODE_SECONDS, WARM_UP = 20.0, 3.0
START_TIME_OUT = 60.0  # [s]
EMPTY = "empty"


class EmptyNode(Node):
    """Subscribes as the detector does, and does nothing."""

    def __init__(self) -> None:
        super().__init__(EMPTY)
        self.create_subscription(
            JointState, "joint_states", lambda message: None, qos.RECORD_BEST_EFFORT
        )


def measure() -> dict[str, float]:
    """Return all figures."""
    return {**_per_sample(), **_per_recording(), **_as_node()}


def _motion(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, dq and tau of a slow motion with noise of a real Panda, each (count, 7)."""
    random, t = np.random.default_rng(0), np.arange(count)[:, None] * 1e-3
    phase = t + np.arange(7)
    q, dq = ROBOT.stance + 0.1 * np.sin(phase), 0.1 * np.cos(phase)
    data = ROBOT.model.createData()
    tau = np.array([pin.rnea(ROBOT.model, data, *each) for each in zip(q, dq, q * 0, strict=True)])
    return q, dq + random.normal(0, 4e-3, q.shape), tau + random.normal(0, 0.08, q.shape)


def _per_sample() -> dict[str, float]:
    """Return the time of one update of each detector."""
    count = 2000
    columns = zip(*_motion(count), strict=True)
    samples = [
        JointSample(k * MILLISECOND, q, dq, tau, tau_ref=tau * 0.99)
        for k, (q, dq, tau) in enumerate(columns)
    ]
    model, data = ROBOT.model, ROBOT.model.createData()
    place = dict.fromkeys((*DETECTORS, EMPTY), 0)

    def floor() -> None:
        place[EMPTY] += 1
        sample = samples[place[EMPTY] % count]
        pin.computeAllTerms(model, data, sample.q, sample.dq)

    def update(name: str, detector: Any) -> Any:
        def work() -> None:
            turn, k = divmod(place[name], count)
            place[name] += 1
            sample = samples[k]
            time = (turn * count + k) * MILLISECOND
            detector.update(
                JointSample(time, sample.q, sample.dq, sample.tau, tau_ref=sample.tau_ref)
            )

        return work

    parameters = DetectorParameters(detectors=tuple(DETECTORS))
    detectors = state_detectors(parameters, ROBOT)
    works = {name: update(name, each) for name, each in zip(DETECTORS, detectors, strict=True)}
    taken = times({"computeAllTerms": floor, **works}, rounds=400)
    figures = {f"{name}, update [us]": 1e6 * seconds for name, seconds in taken.items()}
    figures["fused / computeAllTerms"] = taken["fused"] / taken["computeAllTerms"]
    return figures


def _per_recording() -> dict[str, float]:
    """Return how long a bag takes to be searched and to be read."""
    with tempfile.TemporaryDirectory() as folder:
        bag = Path(folder) / "bag"
        _write(bag)

        def read() -> None:
            with AnyReader([bag]) as reader:
                for connection, _, raw in reader.messages():
                    reader.deserialize(raw, connection.msgtype)

        def search() -> None:
            recording = BagRecording(bag, ROBOT, TopicChoice())
            result = detect(recording, DetectorParameters(), ROBOT, ModelTorque(ROBOT))
            if result.samples != BAG_SECONDS * 1000 or result.detections:
                raise RuntimeError(f"{result.samples} samples, {len(result.detections)} impacts")

        taken = times({"read": read, "search": search}, rounds=5, calls=1)
    return {
        "rosbags alone, 60 s at 1 kHz [s]": taken["read"],
        "detect, the same bag [s]": taken["search"],
        "detect / rosbags alone": taken["search"] / taken["read"],
    }


def _write(folder: Path) -> None:
    """Write joint states and desired ones."""
    with BagWriter(folder) as bag:
        types = bag.typestore.types
        columns = zip(*_motion(BAG_SECONDS * 1000), strict=True)
        for k, (q, dq, tau) in enumerate(columns):
            stamp = types["builtin_interfaces/msg/Time"](*divmod(k * MILLISECOND, 10**9))
            header = types["std_msgs/msg/Header"](stamp, "")
            for topic in ("/joint_states", "/impact_qp/desired_joint_states"):
                kind = "sensor_msgs/msg/JointState"
                message = types[kind](header, list(ROBOT.joint_names), q, dq, tau)
                bag.write(topic, kind, message, k * MILLISECOND)


def _as_node() -> dict[str, float]:
    """Return the processor time of the node and of an empty one at 1 kHz, each its own process."""
    with own_domain(), tempfile.TemporaryDirectory() as folder, importable():
        module, log = Path(__file__).stem, Path(folder)
        with (
            child_process(module, ["detector"], log / "detector.log") as detector,
            child_process(module, [EMPTY], log / "empty.log") as empty,
        ):
            shares = _publish((detector.pid, empty.pid))
    return {
        "node, share of a core at 1 kHz [%]": 100 * shares[0],
        "empty subscriber [%]": 100 * shares[1],
        "node / empty subscriber": shares[0] / shares[1],
    }


def _publish(processes: tuple[int, ...]) -> list[float]:
    """Publish at 1 kHz and return the fraction of a core that each process takes meanwhile."""
    with _publisher() as publisher:
        end = time.monotonic() + START_TIME_OUT
        while publisher.get_subscription_count() < len(processes):
            if time.monotonic() > end:
                raise TimeoutError("the nodes did not start")
            time.sleep(0.1)
        q, dq, tau = _motion(1000)
        message = JointState(name=list(ROBOT.joint_names))
        start, before = time.perf_counter(), [0.0] * len(processes)
        total = round((WARM_UP + NODE_SECONDS) * 1000)
        for k in range(total):
            if k == round(WARM_UP * 1000):
                begun, before = time.perf_counter(), [_processor_time(each) for each in processes]
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(k * MILLISECOND, 10**9)
            row = k % 1000
            message.position, message.velocity = q[row].tolist(), dq[row].tolist()
            message.effort = tau[row].tolist()
            publisher.publish(message)
            time.sleep(max(0.0, start + (k + 1) * 1e-3 - time.perf_counter()))
        taken = time.perf_counter() - begun
        after = [_processor_time(each) for each in processes]
    return [(b - a) / taken for a, b in zip(before, after, strict=True)]


def _processor_time(process: int) -> float:
    """Return what a process has taken of all cores [s]."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def _publisher() -> Iterator[Any]:
    """Make a publisher of joint states in a context of its own."""
    context = Context()
    rclpy.init(args=[], context=context)
    node = Node("driver", context=context)
    try:
        yield node.create_publisher(JointState, "joint_states", qos.STREAM)
    finally:
        close(node, context=context)


if __name__ == "__main__":  # one of the nodes
    served = {"detector": DetectorNode, EMPTY: EmptyNode}[sys.argv[1]]
    sys.exit(main_for(served)([]))
