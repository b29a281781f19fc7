# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the launch files start, really started: processes, services, an arm that hits a wall."""

import ast
import contextlib
import gc
import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.context import Context
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from impact_msgs.msg import (
    ControllerStatus,
    DetectorStatus,
    GrabStatus,
    ImpactEstimate,
    ImpactEvent,
)
from impact_ros.node.closing import close
from impact_ros.node.spin import spin
from impact_ros.qos import LATCHED, RECORD, SENSOR, STREAM
from impact_sim.driver.simulation import START_NS
from impact_sim.scenarios import load_scenario

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 90.0  # then a process is killed [s]
TIME_OUT = 40.0  # of a condition [s]
RETRY = 2.0  # of a request without answer [s]
STOP_TIME_OUT = 10.0  # after SIGINT [s]


def script(executable):
    """Return Python code that does what the console script does, by setup.py."""
    text = (ROOT / "setup.py").read_text()
    (entry,) = (
        node.value.split(" = ")[1]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and str(node.value).startswith(f"{executable} = ")
    )
    module, function = entry.split(":")
    return f"import sys; from {module} import {function}; sys.exit({function}())"


class Machine:
    """Processes, and a node that watches them."""

    def __init__(self, folder, stack):
        """Start the watching node; ``stack`` closes everything."""
        self._folder, self._stack = folder, stack
        self.processes = {}
        context = Context()
        context.init(args=[])
        self.node = Node("watcher", context=context)
        stack.callback(close, self.node, context=context)

    def start(self, lines):
        """Start executables with their arguments, as `launch_file(...).lines` has them."""
        for executable, arguments in lines.items():
            with open(self._folder / f"{executable}.log", "wb") as log:
                process = subprocess.Popen(
                    [sys.executable, "-c", script(executable), *arguments],
                    cwd=ROOT,
                    env=os.environ | {"ROS_PYTHON_CHECK_FIELDS": "1"},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            killer = threading.Timer(LIMIT, process.kill)
            killer.start()
            self._stack.callback(killer.cancel)
            self._stack.callback(process.wait)
            self._stack.callback(process.kill)
            self.processes[executable] = process

    def start_heard(self, lines, node, topic, heard=lambda: True):
        """Start a launch, and bring it up only when the watcher has found a topic.

        A whole run takes a second: it must not begin before.
        """
        lines = dict(lines)
        bring_up = {"bring_up": lines.pop("bring_up")}
        self.start(lines)
        self.change_state(f"{node}/change_state", Transition.TRANSITION_CONFIGURE)
        self.wait(lambda: heard() and self.node.count_publishers(topic))
        self.start(bring_up)

    def log(self, executable):
        """Return what an executable has printed."""
        return (self._folder / f"{executable}.log").read_text()

    def stop(self):
        """Interrupt all, as Ctrl-C does; return the exit statuses."""
        for process in self.processes.values():
            process.send_signal(signal.SIGINT)
        return {name: each.wait(STOP_TIME_OUT) for name, each in self.processes.items()}

    def wait(self, condition):
        """Serve the node until the condition holds."""

        def over():
            return condition() or any(each.poll() for each in self.processes.values())

        reason = spin([self.node], until=over, timeout=TIME_OUT)
        logs = {name: self.log(name) for name in self.processes}
        assert reason == "condition", f"{reason}: {logs}"
        assert condition(), f"a process ended: {logs}"

    def state(self, node):
        """Ask a lifecycle node for its state, until it answers.

        An answer is lost while the server knows of the request's sender, but not of its reader.
        """
        client = self.node.create_client(GetState, f"{node}/get_state")
        self.wait(client.service_is_ready)
        asked, end = [client.call_async(GetState.Request())], [time.monotonic() + RETRY]

        def answered():
            if time.monotonic() > end[0]:
                asked.append(client.call_async(GetState.Request()))
                end[0] += RETRY
            return any(future.done() for future in asked)

        self.wait(answered)
        return next(each.result() for each in asked if each.done()).current_state.id

    def change_state(self, service, transition):
        """Request a transition; return whether it succeeded."""
        client = self.node.create_client(ChangeState, service)
        self.wait(client.service_is_ready)
        self.state(service.removesuffix("/change_state"))  # now both sides know each other
        request = ChangeState.Request()
        request.transition.id = transition
        future = client.call_async(request)
        self.wait(future.done)
        return future.result().success

    def hear(self, kind, topic, profile):
        """Return a list to which every message is appended."""
        heard = []
        self.node.create_subscription(kind, topic, heard.append, profile)
        return heard


@pytest.fixture
def machine(tmp_path):
    # rclpy keeps the services of a destroyed lifecycle node until it is collected: another test's
    # would answer for the process that has yet to start.
    gc.unfreeze()
    gc.collect()
    with contextlib.ExitStack() as stack:
        yield Machine(tmp_path, stack)


@pytest.mark.parametrize("namespace", ["", "left"])
def test_the_simulated_arm_approaches_hits_and_retracts(machine, launch_file, namespace):
    launched = launch_file("simulation", impact_limits="existential", namespace=namespace)
    base = f"/{namespace}".rstrip("/")
    status_topic = f"{base}/impact_qp/status"
    status = machine.hear(ControllerStatus, status_topic, RECORD)
    events = machine.hear(ImpactEvent, f"{base}/impact_detector/impact", LATCHED)
    estimates = machine.hear(ImpactEstimate, f"{base}/impact_detector/estimate", LATCHED)
    times = machine.hear(Clock, "/clock", STREAM)
    machine.start_heard(launched.lines, f"{base}/impact_qp", status_topic, lambda: times)
    machine.wait(lambda: events and estimates)
    machine.wait(lambda: status and status[-1].mode == ControllerStatus.MODE_RETRACT)

    approach = [each for each in status if each.mode == ControllerStatus.MODE_APPROACH]
    run_up = load_scenario("qp_panda_demo").run_up
    assert approach[0].gap == pytest.approx(run_up, rel=0.02)
    assert approach[-1].gap < 0.1 * run_up
    assert approach[-1].normal_speed < -0.1
    assert not any(each.infeasible_cycles for each in status)
    (event,) = events
    assert event.detector == ImpactEvent.DETECTOR_FUSED
    assert event.statistic > event.threshold
    assert estimates[0].normal_impulse > 0.0
    assert times[0].clock.sec >= START_NS // 10**9
    assert machine.stop() == {"impact_sim": 0, "suite": 0, "bring_up": 0}
    assert "unknown" not in machine.log("suite") + machine.log("impact_sim")


def test_a_push_by_reference_spreading_comes_to_its_impact(machine, launch_file, tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text("{like: rs_push_catfood_case2, run_up: 0.25, after_contact: 0.03}")
    launched = launch_file("cell", scenario=str(path), shutdown_when_over="true")
    status = machine.hear(ControllerStatus, "/impact_qp/status", RECORD)
    machine.start_heard(launched.lines, "/impact_spreading", "/impact_qp/status")
    machine.wait(lambda: status and status[-1].message == "interim")
    assert machine.processes["bring_up"].wait(TIME_OUT) == 0, machine.log("bring_up")
    assert machine.processes["impact_cell"].wait(TIME_OUT) == 0
    said = machine.log("impact_cell")
    assert "s simulated; it ends now; start it again for another run" in said
    assert said.splitlines()[-1].endswith(": stopped (over)")
    assert not any(each.infeasible_cycles for each in status)
    names = ("impact_cell", "impact_detector", "impact_spreading", "bring_up")
    assert machine.stop() == dict.fromkeys(names, 0)


def test_a_humanoid_looks_for_a_box_that_is_not_there(machine, launch_file, tmp_path):
    path = tmp_path / "fast.yaml"
    path.write_text(
        "{like: qp_hrp4_grab, reference_speed: 1.0, reference_ramp: 10.0, impact_limits: unaware,"
        " box_masses: [1.08], box_offset: [0.5, 0.0, 0.0]}"  # beyond reach: it gives up soon
    )
    launched = launch_file("grab", scenario=str(path))
    told = machine.hear(GrabStatus, "/impact_humanoid/grab", RECORD)
    machine.start_heard(launched.lines, "/impact_humanoid", "/impact_humanoid/grab")
    assert machine.processes["bring_up"].wait(TIME_OUT) == 0, machine.log("bring_up")
    machine.wait(lambda: "over after" in machine.log("impact_humanoid_sim"))
    machine.wait(lambda: told and told[-1].failure == "no box")
    assert told[-1].phase == "rest" and told[0].phase == "approach"
    names = ("impact_humanoid_sim", "impact_humanoid", "bring_up")
    assert machine.stop() == dict.fromkeys(names, 0)


def test_what_the_launch_file_starts_comes_up_alone_and_stays_up(machine, launch_file):
    launched = launch_file("simulation")
    machine.start(launched.lines)
    assert machine.processes["bring_up"].wait(TIME_OUT) == 0, machine.log("bring_up")
    assert machine.state("/impact_qp") == State.PRIMARY_STATE_ACTIVE
    machine.start({"bring_up": launched.lines["bring_up"]})
    assert machine.processes["bring_up"].wait(TIME_OUT) == 0, machine.log("bring_up")
    assert machine.state("/impact_qp") == State.PRIMARY_STATE_ACTIVE
    assert machine.stop() == {"impact_sim": 0, "suite": 0, "bring_up": 0}


def test_on_a_robot_nothing_is_commanded_unasked(machine, launch_file):
    launched = launch_file("robot", commands="driver/commands")
    commands = machine.hear(Float64MultiArray, "driver/commands", SENSOR)
    machine.start(launched.lines)
    assert machine.state("/impact_qp") == State.PRIMARY_STATE_UNCONFIGURED
    assert not machine.change_state("/impact_qp/change_state", Transition.TRANSITION_CONFIGURE)
    assert "contact_point: expected three finite numbers" in machine.log("suite")
    assert machine.stop() == {"suite": 0}
    assert not commands


def test_a_controller_that_refuses_is_said_with_a_status(machine, launch_file):
    machine.start(launch_file("robot").lines)
    machine.state("/impact_qp")
    machine.start({"bring_up": ["impact_qp", "--timeout", "20"]})
    assert machine.processes["bring_up"].wait(TIME_OUT) == 1
    assert machine.log("bring_up") == "bring_up: impact_qp refused to configure\n"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (
            ["nobody", "--timeout", "0.5"],
            1,
            "bring_up: nobody: not active within 0.5 s, no node nobody in this namespace and"
            " ROS_DOMAIN_ID; on a busy machine give it more (--timeout, of a launch file"
            " timeout:=)\n",
        ),
        (["--timeout", "nan"], 2, "--timeout"),
        (["--ros-args", "-r", "x"], 2, "bring_up: cannot start ROS"),
    ],
)
def test_who_is_not_there_is_waited_for_no_longer_than_said(machine, arguments, status, said):
    machine.start({"bring_up": arguments})
    assert machine.processes["bring_up"].wait(TIME_OUT) == status
    assert said in machine.log("bring_up")


def test_a_replay_judges_every_state_and_says_when_it_lacks_a_reference(machine, launch_file):
    machine.start(launch_file("replay", joint_states="recorded/states").lines)
    heard = machine.hear(DetectorStatus, "impact_detector/status", RECORD)
    player = machine.node.create_publisher(JointState, "recorded/states", STREAM)
    machine.wait(lambda: player.get_subscription_count() == 2)
    message = JointState(name=[f"panda_joint{i}" for i in range(1, 8)])
    message.position, message.velocity, message.effort = [0.0] * 7, [0.0] * 7, [0.0] * 7

    def play():
        message.header.stamp.sec += 1
        player.publish(message)
        return bool(heard)

    machine.wait(play)
    assert not heard[-1].ready
    assert math.isnan(heard[-1].statistic)
    assert machine.stop() == {"impact_detector": 0, "impact_predictor": 0}
