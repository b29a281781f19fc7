# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Round trip of the service predict_impact compared with an empty one, over real DDS.

The client is this process; all services are in one other process and one executor. All kinds of
calls take turns, so that what disturbs one disturbs all. "prepared" is an answer of the same size
that is not computed: what ROS takes by itself for such messages. Run it with
``./impact bench predictor_service``.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import rclpy
from rclpy.context import Context
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.domain import own_domain
from impact_msgs.msg import Contact, Surface
from impact_msgs.srv import PredictImpact
from impact_predictor.node import PredictorNode
from impact_predictor.prediction.impact_question import answer
from impact_predictor.ros.messages import prediction_message
from impact_predictor.ros.request_reader import RequestReader
from impact_robots import ArmDynamics, contact_rotation, load_robot
from impact_ros.node.closing import close
from impact_ros.node.main import main_for
from impact_ros.node.spin import make_executor

PEER = "measured_beside"
START_TIME_OUT, CALL_TIME_OUT = 60.0, 5.0  # [s]
WARM_UP = 100  # calls of each kind
Q = [0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02]


class Beside(Node):
    """Answers nothing, or what was prepared."""

    def __init__(self) -> None:
        super().__init__(PEER)
        robot = load_robot("panda")
        question, state = RequestReader(robot).prediction(_request(interval=False), None)
        (prediction,) = answer(question, robot, "M+B_theta").predictions
        message = prediction_message(prediction, None, state.header)
        prepared = PredictImpact.Response(success=True, predictions=[message])
        self.create_service(Trigger, "~/empty", lambda request, response: response)
        self.create_service(PredictImpact, "~/prepared", lambda request, response: prepared)


def measure(calls: int = 2000) -> dict[str, float]:
    """Return all figures; times in microseconds.

    Args:
        calls: round trips of each kind.
    """
    with own_domain(), tempfile.TemporaryDirectory() as folder, importable():
        log = Path(folder) / "server.log"
        with child_process(Path(__file__).stem, ["--ros-args"], log), _client() as client:
            samples = client.samples(calls)
    figures: dict[str, float] = {}
    for name, values in samples.items():
        figures[f"{name}, median [us]"] = float(np.median(values)) * 1e6
        figures[f"{name}, p95 [us]"] = float(np.percentile(values, 95)) * 1e6
    empty = figures["empty, median [us]"]
    for name in list(samples)[1:]:
        figures[f"{name} / empty"] = figures[f"{name}, median [us]"] / empty
    return figures


class _Client:
    """Calls the services."""

    def __init__(self, node: Node, executor: Any) -> None:
        self._executor = executor
        asked, wide = _request(interval=False), _request(interval=True)
        loads = [_request(interval=False, joints=joints) for joints in ("nominal", "announced")]
        predict = node.create_client(PredictImpact, "impact_predictor/predict_impact")
        self._works = {
            "empty": (node.create_client(Trigger, f"{PEER}/empty"), Trigger.Request()),
            "prepared": (node.create_client(PredictImpact, f"{PEER}/prepared"), asked),
            "prediction": (predict, asked),
            "prediction with interval": (predict, wide),
            "prediction with loads, nominal joints": (predict, loads[0]),
            "prediction with loads, announced joints": (predict, loads[1]),
        }

    def samples(self, calls: int) -> dict[str, list[float]]:
        """Return the round trips of each kind of call [s], in turns."""
        for client, _ in self._works.values():
            if not client.wait_for_service(timeout_sec=START_TIME_OUT):
                raise TimeoutError("the services did not start")
        taken: dict[str, list[float]] = {name: [] for name in self._works}
        gc.collect()
        gc.disable()
        try:
            for _ in range(WARM_UP + calls):
                for name, (client, request) in self._works.items():
                    taken[name].append(self._call(client, request))
        finally:
            gc.enable()
        return {name: values[WARM_UP:] for name, values in taken.items()}

    def _call(self, client: Any, request: Any) -> float:
        """Return the time of one round trip [s]."""
        start = perf_counter()
        future = client.call_async(request)
        self._executor.spin_until_future_complete(future, timeout_sec=CALL_TIME_OUT)
        taken = perf_counter() - start
        if not future.done():
            raise TimeoutError(f"no answer of {client.service_name}")
        if isinstance(request, PredictImpact.Request) and not future.result().success:
            raise RuntimeError(future.result().message)
        return taken


@contextlib.contextmanager
def _client() -> Iterator[_Client]:
    """Run a client in a context of its own."""
    context = Context()
    rclpy.init(args=[], context=context)
    node = Node("client", context=context)
    executor = make_executor(context)
    executor.add_node(node)
    try:
        yield _Client(node, executor)
    finally:
        executor.shutdown()
        close(node, context=context)


@contextlib.contextmanager
def importable() -> Iterator[None]:
    """Let a child process import this file."""
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).resolve().parent), before])
    try:
        yield
    finally:
        os.environ["PYTHONPATH"] = before


def _request(*, interval: bool, joints: str = "") -> PredictImpact.Request:
    """Return a request for one impact map at one contact, of any stiffness."""
    robot = load_robot("panda")
    wall = contact_rotation([-1.0, 0.0, 0.0])
    J = ArmDynamics(robot)(Q, np.zeros(7)).J[:3]
    dq = np.linalg.pinv(J) @ wall @ np.array([0.02, 0.03, -0.2])
    friction = {"friction_low": 0.279, "friction_high": 0.279}
    contact = Contact(surface=Surface(**friction, restitution_low=0.1, restitution_high=0.1))
    contact.normal.x = -1.0
    state = JointState(name=list(robot.joint_names), position=Q, velocity=dq.tolist())
    return PredictImpact.Request(
        state=state,
        contacts=[contact],
        models=["M+B_theta"],
        inertia_uncertainty=0.1 if interval else 0.0,
        joint_ranges=joints,
    )


if __name__ == "__main__":  # the server
    sys.exit(main_for(PredictorNode, Beside)())
