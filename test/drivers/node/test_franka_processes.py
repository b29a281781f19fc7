# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Franka node and loop as the processes that they are, with a fake arm: hits, and sudden deaths."""

import contextlib
import functools
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("franky_sim", reason="the FR3's URDF is in franky-sim")

from diagnostic_msgs.msg import DiagnosticStatus
from franka_bench import OK, aimed
from rclpy.lifecycle import TransitionCallbackReturn
from serving import TIME_OUT

from impact_bringup.experiments.child import child_process
from impact_cli.command_line import run
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.loop.loop_cycle import LoopState
from impact_drivers.franka.loop_process import LoopProcess
from impact_drivers.franka.memory import link
from impact_drivers.franka.memory.ring import RingReader
from impact_drivers.franka.memory.shared_memory import SharedMemory
from impact_drivers.franka.ros.cycle_publisher import TOPICS
from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import ControllerStatus, ImpactEstimate, ImpactEvent
from impact_qp.control.phases import Phase
from impact_qp.goals import goal as codes

TEST = Path(__file__).resolve().parents[2]
DIRECT = functools.partial(LoopProcess, module="direct_loop")
PATIENT = {"deadman": 1.0, "request_age": 10.0, "realtime": False}  # as a test's machine is


@pytest.fixture(autouse=True)
def found(monkeypatch):
    """Children find the modules of the tests."""
    path = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TEST), str(TEST.parent), path]))


@pytest.fixture(scope="module")
def parameters(demo):
    hitting = {"impact_limits": "robust", "raise_thresholds": True}
    return {"address": "sound"} | hitting | demo | PATIENT


@pytest.fixture
def bench(make_bench, parameters):
    return make_bench(DIRECT, **parameters)


@pytest.fixture
def goal(parameters):
    return aimed(ExecuteImpact.Goal(), parameters["contact_point"])


def approaches(status):
    return status.mode == ControllerStatus.MODE_APPROACH


def hit(bench, goal):
    """Hit, end in order, and check what was reported on the way."""
    bench.activate()
    result = bench.result(bench.send(goal))
    assert (result.code, result.message, result.success) == (codes.OK, "", True)
    assert result.measured.impulse_source == ImpactEstimate.SOURCE_TORQUE
    assert 0.05 < result.contact_speed <= result.speed_bound + 0.005
    event, estimate = bench.hear("impact_detector/impact"), bench.hear("impact_detector/estimate")
    assert event.expected == estimate.expected == ImpactEvent.EXPECTED_YES
    modes = [each.mode for each in bench.heard["impact_qp/status"]]
    order = list(dict.fromkeys(modes))
    idle, approach = ControllerStatus.MODE_IDLE, ControllerStatus.MODE_APPROACH
    coast, retract = ControllerStatus.MODE_COAST, ControllerStatus.MODE_RETRACT
    assert [mode for mode in order if mode in (idle, approach, coast, retract)][-3:] == [
        approach,
        coast,
        retract,
    ]
    assert bench.node.trigger_deactivate() == OK
    assert bench.node.trigger_cleanup() == OK
    return result


def test_a_goal_hits_by_way_of_both_processes_and_is_recorded_as_any_other(
    bench, goal, parameters, tmp_path, capfd
):
    log = tmp_path / "recording.log"
    with child_process("recording", [str(tmp_path / "bag")], log) as recording:
        subscribers = bench.node.count_subscribers
        bench.spin(lambda: all(subscribers(topic) == 2 for topic in TOPICS))  # and the bench's own
        result = hit(bench, goal)
        assert "loop: state to answer p50 " in capfd.readouterr().err
    assert recording.returncode == 0, log.read_text()
    arm = [f"--{name}={value}" for name, value in (("robot", "fr3"), ("urdf", parameters["urdf"]))]
    out = tmp_path / "out"
    assert run(["analyze", str(tmp_path / "bag"), f"--out={out}", *arm, "--json"]) == 0
    (impact,) = json.loads(capfd.readouterr().out)["impacts"]
    assert impact["compared"] and impact["expected"]
    assert impact["link"] == result.measured.link
    assert impact["approach_speed_mps"] == pytest.approx(result.contact_speed, abs=0.01)


def test_a_goal_hits_by_way_of_libfranka(make_bench, parameters, goal, capfd):
    pytest.importorskip("pylibfranka", reason="needs libfranka's package, up to Python 3.12")
    with FakeProcess(FakeSetup()) as arm:
        bench = make_bench(LoopProcess, **parameters | {"address": arm.address})
        hit(bench, goal)
        (torque, force), (mass, _) = arm.collision_behavior, arm.load
        low = ArmSettings().low_thresholds
        assert np.array_equal(torque, low.torque) and np.array_equal(force, low.force)
        most = arm.highest_thresholds[1][0]
        assert 40.0 < most < 250.0, "raised for the hit, and no further than it needs"
        assert mass == pytest.approx(0.1)
        assert len(arm.log) > 1000


def test_a_dry_run_commands_zeros_and_hits_nothing(make_bench, parameters, goal):
    bench = make_bench(DIRECT, **parameters, dry_run=True).activate()
    goal.timeout = 0.2
    assert bench.result(bench.send(goal)).code == codes.TIMEOUT
    assert len(bench.heard["impact_qp/command"]) > 100
    assert not any(any(each.values) for each in bench.heard["impact_qp/command"])


def test_the_arms_reflex_ends_a_goal_and_is_recovered_from_by_request(
    make_bench, parameters, goal, capfd
):
    bench = make_bench(DIRECT, **parameters | {"raise_thresholds": False}).activate()
    result = bench.result(bench.send(goal))
    assert result.code == codes.INPUT_LOST
    assert result.message == (
        "motion ended: Reflex cartesian_reflex (the collision thresholds are low:"
        " raise_thresholds raises them for a hit)"
    )
    assert bench.node.trigger_deactivate() == OK
    assert bench.node.trigger_activate() == TransitionCallbackReturn.FAILURE
    assert (
        "not activated: arm: expected mode Idle without errors, got Reflex"
        in capfd.readouterr().err
    )
    assert bench.recover().success
    assert bench.node.trigger_activate() == OK
    assert bench.node.trigger_shutdown() == OK


def test_an_arm_with_errors_is_not_configured(make_bench, parameters, capfd):
    bench = make_bench(DIRECT, **parameters | {"address": "stopped"})
    assert bench.node.trigger_configure() == TransitionCallbackReturn.FAILURE
    err = capfd.readouterr().err
    assert "the loop has ended: arm: expected mode Idle without errors, got Reflex" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("button", "motion ended: UserStopped"),
        ("deaf", "communication_constraints_violation"),
        ("blind", "implausible joint states: "),
    ],
)
def test_a_fault_of_the_arm_ends_the_goal(make_bench, parameters, goal, address, line):
    bench = make_bench(DIRECT, **parameters | {"address": address}).activate()
    result = bench.result(bench.send(goal))
    assert result.code in (codes.INPUT_LOST, codes.INACTIVE)  # as the fault came after or before
    assert line in result.message
    assert bench.node.trigger_deactivate() == OK


def test_a_loop_that_is_killed_within_a_hit_leaves_low_thresholds(
    make_bench, parameters, goal, capfd
):
    """The arm stops by itself; the node's supervisor connects to it and lowers them."""
    pytest.importorskip("pylibfranka", reason="needs libfranka's package, up to Python 3.12")
    low = ArmSettings().low_thresholds
    with FakeProcess(FakeSetup()) as arm:
        bench = make_bench(LoopProcess, **parameters | {"address": arm.address}).activate()
        goal.speed = 0.06
        future = bench.send(goal)
        bench.spin(lambda: bench.node._supervisor.cycle.raised)
        bench.hear("impact_qp/status", approaches)
        assert arm.collision_behavior[1][0] > low.force[0]
        os.kill(bench.loop.identifier, signal.SIGKILL)
        assert bench.result(future).code == codes.INPUT_LOST
        bench.spin(lambda: bench.node._supervisor._is_restored)
        torque, force = arm.collision_behavior
        assert np.array_equal(torque, low.torque) and np.array_equal(force, low.force)
        assert "still raised" not in capfd.readouterr().err


def test_a_loop_whose_node_died_before_it_had_started_ends(make_bench, parameters, monkeypatch):
    """Its parent is then another process from the beginning."""
    monkeypatch.setattr(os, "getpid", lambda: 4_194_304)  # no process has this number
    bench = make_bench(DIRECT, **parameters)
    bench.node.trigger_configure()
    bench.spin(lambda: not bench.loop.is_alive)
    assert bench.loop.ended_in_order


def test_a_loop_that_is_killed_ends_the_goal(make_bench, parameters, goal, capfd):
    bench = make_bench(DIRECT, **parameters | {"raise_thresholds": False})
    bench.activate()
    goal.speed, goal.timeout = 0.002, 100.0  # on a busy machine, too, it is killed before the hit
    future = bench.send(goal)
    bench.hear("impact_qp/status", approaches)
    os.kill(bench.loop.identifier, signal.SIGKILL)
    result = bench.result(future)
    assert result.code == codes.INPUT_LOST
    assert result.message.startswith("the loop has ended: ") and "signal 9" in result.message
    told = bench.diagnosis(lambda status: status.level == DiagnosticStatus.ERROR)
    assert told.message == result.message
    assert (
        bench.hear(
            "impact_qp/status", lambda each: each.mode == ControllerStatus.MODE_STOPPED
        ).message
        == result.message
    )
    assert bench.node.trigger_deactivate() == OK
    assert bench.node.trigger_cleanup() == OK
    assert bench.node.trigger_configure() == OK  # a new loop
    assert bench.node.trigger_activate() == OK


# --- the node's own death -----------------------------------------------------------------------


class Owner:
    """A process with the node, its loop's process, and a view of the memory between them."""

    def __init__(self, parameters):
        arguments = [sys.executable, "-m", "franka_owner", json.dumps(parameters)]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        loop, descriptor = map(int, self.process.stdout.readline().split())
        self.process.stdout.close()
        self.ended = os.pidfd_open(loop)
        mapped = os.open(f"/proc/{loop}/fd/{descriptor}", os.O_RDWR)
        self.memory = SharedMemory(mapped, link.SIZE, link.VERSION)
        self.ring, self.cycles = RingReader(self.memory, link._RING), []

    def wait_for(self, condition):
        """Read cycles until one fits; the loop must not end before."""
        while not any(map(condition, self._new())):
            assert not self.waited(0.01) or any(map(condition, self._new()))

    def waited(self, timeout=TIME_OUT):
        """Wait for the end of the loop's process; tell whether it came."""
        poll = select.poll()
        poll.register(self.ended, select.POLLIN)
        return bool(poll.poll(timeout * 1e3))

    def _new(self):
        new = list(self.ring.read())
        self.cycles.extend(new)
        return new

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        assert self.waited()
        os.close(self.ended)
        self.memory.close()


@pytest.fixture
def owner(parameters):
    made = Owner(parameters)
    yield made
    made.close()


def is_moving(cycle):
    answer = cycle.answer
    return answer is not None and answer.phase is Phase.APPROACH and answer.normal_speed < -0.05


def phases(cycles):
    """Return the phases in order, each once in a row."""
    found = [cycle.answer.phase for cycle in cycles if cycle.answer is not None]
    return [phase for k, phase in enumerate(found) if not k or found[k - 1] is not phase]


def test_when_the_node_is_killed_the_loop_brakes_and_ends(owner):
    owner.wait_for(is_moving)
    owner.process.kill()
    assert owner.waited()
    owner._new()
    assert phases(owner.cycles)[-3:] == [Phase.APPROACH, Phase.BRAKE, Phase.HOLD]
    assert owner.cycles[-1].state is LoopState.ENDED
    assert owner.cycles[-1].detections == 0
    assert np.abs(owner.cycles[-1].dq).max() < 0.05


def test_when_the_node_stands_still_the_deadman_brakes_and_nothing_begins_again(owner):
    owner.wait_for(is_moving)
    owner.process.send_signal(signal.SIGSTOP)
    owner.wait_for(lambda cycle: cycle.state is LoopState.FAULT)
    # on a busy machine the arm may have hit before this process could stop the node
    assert phases(owner.cycles)[-2:] == [Phase.BRAKE, Phase.HOLD]
    assert owner.cycles[-1].fault.startswith("deadman: the node has been silent for 1.0")
    taken = owner.cycles[-1].acknowledged
    owner.process.send_signal(signal.SIGCONT)
    owner.wait_for(lambda cycle: cycle.acknowledged > taken)  # the node has seen it
    assert owner.cycles[-1].state in (LoopState.FAULT, LoopState.CONNECTED)
