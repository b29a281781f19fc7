# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What drivers, peers and users get wrong, over real DDS: the arm is safe, the node says why."""

import time

import numpy as np
import pytest
from moving_arms import moving

pytest.importorskip("rclpy")

from controller_bench import MS, OK, QUIET
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.lifecycle import TransitionCallbackReturn
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from impact_msgs.msg import ControllerStatus, DetectorStatus, ImpactEstimate, JointCommand
from impact_qp.ros import control_cycle, outputs
from impact_ros.messages import from_nanoseconds
from impact_ros.qos import LATCHED, RECORD, STREAM

INTERFACES = ("torque", "velocity", "position")
STOPPED = ControllerStatus.MODE_STOPPED


class FakeTime:
    """A clock that goes on when somebody sleeps."""

    monotonic = staticmethod(time.monotonic)

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def spoilt(q, what):
    return {
        "degrees": np.degrees(q),
        "zeros": np.zeros(7),
        "one turn": q + np.array([2 * np.pi, 0, 0, 0, 0, 0, 0]),
        "nan": np.full(7, np.nan),
    }[what]


def approaching(bench, cycles=30, first=1):
    """Let a perfect arm follow for some cycles; return where it is and the next cycle."""
    for k in range(first, first + cycles):
        bench.send(bench.verdict(k * MS))
        bench.answer(bench.state(k * MS))
    return first + cycles


# --- states -------------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("what", ["degrees", "zeros", "one turn", "nan"])
def test_implausible_states_end_in_rest_with_a_named_fault(make_bench, capfd, interface, what):
    bench = make_bench(interface=interface).start()
    k = approaching(bench)
    count = len(bench.driver.commands)
    for j in range(2):
        assert bench.unanswered(bench.state((k + j) * MS, spoilt(bench.q, what)))
    bench.send(bench.state((k + 2) * MS, spoilt(bench.q, what)))
    bench.spin(lambda: bench.driver.status[-1].mode == STOPPED)
    assert bench.driver.status[-1].message.startswith("implausible joint states: ")
    assert "stopped: implausible joint states: " in capfd.readouterr().err
    bench.spin(lambda: len(bench.driver.commands) > count)
    bench.spin(timeout=QUIET)
    last = np.array(bench.driver.commands[-1].values)
    if interface == "position":
        np.testing.assert_allclose(last, bench.q, atol=0.02)
    else:
        assert not last.any()
    sent = np.array([each.values for each in bench.driver.commands])
    assert np.isfinite(sent).all()


def test_in_lockstep_a_repeated_state_brings_back_no_command_from_before_a_fault(make_bench):
    bench = make_bench(lockstep=True).start()
    k = approaching(bench)
    for j in range(3):
        bench.send(bench.verdict((k + j) * MS))
        bench.send(bench.state((k + j) * MS, np.zeros(7)))
    bench.rest(k - 1)
    assert bench.unanswered(bench.state((k + 2) * MS, np.zeros(7)))


def test_states_before_a_driver_is_ready_begin_nothing(make_bench):
    """Five states of zeros moved the arm at 3 rad/s."""
    bench = make_bench().start()
    for k in range(1, 3):
        assert bench.unanswered(bench.state(k * MS, np.zeros(7)))
    _, status = bench.answer(bench.state(3 * MS))
    assert status.mode == ControllerStatus.MODE_APPROACH


@pytest.mark.usefixtures("often_diagnosed")
def test_two_publishers_of_states_are_warned_about_and_in_the_diagnostics(make_bench, capfd):
    bench = make_bench()
    heard = []
    bench.driver.create_subscription(DiagnosticArray, "/diagnostics", heard.append, RECORD)
    bench.configure()
    one = {"publishers of joint_states": "1", "publishers of /impact_qp/command": "1"}
    bench.spin(lambda: heard and one.items() <= counted(heard[-1]).items())
    assert heard[-1].status[0].level == DiagnosticStatus.OK
    other = bench.driver.create_publisher(JointState, "joint_states", STREAM)
    bench.spin(lambda: heard[-1].status[0].level == DiagnosticStatus.WARN)
    assert heard[-1].status[0].message == "joint_states has 2 publishers, expected one"
    assert "joint_states has 2 publishers, expected one: the arm's" in capfd.readouterr().err
    bench.driver.destroy_publisher(other)


@pytest.mark.usefixtures("often_diagnosed")
def test_two_detectors_are_warned_about(make_bench, capfd):
    bench, heard = make_bench(), []
    bench.driver.create_subscription(DiagnosticArray, "/diagnostics", heard.append, RECORD)
    bench.configure()
    other = bench.driver.create_publisher(DetectorStatus, "impact_detector/status", STREAM)
    line = "impact_detector/status has 2 publishers, expected one"
    bench.spin(lambda: heard and heard[-1].status[0].message == line)
    assert f"{line}: the detector's" in capfd.readouterr().err
    bench.driver.destroy_publisher(other)


def counted(diagnostics):
    """Return the values of diagnostics by their names."""
    return {each.key: each.value for each in diagnostics.status[0].values}


@pytest.mark.usefixtures("often_diagnosed")
@pytest.mark.parametrize(
    ("kind", "topic"), [(JointCommand, "command"), (Float64MultiArray, "commands")]
)
def test_another_controllers_commands_are_warned_about(make_bench, capfd, kind, topic):
    bench = make_bench()
    heard = []
    bench.driver.create_subscription(DiagnosticArray, "/diagnostics", heard.append, RECORD)
    bench.configure()
    other = bench.driver.create_publisher(kind, f"impact_qp/{topic}", STREAM)
    bench.spin(lambda: heard and heard[-1].status[0].level == DiagnosticStatus.WARN)
    line = f"/impact_qp/{topic} has 2 publishers, expected one"
    assert heard[-1].status[0].message == line
    assert f"{line}: this node's" in capfd.readouterr().err
    bench.driver.destroy_publisher(other)


@pytest.mark.usefixtures("often_diagnosed")
def test_the_diagnostics_name_the_fault(make_bench):
    bench = make_bench().start()
    heard = []
    bench.driver.create_subscription(DiagnosticArray, "/diagnostics", heard.append, RECORD)
    approaching(bench, 3, first=500)
    bench.answer(bench.state(100 * MS))
    bench.spin(lambda: heard and heard[-1].status[0].level == DiagnosticStatus.ERROR)
    assert heard[-1].status[0].message == "clock jumped back by 0.402 s"
    assert heard[-1].header.stamp.sec == 0  # in the clock of the states


# --- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("stamp", [0, 30 * MS])
def test_a_stamp_that_stands_still_keeps_nothing_alive(make_bench, interface, stamp):
    """196 stale commands went through the surface that way."""
    bench = make_bench(interface=interface, state_timeout=0.5).start()
    bench.send(bench.verdict(MS))
    bench.answer(bench.state(stamp))
    count = len(bench.driver.commands)
    while bench.driver.status[-1].mode != STOPPED:
        bench.send(bench.state(stamp))
    assert bench.driver.status[-1].message.startswith("no joint state for ")
    bench.spin(timeout=QUIET)
    sent = np.array([each.values for each in bench.driver.commands[count:]])
    if interface != "position":
        assert not sent[-1].any()
    assert len(sent) <= 3  # the way to rest from one cycle's command


def test_a_gap_of_more_cycles_than_may_be_missed_stops_the_arm(make_bench, capfd):
    bench = make_bench(max_consecutive_missed=10).start()
    bench.send(bench.verdict(MS))
    bench.answer(bench.state(1 * MS))
    bench.node._cycle.watch.in_a_row = 0  # this machine may be late itself
    _, status = bench.answer(bench.state(20 * MS))
    assert status.mode in (ControllerStatus.MODE_BRAKE, ControllerStatus.MODE_HOLD)
    assert "control cycles of 1 ms missed in a row (max_consecutive_missed 10)" in status.message
    assert status.missed_cycles >= 18
    assert "stopped: " in capfd.readouterr().err


def test_a_node_that_slept_stops_whoever_wakes_first(make_bench):
    """The watchdog would have seen it; the state came first, and the approach went on."""
    bench = make_bench(state_timeout=10.0).start()
    bench.send(bench.verdict(MS))
    bench.answer(bench.state(1 * MS))
    bench.node._cycle.inputs.state_time -= 11.0  # as if the process had been stopped for that long
    bench.send(bench.state(2 * MS))
    bench.spin(lambda: any(s.mode == STOPPED for s in bench.driver.status))
    _, status = bench.answer(bench.state(3 * MS))
    assert status.mode == ControllerStatus.MODE_HOLD
    assert status.message.startswith("no joint state for 11.")


def test_the_way_to_rest_begins_a_period_after_the_last_command(make_bench, monkeypatch):
    """A fault half a period after a command was answered by a whole step of torque at once."""
    clock, sent = FakeTime(), []
    for module in (control_cycle, outputs):
        monkeypatch.setattr(module, "time", clock)
    bench = make_bench(state_timeout=10.0).start()
    for k in range(1, 31):
        clock.now = k * 1e-3
        bench.send(bench.verdict(k * MS))
        bench.answer(bench.state(k * MS))
    clock.now += 0.0004
    monkeypatch.setattr(outputs.Outputs, "send", lambda *command: sent.append(clock.now))
    assert bench.node.trigger_deactivate() == OK
    assert bench.node.trigger_cleanup() == OK
    assert len(sent) > 1
    np.testing.assert_allclose(sent, 0.030 + 1e-3 * np.arange(1, len(sent) + 1), atol=1e-9)


def test_a_flood_of_states_gets_commands_at_the_rate(make_bench, panda):
    """Ten states a millisecond were ten steps of torque."""
    bench = make_bench().start()
    bench.send(bench.verdict(MS))
    stamps = range(MS, 31 * MS, MS // 10)
    for stamp in stamps:
        bench.send(bench.state(stamp))
    bench.spin(timeout=QUIET)
    sent = bench.driver.commands
    times = np.array([each.header.stamp.nanosec for each in sent]) * 1e-9
    values = np.array([each.values for each in sent])
    rates = np.abs(np.diff(values, axis=0)) / np.diff(times)[:, None]
    assert 25 <= len(sent) <= 45
    assert np.all(rates <= panda.limits.torque_rate)
    assert bench.driver.status[-1].dropped_inputs == 0


# --- messages that killed -----------------------------------------------------------------------


@pytest.mark.parametrize(("sec", "nanosec"), [(0, 4294967295), (2147483647, 0), (-2147483648, 0)])
def test_stamps_that_are_none_end_nothing(make_bench, sec, nanosec):
    bench = make_bench().start()
    approaching(bench, 3)
    odd = bench.state(4 * MS)
    odd.header.stamp.sec, odd.header.stamp.nanosec = sec, nanosec
    bench.send(odd)
    verdict = bench.verdict(4 * MS)
    verdict.header.stamp.sec, verdict.header.stamp.nanosec = sec, nanosec
    bench.send(verdict)
    estimate = ImpactEstimate()
    estimate.impact_time.sec, estimate.impact_time.nanosec = sec, nanosec
    publisher = bench.driver.create_publisher(ImpactEstimate, "impact_detector/estimate", LATCHED)
    publisher.publish(estimate)
    bench.spin(timeout=QUIET)
    command, _ = bench.answer(bench.state(6 * MS))
    assert np.isfinite(command.values).all()


def test_an_error_of_the_node_itself_leaves_the_watchdog_to_stop_the_arm(
    make_bench, monkeypatch, capfd
):
    bench = make_bench(state_timeout=0.5).start()
    approaching(bench, 3)

    def fails(*args, **options):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(bench.node._guarded, "answer", fails)
    while bench.driver.status[-1].mode != STOPPED:
        k = 4 + len(bench.driver.echo)
        bench.send(bench.verdict(k * MS))
        bench.send(bench.state(k * MS))
    bench.send(bench.state((4 + len(bench.driver.echo)) * MS))  # which waits for the ramp's end
    bench.spin(lambda: not any(bench.driver.commands[-1].values))
    bench.spin(lambda: bench.node._cycle._pending is None)
    assert "joint_states dropped: ZeroDivisionError: a defect" in capfd.readouterr().err


# --- activation ---------------------------------------------------------------------------------


def test_an_arm_that_is_too_fast_for_an_approach_is_not_activated(
    make_bench, panda, scenario, contact, capfd
):
    """At 4 times its bound, 5 mm before the surface, nothing refused."""
    from dataclasses import replace

    bench = make_bench()
    bench.configure()
    q = replace(scenario, run_up=0.005).start(panda)
    dq = moving(panda, -0.32 * contact.rotation[:, 2], q=q)
    bench.send(bench.state(MS, q - 1e-3 * dq, dq))
    bench.send(bench.state(2 * MS, q, dq))
    bench.spin(lambda: bench.node._cycle.inputs.state is not None)
    assert bench.node.trigger_activate() == TransitionCallbackReturn.FAILURE
    assert "not activated: the arm moves at 0.320 m/s" in capfd.readouterr().err
    assert bench.unanswered(bench.state(3 * MS, q, dq))


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (lambda point, normal: (point, -normal), "behind the surface; the normal points out of it"),
        (lambda point, normal: (1000.0 * point, normal), "which looks like millimetres"),
        (lambda point, normal: (point - 1.5 * normal, normal), "within the arm's reach of"),
    ],
    ids=["sign", "millimetres", "far"],
)
def test_a_surface_that_cannot_be_hit_is_not_activated(make_bench, contact, capfd, wrong, line):
    """The arm retracted into the wall at 0.50 m/s; goals were refused for the same."""
    point, normal = wrong(contact.point, contact.normal)
    bench = make_bench(contact_point=point.tolist(), contact_normal=normal.tolist())
    bench.configure()
    for k in (1, 2):
        bench.send(bench.state(k * MS))
    bench.spin(lambda: bench.node._cycle.inputs.state is not None)
    assert bench.node.trigger_activate() == TransitionCallbackReturn.FAILURE
    err = capfd.readouterr().err
    assert "not activated: contact: expected a" in err and line in err
    assert bench.unanswered(bench.state(3 * MS))


def test_without_a_state_before_the_activation_the_first_one_decides(
    make_bench, panda, scenario, contact
):
    from dataclasses import replace

    bench = make_bench().start()
    q = replace(scenario, run_up=0.005).start(panda)
    dq = moving(panda, -0.32 * contact.rotation[:, 2], q=q)
    _, status = bench.answer(bench.state(MS, q, dq))
    assert status.mode == ControllerStatus.MODE_BRAKE
    assert status.message.startswith("the arm moves at 0.320 m/s towards the surface")


def test_what_is_asked_of_the_node_is_logged(make_bench, capfd):
    bench = make_bench().start()
    assert bench.node.trigger_deactivate() == OK
    err = capfd.readouterr().err
    assert "configured: panda, torque interface, robust impact limits, contact [0.5218" in err
    assert "activation was requested" in err and "deactivation was requested" in err


def test_desired_states_hold_no_positions_instead_of_unknown_ones(make_bench):
    bench = make_bench().start()
    bench.answer(bench.state(MS))
    bench.spin(lambda: bench.driver.desired)
    assert len(bench.driver.desired[-1].position) == 0
    assert len(bench.driver.desired[-1].velocity) == 7


def test_a_stamp_is_kept_exactly(make_bench):
    bench = make_bench().start()
    stamp = 1_700_000_000_123_456_789
    command, _ = bench.answer(bench.state(stamp))
    expected = from_nanoseconds(stamp)
    assert (command.header.stamp.sec, command.header.stamp.nanosec) == (
        expected.sec,
        expected.nanosec,
    )
