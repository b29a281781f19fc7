# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Spinning real nodes: what ends it, what a signal does, what bad arguments do."""

import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Int64

from impact_ros.node import spin as spin_module
from impact_ros.node.spin import Stop, make_executor, serve_beside, spin
from impact_ros.qos import LATCHED, STREAM

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = '''
import sys
import time
from dataclasses import dataclass
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.node import Node
from std_msgs.msg import Int64
from impact_ros.node.main import main_for
from impact_ros.parameters import declare, parameter
from impact_robots.exceptions import ImpactError

@dataclass(frozen=True)
class Parameters:
    rate: float = parameter(1.0, "Rate.", unit="Hz", low=0.1)

class Example(LifecycleNode):
    """An example node."""
    PARAMETERS = Parameters
    def __init__(self):
        super().__init__("example")
        rate = declare(self, Parameters).rate
        if rate == 13.0:
            raise ImpactError("thirteen brings bad luck")
        self.out = self.create_publisher(Int64, "~/last_word", 1)
        print("ready", flush=True)
        self.slow = rate == 7.0
    def on_shutdown(self, state):
        if self.slow:
            print("closing", flush=True)
            time.sleep(0.5)
        self.out.publish(Int64(data=1))
        print("last word", flush=True)
        return TransitionCallbackReturn.SUCCESS

class Neighbour(Node):
    """A node in the same process that fails, also at its end."""
    def __init__(self):
        super().__init__("neighbour")
        self.create_timer(0.01, self.fail)
    def fail(self):
        raise ZeroDivisionError("a defect\\nin two lines")
    def destroy_node(self):
        raise ZeroDivisionError("another")

kinds = (Neighbour, Example) if "neighbour" in sys.argv else (Example,)
sys.exit(main_for(*kinds, name="example")([a for a in sys.argv[1:] if a != "neighbour"]))
'''


@pytest.fixture
def context(own_context):
    return own_context


@pytest.fixture
def nodes(context):
    made = [Node("talker", context=context), Node("listener", context=context)]
    yield made
    for node in made:
        node.destroy_node()


@pytest.fixture(params=["fast", "fallback"])
def executor_kind(request, monkeypatch):
    """Run with the executor this rclpy has, and as with one that has no other."""
    if request.param == "fallback":
        monkeypatch.setitem(sys.modules, "rclpy.experimental.events_executor", None)
    return request.param


@pytest.fixture
def overloaded(context):
    """A node whose timer is due again before its callback has ended."""
    node = Node("overloaded", context=context)
    node.calls = 0

    def work():
        node.calls += 1
        time.sleep(3e-3)

    node.create_timer(1e-3, work)
    yield node
    node.destroy_node()


def test_a_node_that_never_catches_up_can_be_ended(overloaded):
    assert spin([overloaded], timeout=0.2, stop=Stop()) == "timeout"
    assert spin([overloaded], until=lambda: overloaded.calls > 100, stop=Stop()) == "condition"
    stop, before = Stop(), overloaded.calls

    def end():
        if overloaded.calls > before + 20:
            stop.reason = "SIGINT"
        return False

    assert spin([overloaded], until=end, stop=stop) == "SIGINT"


def test_the_fallback_is_the_single_threaded_executor(context, monkeypatch):
    monkeypatch.setitem(sys.modules, "rclpy.experimental.events_executor", None)
    assert isinstance(make_executor(context), SingleThreadedExecutor)


def test_messages_arrive_and_the_condition_ends_it(nodes, executor_kind):
    talker, listener = nodes
    got = []
    listener.create_subscription(Int64, "/number", lambda message: got.append(message.data), STREAM)
    publisher = talker.create_publisher(Int64, "/number", STREAM)

    def answered():
        if publisher.get_subscription_count() and not got:
            publisher.publish(Int64(data=7))
        return bool(got)

    assert spin(nodes, until=answered, timeout=10.0) == "condition"
    assert got[0] == 7


def test_a_latched_event_reaches_who_comes_late(nodes, executor_kind):
    talker, listener = nodes
    talker.create_publisher(Int64, "/event", LATCHED).publish(Int64(data=3))
    got = []
    listener.create_subscription(Int64, "/event", lambda message: got.append(message.data), LATCHED)
    assert spin(nodes, until=lambda: bool(got), timeout=10.0) == "condition"


def test_the_timeout_ends_it(nodes, executor_kind):
    start = time.monotonic()
    assert spin(nodes, until=lambda: False, timeout=0.2) == "timeout"
    assert 0.2 <= time.monotonic() - start < 1.0


def test_idling_costs_no_processor(nodes, executor_kind):
    start = time.process_time()
    spin(nodes, timeout=0.5)
    assert time.process_time() - start < 0.25


def test_a_shutdown_and_a_stop_end_it(nodes, context, executor_kind):
    stop = Stop()
    talker = nodes[0]

    def end():
        stop.reason = "enough"

    timer = talker.create_timer(0.01, end)
    assert spin(nodes, timeout=10.0, stop=stop) == "enough"
    talker.destroy_timer(timer)
    talker.create_timer(0.01, context.try_shutdown)
    assert spin(nodes, timeout=10.0) == "shutdown"


def test_an_error_in_a_callback_comes_out(nodes, executor_kind):
    def fail():
        raise ValueError("broken callback")

    nodes[0].create_timer(0.01, fail)
    with pytest.raises(ValueError, match="broken callback"):
        spin(nodes, timeout=10.0)


def test_nobody_waits_for_the_answer_of_a_node_beside(nodes, executor_kind):
    """A service of the predictor held the controller in the same process for 2 s."""
    quick, slow = nodes
    began, served, answered = threading.Event(), threading.Event(), []

    def answer():
        began.set()
        answered.append(served.wait(10.0))

    slow.create_timer(0.01, answer)
    quick.create_timer(0.01, lambda: began.is_set() and served.set())
    end = serve_beside([slow])
    assert spin([quick], until=lambda: bool(answered), timeout=10.0) == "condition"
    end()
    assert answered[0]


def test_an_error_of_a_node_beside_is_a_line_of_its_own(nodes, executor_kind, capfd):
    def fail():
        raise ValueError("broken answer")

    nodes[1].create_timer(0.01, fail)
    end = serve_beside([nodes[1]])
    # The executor may print the traceback itself before: wait for the line of `serve_beside`.
    line, said = "stopped serving: ValueError: broken answer", []
    reason = spin([nodes[0]], until=lambda: line in _heard(said, capfd), timeout=10.0)
    end()
    assert reason == "condition", "".join(said)


def _heard(said, capfd):
    said.append(capfd.readouterr().err)
    return "".join(said)


def test_signal_handlers_are_put_back(nodes):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    spin(nodes, timeout=0.01)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_signal_is_seen_within_two_slices(nodes):
    start = []

    def interrupt():
        if not start:
            start.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    nodes[0].create_timer(0.01, interrupt)
    assert spin(nodes, timeout=10.0) == "SIGINT"
    assert time.monotonic() - start[0] < 2 * spin_module.SLICE + 0.1


def launch(*arguments):
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT), *filter(None, [environment.get("PYTHONPATH")])]
    )
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def finish(process):
    try:
        return process.communicate(timeout=20)
    finally:
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_one_line_and_a_last_word(number):
    process = launch()
    assert select.select([process.stdout], [], [], 20)[0], "no sign of life"
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    out, err = finish(process)
    assert out == "last word\n"
    assert err == f"example: stopped ({number.name})\n"
    assert process.returncode == 0


@pytest.mark.parametrize("numbers", [[signal.SIGINT], [signal.SIGTERM, signal.SIGINT]])
def test_further_signals_do_not_cost_the_last_word(numbers):
    """Of five second Ctrl-Cs, two did."""
    process = launch("--ros-args", "-p", "rate:=7.0")
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "closing\n"
    for number in numbers:
        process.send_signal(number)
    out, err = finish(process)
    assert (out, err) == ("last word\n", "example: stopped (SIGINT)\n")
    assert process.returncode == 0


def test_a_node_that_fails_does_not_cost_its_neighbours_last_word():
    process = launch("neighbour")
    out, err = finish(process)
    assert out == "ready\nlast word\n" and process.returncode == 1
    assert "example: failed: ZeroDivisionError: a defect in two lines\n" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "status", "line"),
    [
        (
            ["--ros-args", "-p", "rate:=0.0"],
            2,
            r"example: parameter rate: expected a number of at least 0\.1 \[Hz\], got 0\.0",
        ),
        (["--ros-args", "-p", "rate:=13"], 1, "example: thirteen brings bad luck"),
        (["--ros-args", "--bogus"], 2, r"example: cannot start ROS: .*--bogus.*"),
        (["0.5"], 2, "example: unexpected '0.5'; ROS arguments follow --ros-args"),
    ],
)
def test_a_bad_argument_gets_one_line(arguments, status, line):
    process = launch(*arguments)
    out, err = finish(process)
    assert re.fullmatch(line + "\n", err), err
    assert (process.returncode, out) == (status, "")


def test_a_misspelt_section_of_a_parameter_file_is_named(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text("/**/exmaple: {ros__parameters: {rate: 13.0}}\n")
    process = launch("--ros-args", "--params-file", str(file))
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, err = finish(process)
    line = "parameter file: /**/exmaple: no node of that name, expected /**/example or /example\n"
    assert line in err and process.returncode == 0


def test_help_lists_the_parameters():
    out, err = finish(launch("--help"))
    assert "| `rate` | double | `1.0` | >= 0.1 | Hz | Rate. |" in out
    assert err == ""
