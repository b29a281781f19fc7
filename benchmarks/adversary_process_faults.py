# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Faults of processes: no message kills one, and whatever ends one, the arm comes to rest.

Run as a module it is such a process: the controller alone, or beside a node that fails on demand.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from adversary_dds import PERIOD, DdsArm
from predictor_service import importable
from rclpy.node import Node
from std_msgs.msg import Empty

from impact_bringup.experiments.child import child_process
from impact_msgs.msg import ControllerStatus, DetectorStatus, ImpactEstimate, WrenchBatch
from impact_qp.node import ImpactQpNode
from impact_ros import qos
from impact_ros.node.main import main_for

ENDS_WITHIN = 10.0  # [s]
STOPS = 3  # who wakes first, states or watchdog, is a matter of chance
FAILING = "failing"


class FailingNode(Node):
    """Raises in a callback on request, and again when it is destroyed."""

    def __init__(self) -> None:
        super().__init__(FAILING)
        self.create_subscription(Empty, "fail", self._fail, qos.LATCHED)

    def _fail(self, message: Empty) -> None:
        raise RuntimeError("made to fail")

    def destroy_node(self) -> None:
        """Fail again."""
        raise RuntimeError("made to fail")


@contextlib.contextmanager
def _process(arm: DdsArm, module: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process of nodes with the parameters of ``arm``."""
    settings = {
        "impact_qp": {"ros__parameters": arm.settings},
        "impact_detector": {"ros__parameters": {"robot": "panda"}},
    }
    with tempfile.TemporaryDirectory() as folder, importable():
        file = Path(folder) / "parameters.yaml"
        file.write_text(yaml.safe_dump(settings))
        ros = ["--ros-args", "--params-file", str(file)]
        with child_process(module, [*arguments, *ros], Path(folder) / "log") as process:
            yield process


def _ended(arm: DdsArm, process: subprocess.Popen[bytes]) -> None:
    """Demand that the process ends, and that the last thing it sent was rest."""
    arm.expect(arm.wait(lambda: process.poll() is not None, ENDS_WITHIN), "the process to end")
    arm.expect_zero_torque()
    arm.expect_sound()


def _signalled(arm: DdsArm, signals: list[tuple[float, int]]) -> None:
    """Send signals to a controller in its approach, each after a pause [s]."""
    with _process(arm, Path(__file__).stem) as process:
        arm.restart().start().cycles(100)
        arm.expect(arm.values.any(), "an approach")
        for pause, number in signals:
            time.sleep(pause)  # the fault is that they come so soon one after the other
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)
        _ended(arm, process)


def two_interrupts(arm: DdsArm) -> None:
    """Ctrl-C twice, 10 to 50 ms apart."""
    for pause in (0.03, 0.02, 0.04, 0.01, 0.05):
        _signalled(arm, [(0.0, signal.SIGINT), (pause, signal.SIGINT)])


def terminated(arm: DdsArm) -> None:
    """SIGTERM, as a service manager sends it."""
    _signalled(arm, [(0.0, signal.SIGTERM)])


def another_node_fails(arm: DdsArm) -> None:
    """A node in the controller's process raises in a callback."""
    publisher = arm.driver.create_publisher(Empty, "fail", qos.LATCHED)
    with _process(arm, Path(__file__).stem, FAILING) as process:
        arm.start().cycles(150)
        arm.expect(arm.values.any(), "an approach")
        arm.need(lambda: publisher.get_subscription_count() > 0, "discovery")
        publisher.publish(Empty())
        alive = arm.wait(lambda: process.poll() is not None, 2.0)
        if not alive:  # it may also go on, and then it must go on answering
            count = len(arm.commands)
            arm.cycles(3)
            arm.expect(len(arm.commands) > count, "answers, or an end")
            return
        _ended(arm, process)


def stopped_and_continued(arm: DdsArm) -> None:
    """The process stands for half a second in the middle of an approach."""
    for _ in range(STOPS):
        with _process(arm, Path(__file__).stem) as process:
            arm.restart().start().cycles(50)
            process.send_signal(signal.SIGSTOP)
            end = time.monotonic() + 0.5
            while time.monotonic() < end:  # arm, driver and detector go on
                arm.verdict()
                arm.show(arm.state(), 0.001)
                arm.move()
            process.send_signal(signal.SIGCONT)
            arm.cycles(20)
            arm.expect(arm.fault, "a fault in the status")
            arm.expect(arm.status[-1].mode != ControllerStatus.MODE_APPROACH, "no approach")
            arm.expect_rest()


def _survives(arm: DdsArm, sends: list[tuple[Any, str, Any]]) -> None:
    """Send messages to the whole suite; it must answer a good state afterwards.

    Args:
        arm: with its settings.
        sends: message, topic and QoS profile of each.
    """
    with _process(arm, "impact_bringup.suite") as process:

        def gone() -> bool:
            return process.poll() is not None

        arm.start().cycles(3)
        for message, topic, profile in sends:
            publisher = arm.driver.create_publisher(type(message), topic, profile)
            arm.need(lambda p=publisher: gone() or p.get_subscription_count() > 0, topic)
            publisher.publish(message)
            arm.wait(gone, 0.2)
            arm.expect(not gone(), f"the suite to survive a message on {topic}")
        count = len(arm.commands)
        arm.cycles(3)
        arm.expect(not gone(), "the suite to survive")
        arm.expect(len(arm.commands) > count, "an answer to a good state")
        arm.expect_sound()


def _stamped(message: Any, seconds: int, nanoseconds: int) -> Any:
    """Return a message with a stamp."""
    message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
    return message


def _odd_stamps(arm: DdsArm, seconds: int, nanoseconds: int) -> None:
    """Send every input of the suite once with that stamp."""
    batch = WrenchBatch(sample_period=1e-3, force=[0.0] * 3)
    estimate = ImpactEstimate()
    estimate.impact_time.sec, estimate.impact_time.nanosec = seconds, nanoseconds
    sends = [
        (_stamped(arm.state(), seconds, nanoseconds), "joint_states", qos.STREAM),
        (_stamped(DetectorStatus(), seconds, nanoseconds), "impact_detector/status", qos.STREAM),
        (_stamped(estimate, seconds, nanoseconds), "impact_detector/estimate", qos.LATCHED),
        (_stamped(batch, seconds, nanoseconds), "wrench_batch", qos.STREAM),
    ]
    _survives(arm, sends)


def odd_nanoseconds(arm: DdsArm) -> None:
    """Stamps with nanosec 4294967295 on every input."""
    _odd_stamps(arm, 1, 4294967295)


def last_second(arm: DdsArm) -> None:
    """Stamps with sec 2147483647 on every input."""
    _odd_stamps(arm, 2147483647, 0)


def endless_sample_period(arm: DdsArm) -> None:
    """A wrench batch whose samples are 1e300 s apart."""
    batch = WrenchBatch(sample_period=1e300, force=[0.0] * 30)
    _survives(arm, [(_stamped(batch, 1000, PERIOD), "wrench_batch", qos.STREAM)])


if __name__ == "__main__":
    beside = [FailingNode] if FAILING in sys.argv[1:2] else []
    rest = sys.argv[1 + len(beside) :]
    sys.exit(main_for(*beside, ImpactQpNode, name="adversary")(rest))
