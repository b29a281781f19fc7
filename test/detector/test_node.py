# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The detector node over real DDS: one status per state, whatever arrives and in what order."""

import time
from collections import defaultdict

import numpy as np
import pytest

pytest.importorskip("rclpy")

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from impact_detector import DETECTORS, DetectorError
from impact_detector.estimators import streaming as estimate
from impact_detector.node import DetectorNode
from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.ros.health import HealthMonitor
from impact_msgs.msg import (
    DetectorStatus,
    ImpactAnnouncement,
    ImpactEstimate,
    ImpactEvent,
    WrenchBatch,
)
from impact_ros.messages import fill, from_nanoseconds, to_nanoseconds
from impact_ros.parameters import ParameterError
from impact_ros.qos import LATCHED, RECORD, STREAM

TIME_OUT = 20.0  # [s]
QUIET = 0.1  # long enough for what must not come [s]
MILLISECOND = 1_000_000
NAMES = [f"panda_joint{i}" for i in range(1, 8)]
HIT = np.array([0, 0, 0, 0, 2.0, -2.0, 0])  # statistic 4 N.m


class Bench:
    """The node, and a peer that plays plant, controller and listener."""

    def __init__(self, context, **overrides):
        """Start both and wait until they see each other."""
        values = {"detectors": ["torque_error"], "bias_samples": 0, **overrides}
        self.node = DetectorNode(
            context=context,
            parameter_overrides=[Parameter(name, value=value) for name, value in values.items()],
        )
        self.peer = Node("peer", context=context)
        self.out = {
            kind: self.peer.create_publisher(message, topic, STREAM)
            for kind, message, topic in (
                ("state", JointState, "joint_states"),
                ("desired", JointState, "impact_qp/desired_joint_states"),
                ("batch", WrenchBatch, "wrench_batch"),
                ("wrench", WrenchStamped, "wrench"),
            )
        }
        self.statuses, self.events, self.estimates, self.diagnostics = [], [], [], []
        for message, name, profile, heard in (
            (DetectorStatus, "status", RECORD, self.statuses),
            (ImpactEvent, "impact", LATCHED, self.events),
            (ImpactEstimate, "estimate", LATCHED, self.estimates),
            (DiagnosticArray, "/diagnostics", STREAM, self.diagnostics),
        ):
            topic = name if name.startswith("/") else f"impact_detector/{name}"
            self.peer.create_subscription(message, topic, heard.append, profile)
        self.executor = SingleThreadedExecutor(context=context)
        for node in (self.node, self.peer):
            self.executor.add_node(node)
        heard = {each.topic_name for each in self.node.subscriptions}
        out = [each for each in self.out.values() if each.topic_name in heard]
        self.until(lambda: all(each.get_subscription_count() for each in out))
        self.until(lambda: self.peer.count_publishers("impact_detector/status"))

    def until(self, condition):
        """Spin until something is so."""
        end = time.monotonic() + TIME_OUT
        while not condition():
            assert time.monotonic() < end, "timed out"
            self.executor.spin_once(timeout_sec=0.1)

    def state(self, k, tau=0.0, *, names=NAMES, effort=True, q=0.0, dq=0.0):
        """Publish the state of millisecond k."""
        message = JointState(name=names)
        from_nanoseconds(k * MILLISECOND, message.header.stamp)
        fill(message.position, np.zeros(len(names)) + q)
        fill(message.velocity, np.zeros(len(names)) + dq)
        if effort:
            fill(message.effort, np.zeros(len(names)) + tau)
        self.out["state"].publish(message)

    def desired(self, k, tau=0.0, *, effort=True):
        """Publish the desired torque that answers millisecond k."""
        message = JointState(name=NAMES)
        from_nanoseconds(k * MILLISECOND, message.header.stamp)
        if effort:
            fill(message.effort, np.zeros(7) + tau)
        self.out["desired"].publish(message)

    def judge(self, *args, **kwargs):
        """Publish a state and return the status that it gets."""
        count = len(self.statuses)
        self.state(*args, **kwargs)
        self.until(lambda: len(self.statuses) > count)
        assert len(self.statuses) == count + 1
        return self.statuses[-1]

    def settle(self):
        """Serve for a while everything that is on its way."""
        end = time.monotonic() + QUIET
        while (left := end - time.monotonic()) > 0.0:
            self.executor.spin_once(timeout_sec=left)

    def close(self):
        """End both."""
        self.executor.shutdown()
        self.node.destroy_node()
        self.peer.destroy_node()


@pytest.fixture
def bench(context):
    benches = []

    def make(**overrides):
        benches.append(Bench(context, **overrides))
        return benches[-1]

    yield make
    for made in benches:
        made.close()


@pytest.fixture
def often_diagnosed(monkeypatch):
    """Let the node publish its diagnostics ten times a second, not once."""
    monkeypatch.setattr("impact_detector.node.DIAGNOSTIC_PERIOD", 0.1)


def test_first_state_has_no_reference_and_the_next_is_judged(bench):
    lockstep = bench(lockstep=True)
    status = lockstep.judge(1)
    assert not status.ready and np.isnan(status.statistic) and status.threshold == 2.5
    lockstep.desired(1)
    status = lockstep.judge(2, HIT)
    assert to_nanoseconds(status.header.stamp) == 2 * MILLISECOND
    assert status.ready and status.impact and status.statistic == pytest.approx(4.0)
    assert status.detector == ImpactEvent.DETECTOR_TORQUE_ERROR
    lockstep.until(lambda: lockstep.events)
    (event,) = lockstep.events
    assert to_nanoseconds(event.detection_time) == 2 * MILLISECOND
    assert event.statistic == status.statistic and event.expected == ImpactEvent.EXPECTED_UNKNOWN
    assert np.isnan(event.direction.x) and event.link == "" and event.reason == ""
    assert event.header.frame_id == "panda_link0"


def test_lockstep_defers_its_verdict_until_the_answer_to_the_state_before(bench):
    lockstep = bench(lockstep=True)
    lockstep.judge(1)
    lockstep.state(2, HIT)
    lockstep.settle()
    assert len(lockstep.statuses) == 1
    lockstep.desired(1, HIT)
    lockstep.until(lambda: len(lockstep.statuses) == 2)
    assert lockstep.statuses[1].ready and lockstep.statuses[1].statistic == pytest.approx(0.0)


def test_a_state_sent_again_gets_its_status_again_unchanged(bench):
    lockstep = bench(lockstep=True)
    lockstep.judge(1)
    lockstep.desired(1)
    first, again = lockstep.judge(2, HIT), lockstep.judge(2, HIT)
    assert first == again
    lockstep.settle()
    assert len(lockstep.events) == 1


def test_joint_names_in_another_order_and_extra_joints_change_nothing(bench):
    lockstep = bench(lockstep=True)
    lockstep.judge(1)
    lockstep.desired(1)
    order = [6, 2, 5, 0, 1, 4, 3]
    names = [NAMES[i] for i in order] + ["panda_finger_joint1"]
    status = lockstep.judge(2, np.append(HIT[order], 99.0), names=names)
    assert status.statistic == pytest.approx(4.0)


@pytest.mark.parametrize(
    "bad",
    [
        {"effort": False},
        {"tau": np.array([0, 0, 0, 0, np.nan, 0, 0])},
        {"q": np.nan},
        {"names": NAMES[:5]},
    ],
    ids=["no effort", "nan effort", "nan position", "joints missing"],
)
def test_a_state_that_cannot_be_judged_gets_a_status_that_says_so(bench, bad):
    lockstep = bench(lockstep=True)
    lockstep.judge(1)
    lockstep.desired(1)
    status = lockstep.judge(2, **bad)
    assert not status.ready and not status.impact
    lockstep.desired(2)
    assert lockstep.judge(3, HIT).impact


def test_a_message_of_other_joints_is_no_state(bench):
    """As of a gripper on the same topic, a little older: time does not run backwards."""
    made = bench(lockstep=True)
    made.judge(1001)
    made.desired(1001)
    assert made.judge(1002, HIT).impact
    made.state(1000, names=["finger_left", "finger_right"])
    made.desired(1002)
    assert made.judge(1003).impact


def test_a_desired_state_without_effort_is_no_reference(bench):
    lockstep = bench(lockstep=True)
    lockstep.judge(1)
    lockstep.desired(1, effort=False)
    assert not lockstep.judge(2, HIT).ready


def test_time_that_runs_backwards_starts_anew(bench):
    lockstep = bench(lockstep=True)
    lockstep.judge(1001)
    lockstep.desired(1001)
    assert lockstep.judge(1002, HIT).impact
    status = lockstep.judge(1)
    assert not status.impact and not status.ready
    assert to_nanoseconds(status.detection_time) == 0


def test_on_a_robot_the_reference_is_the_newest_and_never_an_old_one(bench):
    robot = bench(max_reference_age=0.02)
    robot.desired(10, HIT)
    robot.settle()
    assert robot.judge(10, HIT).statistic == pytest.approx(0.0)
    assert robot.judge(30, HIT).ready
    assert not robot.judge(31, HIT).ready


def test_gravity_can_be_added_to_the_desired_torque(bench, panda):
    import pinocchio as pin

    q = np.array(panda.stance)
    gravity = pin.computeGeneralizedGravity(panda.model, panda.model.createData(), q)
    robot = bench(reference_excludes_gravity=True)
    robot.desired(1)
    robot.settle()
    assert robot.judge(1, gravity, q=q).statistic == pytest.approx(0.0, abs=1e-9)


def test_a_model_reference_needs_no_desired_torque(bench, panda):
    import pinocchio as pin

    q = np.array(panda.stance)
    gravity = pin.computeGeneralizedGravity(panda.model, panda.model.createData(), q)
    robot = bench(reference="model")
    ready = [robot.judge(k, gravity, q=q).ready for k in range(1, 33)]
    assert ready == [False] * 30 + [True] * 2
    assert robot.judge(33, gravity + HIT, q=q).impact


def test_the_estimate_comes_with_its_window(bench):
    lockstep = bench(lockstep=True, wrench_normal=[-1.0, 0.0, 0.0], estimate_window=0.02)
    lockstep.judge(1)
    for k in range(2, 60):
        lockstep.desired(k - 1)
        lockstep.out["batch"].publish(pulse_batch(k))
        lockstep.judge(k, HIT if k >= 31 else 0.0, q=0.3 * max(k - 30, 0) * 1e-3)
    lockstep.until(lambda: lockstep.estimates)
    (found,) = lockstep.estimates
    assert found.joint_names == NAMES and found.header.frame_id == "panda_link0"
    np.testing.assert_allclose(found.gross_velocity, 0.3, atol=1e-6)
    np.testing.assert_allclose(found.velocity_jump, 0.3, atol=1e-6)
    assert found.normal_impulse == pytest.approx(0.5, rel=0.02)  # 100 N over 5 ms
    assert found.peak_force == pytest.approx(100.0)
    assert found.duration == pytest.approx(5e-3, abs=1e-4)
    assert to_nanoseconds(found.impact_time) == pytest.approx(30 * MILLISECOND, abs=MILLISECOND)
    assert np.isnan(found.restitution) and found.quality == ImpactEstimate.QUALITY_GOOD


def test_the_frame_of_an_impulse_is_that_of_the_sensor_that_measured_it(bench):
    lockstep = bench(lockstep=True, estimate_window=0.02)
    lockstep.judge(1)
    slow = WrenchStamped()
    slow.header.frame_id = "wrist"
    for k in range(2, 60):
        lockstep.desired(k - 1)
        lockstep.out["batch"].publish(pulse_batch(k))
        lockstep.judge(k, HIT if k >= 31 else 0.0, q=0.3 * max(k - 30, 0) * 1e-3)
        from_nanoseconds(k * MILLISECOND, slow.header.stamp)
        lockstep.out["wrench"].publish(slow)
    lockstep.until(lambda: lockstep.estimates)
    assert lockstep.estimates[0].impulse.x == pytest.approx(-0.5, rel=0.02)
    assert lockstep.estimates[0].header.frame_id == "panda_link0"


def announcement(k, *, friction=0.3, frame="", withdrawn=False):
    """An impact on a wall in front of the arm, meant from millisecond k on."""
    message = ImpactAnnouncement(withdrawn=withdrawn)
    from_nanoseconds(k * MILLISECOND, message.header.stamp)
    message.window_start = message.header.stamp
    message.contact.frame = frame
    message.contact.normal.x = -1.0
    message.contact.surface.friction_low = message.contact.surface.friction_high = friction
    return message


def test_an_impact_that_was_not_announced_is_unexpected(bench):
    lone = bench(detectors=["torque_error"])
    says = lone.peer.create_publisher(ImpactAnnouncement, "impact_qp/announcement", LATCHED)
    lone.until(says.get_subscription_count)
    says.publish(announcement(0, withdrawn=True))
    lone.settle()
    for k in range(1, 100):
        lone.desired(k)
        lone.judge(k)
    lone.desired(100)
    assert lone.judge(100, HIT).impact
    lone.until(lambda: lone.events)
    (event,) = lone.events
    assert (event.expected, event.reason) == (ImpactEvent.EXPECTED_NO, "time")


def test_an_unusable_announcement_is_one_line_and_the_one_before_holds(bench, capfd):
    lone = bench()
    says = lone.peer.create_publisher(ImpactAnnouncement, "impact_qp/announcement", LATCHED)
    lone.until(says.get_subscription_count)
    says.publish(announcement(0, withdrawn=True))
    says.publish(announcement(1, friction=float("nan")))
    lone.settle()
    says.publish(announcement(1, frame="no_such_frame"))
    lone.settle()
    lines = [line for line in capfd.readouterr().err.splitlines() if "announcement" in line]
    assert len(lines) == 1 and "friction" in lines[0]  # the second one is throttled
    lone.desired(1)
    lone.judge(1)
    lone.desired(2)
    lone.judge(2, HIT)
    lone.until(lambda: lone.events)
    assert lone.events[0].reason == "time"


def pulse_batch(k):
    """The 25 samples up to millisecond k of a force of 100 N along -x from 30 to 35 ms."""
    message = WrenchBatch(sample_period=4e-5)
    first = k * MILLISECOND - 24 * 40_000
    from_nanoseconds(first, message.header.stamp)
    message.header.frame_id = "panda_link0"
    t = first + 40_000 * np.arange(25)
    force = np.zeros((25, 3))
    force[(t > 30 * MILLISECOND) & (t <= 35 * MILLISECOND), 0] = -100.0
    fill(message.force, force)
    return message


def test_a_batch_that_makes_no_sense_does_no_harm(bench):
    robot = bench(reference="model")
    message = WrenchBatch(sample_period=float("nan"))
    fill(message.force, [1.0, 2.0])
    robot.out["batch"].publish(message)
    robot.settle()
    assert not robot.judge(1).ready


@pytest.mark.usefixtures("often_diagnosed")
@pytest.mark.parametrize(("sec", "nanosec"), [(1, 2**32 - 1), (2**31 - 1, 0)])
def test_a_stamp_that_is_none_is_dropped_and_counted_on_every_topic(bench, sec, nanosec):
    robot = bench()
    robot.desired(1)
    for kind, message in (
        ("state", JointState()),
        ("desired", JointState()),
        ("batch", pulse_batch(1)),
    ):
        message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
        robot.out[kind].publish(message)
        robot.settle()
    assert not robot.statuses  # a detection status would have no time stamp
    robot.until(lambda: values(robot.diagnostics)["unreadable messages"] == "3")
    assert robot.judge(2).ready
    stamp = robot.statuses[-1].header.stamp  # in the clock of the states
    robot.until(lambda: robot.diagnostics[-1].header.stamp == stamp)


@pytest.mark.parametrize("period", [1e300, 1e-300, 0.0, -1.0, float("inf")])
def test_a_batch_with_an_impossible_period_ends_nothing(bench, period, capfd):
    robot = bench(force_threshold=20.0)
    message = pulse_batch(30)
    message.sample_period = period
    robot.out["batch"].publish(message)
    robot.settle()
    (line,) = [line for line in capfd.readouterr().err.splitlines() if "dropped" in line]
    assert "wrench_batch dropped: sample_period: expected 1e-06 to 1 [s], got" in line
    robot.out["batch"].publish(pulse_batch(31))
    robot.until(lambda: robot.events)


@pytest.mark.usefixtures("often_diagnosed")
def test_what_is_no_event_is_in_status_log_and_diagnostics(bench, capfd):
    robot = bench(rearm_time=10.0)
    robot.desired(0)
    robot.desired(50)
    robot.settle()
    assert robot.judge(0, HIT).impact
    assert robot.judge(20).suppressed == 0
    robot.desired(100)
    robot.settle()
    status = robot.judge(100, HIT)
    assert status.suppressed == 1 and status.impact and not status.armed
    assert robot.judge(101, HIT).suppressed == 1
    assert (
        "no impact reported: torque_error 4 > 2.5, 0.100 s after an impact"
        in capfd.readouterr().err
    )
    robot.until(lambda: values(robot.diagnostics)["above threshold while not armed"] == "1")


@pytest.mark.usefixtures("often_diagnosed")
def test_an_effort_that_nobody_measures_is_said(bench, panda, capfd):
    robot = bench(detectors=["momentum", "acceleration"])
    for k in range(80):
        status = robot.judge(k, q=np.array(panda.stance))
    assert not status.ready
    reason = "the effort is exactly zero, but gravity is not: it is not measured"
    assert reason in capfd.readouterr().err
    robot.until(lambda: condition(robot.diagnostics).message == f"cannot judge: {reason}")
    assert condition(robot.diagnostics).level == DiagnosticStatus.WARN
    robot.state(80, q=np.array(panda.stance), dq=0.6)
    robot.until(lambda: robot.events)
    assert robot.events[0].detector == ImpactEvent.DETECTOR_ACCELERATION


def test_a_nan_effort_does_not_blind_a_detector_of_velocities(bench):
    robot = bench(detectors=["acceleration"])
    for k in range(5):
        status = robot.judge(k, tau=np.nan)
    assert status.ready and robot.judge(5, tau=np.nan, dq=0.6).impact


@pytest.mark.usefixtures("often_diagnosed")
def test_a_rate_too_low_is_said(bench, capfd):
    robot = bench(detectors=["fused"])
    for k in range(60):
        status = robot.judge(5 * k, tau=0.01 * k)
    assert not status.ready
    said = "fused needs at least 333 Hz, got 200 Hz: use momentum or torque_error or force"
    assert said in capfd.readouterr().err
    robot.until(lambda: condition(robot.diagnostics).message == f"cannot judge: {said}")


@pytest.mark.parametrize(("overrides", "count"), [({}, 0), ({"force_threshold": 20.0}, 1)])
def test_the_force_detector_is_off_unless_asked_for(bench, overrides, count):
    robot = bench(reference="model", **overrides)
    for k in range(28, 34):
        robot.out["batch"].publish(pulse_batch(k))
        robot.settle()
    assert [event.detector for event in robot.events] == [ImpactEvent.DETECTOR_FORCE] * count


def test_wrong_parameters_say_what_is_expected(context):
    override = [Parameter("reference", value="wish")]
    with pytest.raises(ParameterError) as raised:
        DetectorNode(context=context, parameter_overrides=override)
    assert "expected one of desired, model, got 'wish'" in str(raised.value)


def test_quality_bits_are_those_of_the_message():
    for name in ("GOOD", "POOR_FIT", "SHORT_WINDOW", "MISSING_SAMPLES", "SECOND_IMPACT"):
        assert getattr(estimate, name) == getattr(ImpactEstimate, f"QUALITY_{name}")


def condition(diagnostics):
    """Return the newest diagnostics; empty before the first."""
    return diagnostics[-1].status[0] if diagnostics else DiagnosticStatus()


def values(diagnostics):
    """Return the values of the newest diagnostics by name, "" for those that it has not."""
    return defaultdict(str, {item.key: item.value for item in condition(diagnostics).values})


def test_diagnostics_say_what_arrived(bench):
    made = bench()
    made.until(lambda: made.diagnostics)
    assert made.diagnostics[0].status[0].level == DiagnosticStatus.STALE
    assert made.diagnostics[0].status[0].message == "no joint states yet"
    made.judge(0)
    made.desired(0)
    made.settle()
    made.judge(1, np.array([0, 0, 0, 0, np.nan, 0, 0]))
    made.judge(2, names=NAMES[:5])
    made.judge(3, HIT)
    count = len(made.diagnostics)
    made.until(
        lambda: len(made.diagnostics) > count and float(values(made.diagnostics)["rate [1/s]"])
    )
    status = made.diagnostics[-1].status[0]
    assert status.name == "impact_detector: joint states"
    found = values(made.diagnostics)
    assert found["dropped samples"] == "2"  # the one that could not be read has no numbers either
    assert found["unreadable messages"] == "1"
    assert found["last impact [s]"] == "0.003000"
    made.until(lambda: made.diagnostics[-1].status[0].level == DiagnosticStatus.STALE)
    assert made.diagnostics[-1].status[0].message.startswith("no joint states for ")


def test_diagnostics_of_a_recording_in_a_loop_begin_anew():
    health, second = HealthMonitor(0), 1000 * MILLISECOND
    for k in range(100_000, 101_000):
        health.add(k * MILLISECOND, k * MILLISECOND)
    assert health.report(101 * second, 0).rate == pytest.approx(1000.0)
    for k in range(500, 1500):
        health.add(k * MILLISECOND, k * MILLISECOND)
    found = health.report(1500 * MILLISECOND, 0)
    assert found.rate == pytest.approx(1000.0) and found.silent == pytest.approx(1e-3)
    found = health.report(MILLISECOND, 0)
    assert (found.summary, found.level) == ("no joint states yet", "stale")
    health.add(2 * MILLISECOND, 2 * MILLISECOND)
    assert np.isnan(health.report(2 * MILLISECOND, 0).rate)


@pytest.mark.usefixtures("often_diagnosed")
def test_diagnostics_name_samples_that_were_dropped(bench):
    made = bench(detectors=["momentum"])
    made.until(lambda: made.diagnostics)
    for k in range(3):
        made.state(k, dq=np.nan)
    told = "samples dropped, not finite or too large"
    made.until(lambda: condition(made.diagnostics).message.endswith(told))


@pytest.mark.usefixtures("often_diagnosed")
def test_diagnostics_come_without_simulated_time(bench):
    made = bench(use_sim_time=True)
    assert np.isfinite(made.judge(1).threshold)
    said = "no time: use_sim_time without messages on /clock"
    made.until(lambda: condition(made.diagnostics).message == said)
    assert condition(made.diagnostics).level == DiagnosticStatus.WARN


@pytest.mark.parametrize(
    ("detector", "cause"),
    [
        ("fused", "no torques, or still learning"),
        ("torque_error", "no torques, no reference, or still learning"),
        ("velocity_error", "no desired velocity, or still learning"),
        ("acceleration", "too few samples so far"),
    ],
)
def test_diagnostics_name_what_the_detector_needs(panda, detector, cause):
    session = session_for(DetectorParameters(detectors=[detector]), panda)
    health, second = HealthMonitor(MILLISECOND, session.unready), 1000 * MILLISECOND
    health.add(second, second)
    health.unreadable = 2
    said = "cannot judge: 2 messages unreadable, see the log"
    assert health.report(second, 2).summary == said  # they are dropped, too
    health.add(2 * second, 2 * second)
    assert health.report(2 * second, 2).summary == f"cannot judge: {cause}"


def test_several_detectors_run_at_once_and_say_who_they_are(bench):
    made = bench(detectors=["torque_error", "acceleration"], acceleration_threshold=50.0)
    for k in range(5):
        made.judge(k)
        made.desired(k)
        made.settle()
    status = made.judge(5, HIT)
    assert (status.detector, status.impact) == (ImpactEvent.DETECTOR_TORQUE_ERROR, True)
    made.until(lambda: made.events)
    (event,) = made.events
    assert event.detector == ImpactEvent.DETECTOR_TORQUE_ERROR
    made.state(6, HIT, dq=0.5)
    made.until(lambda: len(made.events) == 2)
    assert made.events[1].detector == ImpactEvent.DETECTOR_ACCELERATION
    assert made.events[1].threshold == 50.0


def test_a_threshold_can_be_changed_while_running(bench):
    made = bench()
    made.judge(0)
    made.desired(0)
    made.settle()
    (result,) = made.node.set_parameters([Parameter("threshold", value=100.0)])
    assert result.successful
    status = made.judge(1, HIT)
    assert (status.threshold, status.impact) == (100.0, False)
    (result,) = made.node.set_parameters([Parameter("threshold", value=-1.0)])
    assert not result.successful
    (result,) = made.node.set_parameters([Parameter("rearm_time", value=1.0)])
    assert not result.successful
    assert made.judge(2, HIT).threshold == 100.0


@pytest.mark.parametrize(
    ("detectors", "message"),
    [
        (["x"], f"expected some of {', '.join(DETECTORS)}, each once, got x"),
        (["fused", "fused"], "each once, got fused, fused"),
    ],
)
def test_unknown_detectors_are_named(context, detectors, message):
    override = Parameter("detectors", value=detectors)
    with pytest.raises(DetectorError, match=message):
        DetectorNode(context=context, parameter_overrides=[override])
