# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with one of two arms, over real DDS: both stop, and the node says why."""

from types import SimpleNamespace

import numpy as np
import pytest
from benches import benches

pytest.importorskip("rclpy")

from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from impact_msgs.msg import ControllerStatus, DetectorStatus, JointCommand
from impact_qp.arms.node import ImpactSpreadingNode
from impact_qp.arms.plans import spread_plans
from impact_qp.references import references_text
from impact_qp.spreading import Mode, SpreadingController
from impact_qp.spreading.guarded_spreading import GuardedSpreading
from impact_robots import load_robot
from impact_ros.messages import fill, from_nanoseconds, to_nanoseconds
from impact_ros.node.spin import spin
from impact_ros.qos import RECORD, STREAM
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.scenario_choice import find

NAME = "rs_grab_catfood_case1"
MS, BEGIN = 1_000_000, 1_000_000_000
ARMS, OK = ("left", "right"), TransitionCallbackReturn.SUCCESS
STOPPED, BRAKE, HOLD = (
    getattr(ControllerStatus, f"MODE_{each}") for each in ("STOPPED", "BRAKE", "HOLD")
)
PATIENCE = 60.0  # [s]


class Arm:
    """A driver and a detector, and what they hear."""

    def __init__(self, node, robot, name, start):
        self.robot, self.q, self.ahead = robot, np.array(start), 0
        self.commands, self.status = [], []
        self.states = node.create_publisher(JointState, f"{name}/joint_states", STREAM)
        topic = f"{name}/impact_detector/status"
        self.verdicts = node.create_publisher(DetectorStatus, topic, STREAM)
        listen = node.create_subscription
        listen(JointCommand, f"{name}/impact_qp/command", self.commands.append, RECORD)
        listen(ControllerStatus, f"{name}/impact_qp/status", self.status.append, RECORD)

    def judge(self, stamp, ready=True, impact=False):
        message = DetectorStatus(ready=ready, impact=impact)
        from_nanoseconds(stamp + self.ahead, message.header.stamp)
        self.verdicts.publish(message)

    def send(self, stamp, q=None):
        message = JointState(name=self.robot.joint_names)
        from_nanoseconds(stamp + self.ahead, message.header.stamp)
        fill(message.position, self.q if q is None else q)
        fill(message.velocity, np.zeros(7))
        fill(message.effort, np.zeros(7))
        self.states.publish(message)


class Bench:
    """Two arms at rest where the plan starts, and the node."""

    def __init__(self, context, start, **settings):
        values = {"task": NAME, "simulated": True, "state_timeout": 5.0}
        values["max_consecutive_missed"] = 1_000_000
        given = [Parameter(key, value=value) for key, value in (values | settings).items()]
        self.node = ImpactSpreadingNode(context=context, parameter_overrides=given)
        self.driver = Node("driver", context=context)
        robot = load_robot("panda_plate")
        self.arms = {
            name: Arm(self.driver, robot, name, q) for name, q in zip(ARMS, start, strict=True)
        }
        self.now, self.heard = BEGIN, 0

    def configure(self):
        assert self.node.trigger_configure() is OK
        pairs = [(arm.states, arm.verdicts) for arm in self.arms.values()]
        self.spin(lambda: all(p.get_subscription_count() for pair in pairs for p in pair))
        topics = [f"/{name}/impact_qp/{t}" for name in ARMS for t in ("command", "status")]
        self.spin(lambda: all(self.driver.count_publishers(each) for each in topics))
        known = self.node._plan_start.known

        def count(name, stamp, _arrival):
            known(name, stamp, self.now * 1e-9)  # as if messages took no time
            self.heard += 1

        self.node._plan_start.known = count
        return self

    @property
    def judgements(self):
        """Stamp of the newest detection status that the node has."""
        return sum(arm.inputs._status_stamp for arm in self.node.arms)

    def start(self):
        """Configure, let the node see states of inactive arms, and activate."""
        self.configure()
        if not self.node.settings.lockstep:
            self.look(40, ready=True)
        assert self.node.trigger_activate() is OK
        return self

    def look(self, count, step=MS, names=ARMS, **verdict):
        """Let the arms send states that are not answered, with a status if one is given."""
        for _ in range(count):
            self.now += step
            for name in names:
                before, judged = self.heard, self.judgements
                if verdict:
                    self.arms[name].judge(self.now, **verdict)
                    self.spin(lambda judged=judged: self.judgements > judged)
                self.arms[name].send(self.now)
                self.spin(lambda before=before: self.heard > before)

    def spin(self, until):
        assert spin([self.node, self.driver], until=until, timeout=PATIENCE) == "condition"

    def cycle(self, names=ARMS, step=MS, judged=True, spoilt=None, **verdict):
        """Let arms send their states, and wait for the answers to those that are not spoilt."""
        self.now += step
        for name in names:
            if judged:
                self.arms[name].judge(self.now, **verdict)
            self.arms[name].send(self.now, (spoilt or {}).get(name))
        for name in set(names) - set(spoilt or {}):
            self.spin(lambda name=name: self.stamp(name) == self.now)

    def stamp(self, name):
        sent = self.arms[name].commands
        return to_nanoseconds(sent[-1].header.stamp) - self.arms[name].ahead if sent else -1

    def last(self, name):
        return self.arms[name].status[-1]

    def values(self, name):
        return np.array(self.arms[name].commands[-1].values)


@pytest.fixture(scope="module")
def scenario():
    return find(NAME, SpreadingScenario)


@pytest.fixture
def make_bench(context, scenario):
    yield from benches(lambda at=scenario.q_start, **settings: Bench(context, at, **settings))


def stopped(bench, name, other, text):
    """Whether an arm is stopped for a reason, and the other one because of it."""
    own, told = bench.last(name), bench.last(other)
    assert own.mode in (BRAKE, HOLD, STOPPED) and text in own.message
    assert told.mode in (BRAKE, HOLD) and told.message.startswith(f"{name}: ")
    return True


def test_the_plan_starts_with_the_states_of_both_arms(make_bench):
    bench = make_bench().start()
    bench.arms["left"].judge(bench.now + 5 * MS)
    bench.look(5, names=("left",))
    bench.cycle(("right",))
    first = [to_nanoseconds(each.header.stamp) for each in bench.arms["left"].commands]
    assert first in ([], [bench.now - MS])  # what waited is answered with the start
    bench.cycle()
    assert [bench.last(name).mode for name in ARMS] == [ControllerStatus.MODE_APPROACH] * 2
    assert [bench.last(name).message for name in ARMS] == ["ante"] * 2


@pytest.mark.parametrize("ahead", [1000 * MS, -37 * MS])
def test_arms_whose_clocks_differ_start_together(make_bench, ahead):
    bench = make_bench()
    bench.arms["right"].ahead = ahead
    bench.start()
    for _ in range(30):
        bench.cycle()
    assert [bench.last(name).mode for name in ARMS] == [ControllerStatus.MODE_APPROACH] * 2
    start = bench.node._plan_start
    left, right = (start.time(name, bench.now + bench.arms[name].ahead) for name in ARMS)
    assert left == pytest.approx(right, abs=2e-3) and left > 0.025


def test_a_tasks_own_references_are_followed(make_bench, scenario, tmp_path):
    planned = [plan.reference.slowed(0.9) for plan in spread_plans(scenario.task)]
    for name, each in zip(ARMS, planned, strict=True):
        (tmp_path / f"{name}.yaml").write_text(references_text(each))
    task = tmp_path / "mine.yaml"
    task.write_text(f"like: {NAME}\nreferences: [left.yaml, right.yaml]\n")
    bench = make_bench(task=str(task)).start()
    for _ in range(3):
        bench.cycle()
    assert [bench.last(name).message for name in ARMS] == ["ante"] * 2
    for arm, wanted in zip(bench.node.arms, planned, strict=True):
        followed = arm._guarded.controller.plan.reference
        np.testing.assert_allclose(followed.jump, wanted.jump, atol=1e-8)
        assert followed.nominal_time == pytest.approx(0.6 / 0.9)


def test_a_file_that_is_not_there_is_one_line(make_bench, tmp_path):
    task = tmp_path / "mine.yaml"
    task.write_text(f"like: {NAME}\nreferences: [left.yaml, right.yaml]\n")
    bench = make_bench(task=str(task))
    assert bench.node.trigger_configure() is not OK


def test_in_lockstep_stamps_that_differ_stop_both(make_bench):
    bench = make_bench(lockstep=True)
    bench.arms["right"].ahead = 1000 * MS
    bench.start()
    bench.cycle()
    for _ in range(2):
        assert any("expected equal stamps, got left" in bench.last(name).message for name in ARMS)
        assert all(bench.last(name).mode in (BRAKE, HOLD) for name in ARMS)
        bench.cycle()


def test_without_detectors_that_are_ready_the_plan_does_not_start(make_bench):
    bench = make_bench().configure()
    bench.look(40, ready=False)
    assert bench.node.trigger_activate() is OK
    bench.look(20, ready=False)
    assert bench.node._plan_start.waits_for == "the detector of left, right"
    bench.look(2, names=("left",), ready=True)
    bench.look(20, names=("right",), ready=False)
    assert bench.node._plan_start.waits_for == "the detector of right"
    assert not any(arm.commands for arm in bench.arms.values())
    bench.look(2, names=("right",), ready=True)  # the other arm's state is too old
    assert not bench.node._plan_start.ready
    bench.look(2, ready=True)
    for _ in range(3):
        bench.cycle()
    assert [bench.last(name).message for name in ARMS] == ["ante"] * 2


def test_a_detector_that_is_no_more_ready_stops_both(make_bench):
    bench = make_bench().start()
    for _ in range(10):
        bench.cycle()
    bench.arms["left"].judge(bench.now + MS)
    bench.arms["right"].judge(bench.now + MS, ready=False)
    for _ in range(3):
        bench.cycle(judged=False)
    assert stopped(bench, "right", "left", "no status of a ready detector within 0.02 s")


def test_a_verdict_of_another_time_does_not_count(make_bench):
    """It says that an impact was, or none: 50 ms ago."""
    bench = make_bench().start()
    for _ in range(10):
        bench.cycle()
    for _ in range(50):
        for name in ARMS:
            bench.arms[name].judge(bench.now - 50 * MS, impact=True)
        bench.cycle(judged=False)
    messages = " ".join(bench.last(name).message for name in ARMS)
    assert "no status of a ready detector within 0.02 s" in messages
    assert all(bench.last(name).mode in (BRAKE, HOLD) for name in ARMS)
    assert all(arm._guarded.controller.impact_time is None for arm in bench.node.arms)


def test_states_that_cannot_be_end_in_rest_and_stop_the_other_arm(make_bench):
    bench = make_bench().start()
    for _ in range(20):
        bench.cycle()
    assert bench.values("left").any()
    for _ in range(3):
        bench.cycle(spoilt={"left": np.full(7, np.nan)})
    bench.spin(lambda: bench.last("left").mode == STOPPED)
    bench.spin(lambda: not bench.values("left").any())
    bench.cycle(("right",))
    assert stopped(bench, "left", "right", "implausible joint states: not finite")
    steps = np.diff([each.values for each in bench.arms["left"].commands], axis=0)
    assert np.abs(steps).max() <= 1.0  # 1000 N.m/s at 1 kHz
    sent = len(bench.arms["left"].commands)
    bench.look(60, names=("left",))  # good ones, and for long: a jump is not forgotten
    assert len(bench.arms["left"].commands) == sent


@pytest.mark.parametrize("silent", ["states", "detector"])
def test_silence_stops_both(make_bench, silent):
    bench = make_bench(state_timeout=0.5).start()
    for _ in range(10):
        bench.cycle()
    text = (
        "no joint state for"
        if silent == "states"
        else "no status of a ready detector within 0.02 s"
    )

    def over():
        """Go on with the right arm, and with the left one's states if its detector is silent."""
        bench.now += MS
        for name in ("right", "left")[: 1 if silent == "states" else 2]:
            if name == "right":
                bench.arms[name].judge(bench.now)
            bench.arms[name].send(bench.now)
        return any(text in each.message for each in bench.arms["left"].status)

    bench.spin(over)
    bench.cycle(("right",))
    if silent == "states":
        bench.spin(lambda: bench.last("left").mode == STOPPED and not bench.values("left").any())
    assert stopped(bench, "left", "right", text)


def test_a_clock_that_jumps_back_stops_both(make_bench):
    bench = make_bench().start()
    for _ in range(5):
        bench.cycle()
    bench.cycle(("left",), step=-3 * MS)
    bench.cycle(step=9 * MS)
    assert stopped(bench, "left", "right", "clock jumped back by 0.003 s")


def test_missed_cycles_stop_both(make_bench):
    bench = make_bench(max_consecutive_missed=10).start()
    bench.cycle()
    bench.cycle(step=30 * MS)
    bench.cycle()
    messages = [bench.last(name).message for name in ARMS]
    assert any("control cycles of 1 ms missed in a row" in each for each in messages)
    assert all(bench.last(name).mode in (BRAKE, HOLD) for name in ARMS)


def test_stamps_that_are_not_a_period_apart_stop_both_in_lockstep(make_bench):
    bench = make_bench(lockstep=True).start()
    bench.cycle()
    bench.cycle(step=MS // 2)
    bench.cycle()
    messages = " ".join(bench.last(name).message for name in ARMS)
    assert "expected stamps 1 ms apart" in messages
    assert all(bench.last(name).mode in (BRAKE, HOLD) for name in ARMS)


def test_an_arm_elsewhere_is_held_where_it_is(make_bench):
    bench = make_bench().start()
    bench.arms["left"].q[3] += 0.2
    for _ in range(5):
        bench.cycle()
    assert stopped(bench, "left", "right", "joint4 is 0.2 rad from the plan's start")
    assert np.abs(bench.values("left")).max() < 0.5  # it holds; it does not go to the start


def test_an_arm_that_is_known_to_be_elsewhere_is_not_activated(make_bench, scenario):
    away = np.array(scenario.q_start)
    away[0, 3] += 0.2
    bench = make_bench(away).configure()
    bench.look(40)
    assert bench.node.trigger_activate() is not OK
    assert not any(arm.commands for arm in bench.arms.values())


def test_deactivated_it_brakes_comes_to_rest_and_is_silent(make_bench):
    bench = make_bench().start()
    for _ in range(20):
        bench.cycle()
    assert bench.node.trigger_deactivate() is OK
    bench.cycle()
    assert all(bench.last(name).message == "deactivated" for name in ARMS)

    def braked():
        bench.look(1)
        return not any(arm.engaged for arm in bench.node.arms)

    bench.spin(braked)
    bench.spin(lambda: not any(bench.values(name).any() for name in ARMS))
    sent = [len(arm.commands) for arm in bench.arms.values()]
    for arm in bench.arms.values():
        arm.q = arm.q + 0.05  # somebody moves it
    bench.look(50)
    assert [len(arm.commands) for arm in bench.arms.values()] == sent
    assert bench.node.trigger_activate() is not OK


def test_activated_again_at_once_no_torque_jumps(make_bench):
    bench = make_bench().start()
    for _ in range(20):
        bench.cycle()
    assert bench.values("left").any()
    assert bench.node.trigger_deactivate() is OK
    bench.cycle()
    assert bench.node.trigger_activate() is OK
    bench.look(3, ready=True)
    for _ in range(3):
        bench.cycle()
    steps = np.diff([each.values for each in bench.arms["left"].commands], axis=0)
    assert np.abs(steps).max() <= 1.0  # 1000 N.m/s at 1 kHz


def test_deactivated_and_cleaned_up_it_leaves_gravity(make_bench):
    bench = make_bench().start()
    for _ in range(20):
        bench.cycle()
    assert bench.node.trigger_deactivate() is OK
    bench.cycle()
    assert bench.node.trigger_cleanup() is OK
    bench.spin(lambda: not any(bench.values(name).any() for name in ARMS))
    assert bench.node.trigger_configure() is OK


def test_a_scenario_without_a_box_is_not_configured(context):
    given = [Parameter("task", value="qp_panda_demo")]
    node = ImpactSpreadingNode(context=context, parameter_overrides=given)
    assert node.trigger_configure() is TransitionCallbackReturn.FAILURE
    node.destroy_node()


def test_real_arms_grab_by_limits_that_bound_every_impulse(context, capfd):
    given = [Parameter("task", value=NAME)]  # which names none
    node = ImpactSpreadingNode(context=context, parameter_overrides=given)
    assert node.trigger_configure() is TransitionCallbackReturn.FAILURE
    assert "one of joint_load, robust on a real arm, got 'unaware'" in capfd.readouterr().err
    node.destroy_node()


def test_a_torque_that_no_driver_may_get_is_withheld(scenario):
    robot, start = load_robot("panda_plate"), np.array(scenario.q_start[0])
    controller = SpreadingController(robot, spread_plans(scenario)[0])
    control = GuardedSpreading(controller, start)
    control.activate()
    good = control.answer(0.0, start, np.zeros(7))
    assert good is not None
    controller.update = lambda *_, **__: SimpleNamespace(
        torque=good.torque, gravity=good.gravity, driver_torque=good.driver_torque + np.nan
    )
    assert control.answer(0.001, start, np.zeros(7)) is None
    assert control.fault.startswith("command withheld: panda_joint1 torque nan")
    assert control.answer(0.002, start, np.zeros(7)) is None  # nothing more until a reset


def test_an_arm_that_moves_is_not_taken_over(scenario):
    robot, start = load_robot("panda_plate"), np.array(scenario.q_start[0])
    control = GuardedSpreading(SpreadingController(robot, spread_plans(scenario)[0]), start)
    control.activate()
    command = control.answer(0.0, start, np.array([0, 0.2, 0, 0, 0, 0, 0]))
    assert control.fault == "panda_joint2 moves at 0.2 rad/s, at most 0.1"
    assert command.mode is Mode.STOP
    control.deactivate()
    while control.engaged:
        if not control.settling:
            control.answer(0.0, start, np.zeros(7))
        control.settle()
    control.activate()
    assert control.answer(0.0, start, np.zeros(7)).mode is Mode.ANTE and not control.fault
