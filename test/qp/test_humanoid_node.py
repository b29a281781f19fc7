# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller of a humanoid over real DDS: whatever goes wrong, it is held where it is."""

import numpy as np
import pytest
from benches import benches

pytest.importorskip("rclpy")

from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from impact_msgs.msg import ControllerStatus, GrabStatus, JointCommand
from impact_qp.body.node import ImpactHumanoidNode
from impact_qp.body.progress import mode_of
from impact_robots import load_robot
from impact_ros.message_fields import constant
from impact_ros.messages import fill, from_nanoseconds, set_vector, to_nanoseconds
from impact_ros.node.spin import spin
from impact_ros.qos import RECORD, STREAM
from impact_sim.humanoid.grab_file import load_grab

NAME, OK = "qp_hrp4_grab", TransitionCallbackReturn.SUCCESS
FAILURE = TransitionCallbackReturn.FAILURE
MS, BEGIN = 1_000_000, 1_000_000_000
PERIOD = 5 * MS
WRENCHES = tuple(f"{side}_{part}/wrench" for part in ("palm", "sole") for side in ("left", "right"))
PATIENCE = 60.0  # [s]
ONE_STEP = 0.0152  # of joint 5 at its highest speed [rad]


class Driver(Node):
    """A robot that stands where the grab starts, and hears what it is sent."""

    def __init__(self, context, robot, start, without=()):
        super().__init__("driver", context=context)
        self.robot, self.q = robot, start
        kinds = {"joint_states": JointState, "odom": Odometry}
        topics = [topic for topic in (*kinds, *WRENCHES) if topic not in without]
        self.topics = {
            topic: self.create_publisher(kinds.get(topic, WrenchStamped), topic, STREAM)
            for topic in topics
        }
        self.commands, self.status, self.grab = [], [], []
        listen = self.create_subscription
        listen(JointCommand, "impact_qp/command", self.commands.append, RECORD)
        listen(ControllerStatus, "impact_qp/status", self.status.append, RECORD)
        listen(GrabStatus, "impact_humanoid/grab", self.grab.append, RECORD)

    def send(self, stamp, but=(), **spoilt):
        """Say everything of a time, but for some topics, and with some spoilt parts."""
        for topic in self.topics:
            if topic not in but:
                self.topics[topic].publish(self.message(topic, stamp, **spoilt))

    def message(self, topic, stamp, turn=None, joints=None, names=None, palm=0.0, sunk=0.0):
        if topic == "joint_states":
            message = JointState(name=self.robot.joint_names if names is None else names)
            fill(message.position, self.q[7:] if joints is None else joints)
            fill(message.velocity, np.zeros(self.robot.dof))
        elif topic == "odom":
            message = Odometry()
            place = message.pose.pose
            set_vector(place.position, self.q[:3] - [0.0, 0.0, sunk])
            for axis, value in zip("xyzw", self.q[3:7] if turn is None else turn, strict=True):
                setattr(place.orientation, axis, float(value))
        else:
            message = WrenchStamped()
            force = [0.0, palm, 0.0] if "palm" in topic else [0.0, 0.0, 187.0]
            set_vector(message.wrench.force, force)
        from_nanoseconds(stamp, message.header.stamp)
        return message


class Bench:
    """The node, and its robot."""

    def __init__(self, context, robot, start, without=(), **settings):
        values = {"task": NAME, "state_timeout": 5.0, "lockstep": True}
        given = [Parameter(key, value=value) for key, value in (values | settings).items()]
        self.node = ImpactHumanoidNode(context=context, parameter_overrides=given)
        self.driver, self.now = Driver(context, robot, start, without), BEGIN
        assert self.node.trigger_configure() is OK
        self.spin(lambda: all(p.get_subscription_count() for p in self.driver.topics.values()))
        answers = ("/impact_qp/command", "/impact_qp/status", "/impact_humanoid/grab")
        self.spin(lambda: all(self.driver.count_publishers(each) for each in answers))
        known = self.driver.topics
        self.spin(lambda: all(self.node.count_publishers(each) for each in known))

    def start(self):
        assert self.node.trigger_activate() is OK
        return self

    def spin(self, until):
        assert spin([self.node, self.driver], until=until, timeout=PATIENCE) == "condition"

    def cycle(self, count=1, step=PERIOD, **spoilt):
        """Let the robot say everything, and wait for the answer."""
        counts = self.node._watch.counts
        for _ in range(count):
            answered = False
            while not answered:  # a state that comes too soon by the clock is passed over
                passed = counts.passed
                self.now += step
                self.driver.send(self.now, **spoilt)
                self.spin(lambda known=passed: self.is_answered() or counts.passed > known)
                answered = counts.passed == passed
        return self

    def look(self, step=1000 * PERIOD):
        """Let the robot say everything to a node that is not active, which keeps it."""
        seen, grab = [], self.node._grab
        look, grab.look = grab.look, lambda *of: seen.append(look(*of))
        self.now += step
        self.driver.send(self.now)
        self.spin(lambda: seen)
        grab.look = look

    def is_answered(self):
        heard = self.driver.commands, self.driver.status, self.driver.grab
        return all(each and to_nanoseconds(each[-1].header.stamp) == self.now for each in heard)

    @property
    def positions(self):
        return np.array(self.driver.commands[-1].values)

    @property
    def status(self):
        return self.driver.status[-1]

    def holds(self, before, text):
        """Whether the last positions are held, and the status says why."""
        np.testing.assert_array_equal(self.positions, before)
        assert self.status.mode == ControllerStatus.MODE_HOLD
        assert text in self.status.message
        assert not self.driver.grab[-1].solved
        return True

    def has_ended(self, text):
        """Whether further states, good ones, change nothing."""
        before, phase = self.positions, self.driver.grab[-1].phase
        self.cycle(3)
        assert text in self.driver.grab[-1].failure
        assert self.driver.grab[-1].phase == phase
        return self.holds(before, text)


@pytest.fixture(scope="module")
def robot():
    return load_robot("hrp4")


@pytest.fixture(scope="module")
def start(robot):
    return load_grab(NAME).start(robot)


@pytest.fixture
def make_bench(context, robot, start):
    yield from benches(lambda at=start, **settings: Bench(context, robot, at, **settings))


def test_it_approaches_and_says_how_far_it_is(make_bench, start):
    bench = make_bench().start().cycle(20)
    moved = bench.positions - start[7:]
    assert 1e-4 < np.abs(moved).max() < 0.1
    assert bench.driver.commands[-1].interface == JointCommand.INTERFACE_POSITION
    assert list(bench.driver.commands[-1].joint_names) == list(bench.driver.robot.joint_names)
    assert (bench.status.mode, bench.status.message) == (ControllerStatus.MODE_APPROACH, "approach")
    assert bench.status.impact_limits == ControllerStatus.IMPACT_LIMITS_ROBUST
    told = bench.driver.grab[-1]
    assert (told.phase, told.box, told.solved, told.failure) == ("approach", 0, True, "")
    assert np.isnan([told.left_touched, told.right_touched]).all()
    assert 0.1 < told.speed_bound == bench.status.speed_bound < 0.4


def test_the_modes_are_those_of_the_message():
    for phase in ("approach", "squeeze", "lift", "back", "rest"):
        mode = constant(ControllerStatus, "MODE", mode_of(phase, held=False))
        assert mode != ControllerStatus.MODE_UNKNOWN
    assert mode_of("approach", held=True) == "hold"


@pytest.mark.parametrize(
    ("spoilt", "text"),
    [
        ({"joints": np.full(34, np.nan)}, "joint_states: not finite: CHEST_P position"),
        ({"joints": np.full(34, 9.0)}, "joint_states: CHEST_P position 9"),
        ({"names": [f"j{k}" for k in range(34)]}, "missing CHEST_P"),
        ({"joints": np.zeros(33)}, "expected 34 values of position"),
        ({"turn": (0.0, 0.0, 0.0, 0.5)}, "odom: expected a unit quaternion, got one of norm 0.5"),
        ({"turn": (np.nan, 0.0, 0.0, 1.0)}, "odom: expected finite numbers"),
        ({"palm": np.nan}, "wrench of a palm: expected finite numbers"),
        ({"palm": 1e6}, "wrench: expected forces up to 5000 N"),
    ],
    ids=lambda each: "" if isinstance(each, dict) else each[:30],
)
def test_a_state_that_cannot_be_used_is_answered_with_the_last_positions(make_bench, spoilt, text):
    bench = make_bench().start().cycle(10)
    before = bench.positions
    bench.cycle(**spoilt)
    assert bench.holds(before, text)
    assert bench.status.dropped_inputs == 1
    bench.cycle(3)  # and it goes on
    assert bench.status.mode == ControllerStatus.MODE_APPROACH
    assert np.abs(bench.positions - before).max() > 0.0


def test_many_such_states_end_the_grab(make_bench):
    bench = make_bench(state_timeout=0.05).start().cycle(10)
    bench.cycle(12, palm=np.nan)
    assert bench.has_ended("no usable state for 0.055 s: wrench of a palm")


def test_joints_that_cannot_be_end_the_grab(make_bench):
    bench = make_bench().start().cycle(10).cycle(3, joints=np.full(34, 9.0))
    assert bench.has_ended("implausible joint_states: CHEST_P position 9")


def test_a_fall_ends_the_grab(make_bench):
    bench = make_bench().start().cycle(10).cycle(sunk=0.35)
    assert bench.has_ended("it falls: the base is 0.35 m lower")


def test_a_clock_that_jumps_back_ends_the_grab(make_bench):
    bench = make_bench().start().cycle(10).cycle(step=-3 * PERIOD)
    assert bench.has_ended("clock jumped back by 0.015 s")


def test_a_single_late_message_is_ignored_and_counted(make_bench):
    bench = make_bench().start().cycle(10)
    bench.driver.send(bench.now - PERIOD, but=[*WRENCHES, "joint_states"])
    bench.spin(lambda: bench.node._watch.counts.dropped == 1)
    bench.cycle(2)
    assert (bench.status.mode, bench.status.dropped_inputs) == (ControllerStatus.MODE_APPROACH, 1)


def test_silence_ends_the_grab_and_says_what_is_missing(make_bench):
    patient = {"state_timeout": 10.0, "max_consecutive_missed": 1_000_000}
    bench = make_bench(lockstep=False, **patient).start().cycle(10)
    before, topic = bench.positions, "left_palm/wrench"
    bench.driver.send(bench.now + PERIOD, but=[topic])
    bench.spin(lambda: bench.node._sets.missing == (topic,))
    bench.node._last -= 10.0  # so much later
    bench.spin(lambda: bench.status.mode == ControllerStatus.MODE_STOPPED)
    assert f"none of {topic}" in bench.status.message
    np.testing.assert_array_equal(bench.positions, before)
    bench.now += PERIOD
    assert bench.has_ended(f"s: none of {topic}")


@pytest.mark.parametrize("topic", ["odom", "right_palm/wrench", "left_sole/wrench"])
def test_without_a_topic_it_is_not_activated(make_bench, topic):
    bench = make_bench(without=(topic,))
    assert bench.node.trigger_activate() is not OK
    assert bench.node.fault == "" and not bench.driver.commands


def test_a_grab_by_torques_is_not_configured(context):
    given = [Parameter("task", value="qp_hrp4_grab_torque")]
    node = ImpactHumanoidNode(context=context, parameter_overrides=given)
    try:
        assert node.trigger_configure() is FAILURE
    finally:
        node.destroy_node()


def test_a_robot_elsewhere_is_held_where_it_is(make_bench, start):
    away = start.copy()
    away[7 + 4] -= 0.8
    bench = make_bench(away).start().cycle()
    np.testing.assert_array_equal(bench.positions, away[7:])
    assert bench.has_ended("L_SHOULDER_Y is 0.8 rad from where the grab starts")


def test_a_robot_that_is_known_to_be_elsewhere_is_not_activated(make_bench, start):
    away = start.copy()
    away[7 + 4] -= 0.8
    bench = make_bench(away)
    bench.look()
    assert bench.node.trigger_activate() is not OK
    bench.driver.q = start
    bench.look()
    bench.start().cycle(5)
    assert bench.status.mode == ControllerStatus.MODE_APPROACH


@pytest.mark.parametrize("away", [0.2, -0.6])
def test_a_robot_that_was_moved_while_states_were_lost_is_held_where_it_is(make_bench, start, away):
    bench = make_bench(state_timeout=0.1).start().cycle(10)
    bench.driver.q = start.copy()
    bench.driver.q[7 + 4] += away
    bench.cycle(step=100 * PERIOD, joints=np.full(34, np.nan))
    bench.cycle(step=100 * PERIOD)
    assert np.abs(bench.positions - bench.driver.q[7:]).max() < ONE_STEP
    assert bench.has_ended("no usable state for")


def test_a_robot_that_is_pushed_while_it_is_held_stays_there(make_bench, start):
    bench = make_bench().start().cycle(10).cycle(sunk=0.35)
    before = bench.positions
    bench.driver.q = start.copy()
    for far in (0.03, 0.045, 0.06, 0.09, 0.12):  # it gives way under a load, then is pushed
        bench.driver.q[7 + 4] = start[7 + 4] + far
        bench.cycle(2)
        assert abs(bench.positions[4] - bench.driver.q[7 + 4]) <= 0.05
        assert (bench.positions[4] == before[4]) == (far < 0.05)
    np.testing.assert_array_equal(np.delete(bench.positions, 4), np.delete(before, 4))


def test_exchanged_joints_end_the_grab_for_good_and_move_nothing(make_bench):
    """Labels of two joints: consistent for ever, and never trusted again."""
    bench = make_bench().start().cycle(10)
    before, names = bench.positions, list(bench.driver.robot.joint_names)
    names[3], names[4] = names[4], names[3]
    bench.cycle(60, names=names)
    np.testing.assert_array_equal(bench.positions, before)
    assert bench.has_ended("implausible joint_states: ")


def test_in_lockstep_states_are_a_period_apart_and_answers_are_repeated(make_bench, capfd):
    bench = make_bench(lockstep=True).start().cycle(5)
    before, count = bench.positions, len(bench.driver.commands)
    bench.driver.send(bench.now)
    bench.spin(lambda: len(bench.driver.commands) == count + 1)
    np.testing.assert_array_equal(bench.positions, before)
    bench.cycle(step=MS)
    assert bench.has_ended("expected stamps 5 ms apart")
    bench.cycle(step=MS)
    assert bench.node.trigger_deactivate() is OK
    assert bench.node.trigger_activate() is FAILURE
    assert "not activated: joint_states in lockstep: expected" in capfd.readouterr().err
    bench.look(MS)
    assert bench.node.trigger_activate() is FAILURE
    bench.look(PERIOD)
    assert bench.node.trigger_activate() is OK


def test_states_that_are_missed_end_it_outside_lockstep(make_bench):
    bench = make_bench(lockstep=False, max_consecutive_missed=10).start().cycle()
    bench.cycle(step=20 * PERIOD)
    assert bench.has_ended("control cycles of 5 ms missed in a row")


def test_deactivated_it_says_so_and_sends_nothing(make_bench, start):
    bench = make_bench().start().cycle(10)
    sent = len(bench.driver.commands)
    assert bench.node.trigger_deactivate() is OK
    bench.spin(lambda: bench.status.mode == ControllerStatus.MODE_STOPPED)
    assert bench.status.message == "deactivated"
    bench.driver.q = start.copy()
    bench.driver.q[7 + 4] += 0.6  # moved by somebody
    bench.look()
    assert bench.node.trigger_activate() is not OK
    assert bench.node.trigger_cleanup() is OK
    bench.spin(lambda: bench.status.message == "cleaned up")
    assert len(bench.driver.commands) == sent
    assert bench.node.trigger_configure() is OK


def test_activated_again_it_starts_over(make_bench):
    bench = make_bench().start().cycle(10)
    assert bench.node.trigger_deactivate() is OK
    bench.look()
    bench.start().cycle(5)
    assert bench.status.mode == ControllerStatus.MODE_APPROACH
    assert bench.node.fault == ""


def test_a_program_without_a_solution_is_held_and_counted(make_bench, monkeypatch):
    bench = make_bench().start().cycle(10)
    controller = bench.node._grab._controller
    before = bench.positions
    monkeypatch.setattr(controller, "update", lambda *_: controller.hold())
    bench.cycle(2)
    np.testing.assert_array_equal(bench.positions, before)
    assert bench.status.infeasible_cycles == 2 and not bench.driver.grab[-1].solved
    assert bench.node.fault == ""


def test_positions_that_no_servo_may_get_are_withheld(make_bench, monkeypatch):
    bench = make_bench().start().cycle(10)
    controller = bench.node._grab._controller
    before, command = bench.positions, controller.hold()
    far = command._replace(positions=command.positions + 0.5, solved=True)
    monkeypatch.setattr(controller, "update", lambda *_: far)
    bench.cycle()
    assert bench.holds(before, "command withheld: ")
    monkeypatch.undo()
    assert bench.has_ended("command withheld: ")


def test_a_real_humanoid_grabs_by_limits_that_bound_every_impulse(context, capfd):
    settings = {"task": NAME, "impact_limits": "existential"}
    given = [Parameter(key, value=value) for key, value in settings.items()]
    node = ImpactHumanoidNode(context=context, parameter_overrides=given)
    assert node.trigger_configure() is FAILURE
    assert "one of joint_load, robust on a real arm, got 'existential'" in capfd.readouterr().err
    node.destroy_node()


@pytest.mark.parametrize("settings", [{"task": "rs_grab_catfood_late"}, {"task": "none.yaml"}, {}])
def test_a_scenario_that_is_none_of_a_humanoid_is_not_configured(context, settings):
    given = [Parameter(key, value=value) for key, value in settings.items()]
    node = ImpactHumanoidNode(context=context, parameter_overrides=given)
    assert node.trigger_configure() is FAILURE
    node.destroy_node()
