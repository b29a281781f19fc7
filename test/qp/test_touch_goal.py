# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Touch over real DDS: a UR-class arm with each interface, from the goal to the result."""

from math import isnan

import numpy as np
import pytest
import yaml

pytest.importorskip("rclpy")

from other_arms import ARMS, write_arm
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from serving import serve

from impact_msgs.action import ExecuteImpact, Touch
from impact_msgs.msg import ControllerStatus, DetectorStatus, ImpactEstimate, JointCommand
from impact_predictor.contact_force.laws import Viscoelastic
from impact_qp.node import ImpactQpNode
from impact_robots import ArmDynamics, Surface, load_robot
from impact_ros.messages import from_nanoseconds, set_vector, to_nanoseconds
from impact_ros.node.spin import make_executor
from impact_ros.qos import LATCHED, RECORD, STREAM
from impact_sim import CompliantWall
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.arm_driver import Interface
from impact_sim.driver.position_driver import PositionDriver
from impact_sim.driver.simulation import Simulation

Result = Touch.Result
RATES = {"position": 125.0, "velocity": 125.0, "torque": 1000.0}  # [Hz]
GAP = 0.004  # to the wall [m]
DOWN = np.array([0.0, 0.0, -1.0])
GAINS = 30.0, 200.0  # of the servos [1/s]


@pytest.fixture(scope="module")
def yaml_file(tmp_path_factory):
    """The YAML of a UR-class arm that gives its servo."""
    path = write_arm(tmp_path_factory.mktemp("ur"), ARMS["ur_class"])
    entries = yaml.safe_load(path.read_text())
    motors = entries["apparent_motor_inertia"] = entries["reflected_motor_inertia"]
    entries["servo_damping"] = [GAINS[1] * each for each in motors]
    entries["servo_stiffness"] = [GAINS[0] * GAINS[1] * each for each in motors]
    path.write_text(yaml.safe_dump(entries))
    return path


def driven(robot, plant, interface):
    """Return the arm with its driver."""
    if interface == "torque":
        return Simulation(robot, plant=plant, seed=4)
    kind = Interface(interface)
    return PositionDriver(robot, rate=RATES[interface], interface=kind, plant=plant, seed=4)


class Bench:
    """The controller's node, and an arm that follows its commands, with a client of the actions."""

    def __init__(self, context, path, interface):
        self.robot, self.rate = load_robot(path), RATES[interface]
        q = np.array(self.robot.stance)
        place = ArmDynamics(self.robot).position(q)
        parameters = {
            "robot": str(path),
            "interface": interface,
            "rate": self.rate,
            "lockstep": True,
            "impact_limits": "robust",
            "contact_point": (place + 0.1 * DOWN).tolist(),
            "contact_normal": (-DOWN).tolist(),
            "approach_on_activation": False,
            "speed_cap": 0.25,
            "state_timeout": 10.0,
            "max_consecutive_missed": 1_000_000,
        }
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.node = ImpactQpNode(context=context, parameter_overrides=overrides)
        self.peer = Node("peer", context=context)
        self.states = self.peer.create_publisher(JointState, "joint_states", STREAM)
        self.estimates = self.peer.create_publisher(
            ImpactEstimate, "impact_detector/estimate", LATCHED
        )
        self.verdicts = self.peer.create_publisher(DetectorStatus, "impact_detector/status", STREAM)
        self.publishers = self.states, self.verdicts, self.estimates
        self.commands, self.status, self.feedback = [], [], []
        for kind, topic, heard in (
            (JointCommand, "impact_qp/command", self.commands),
            (ControllerStatus, "impact_qp/status", self.status),
        ):
            self.peer.create_subscription(kind, topic, heard.append, RECORD)
        self.touch = ActionClient(self.peer, Touch, "impact_qp/touch")
        self.hit = ActionClient(self.peer, ExecuteImpact, "impact_qp/execute_impact")
        surface = Surface(place + GAP * DOWN, -DOWN, 0.2)
        self.plant = WatchedPlant(self.robot, CompliantWall(surface, Viscoelastic(1e5, 1e3)))
        self.arm = driven(self.robot, self.plant, interface)
        self.measured, self.k = self.arm.reset(q), 0
        self.executor = make_executor(context)
        for node in (self.node, self.peer):
            self.executor.add_node(node)
        self.node.trigger_configure()
        serve(
            self.executor,
            lambda: (
                all(p.get_subscription_count() for p in self.publishers)
                and all(s.get_publisher_count() for s in self.peer.subscriptions)
                and self.touch.server_is_ready()
                and self.hit.server_is_ready()
            ),
        )
        self.cycle(answered=False)
        self.node.trigger_activate()
        self.until(lambda: self.status and self.status[-1].mode == ControllerStatus.MODE_IDLE)

    def cycle(self, answered=True):
        """Run the arm for one period."""
        self.k += 1
        message = JointState(
            name=list(self.robot.joint_names),
            position=self.measured.q.tolist(),
            velocity=self.measured.dq.tolist(),
            effort=self.measured.tau.tolist(),
        )
        verdict = DetectorStatus(ready=True)
        for each in (message, verdict):
            from_nanoseconds(round(self.k * 1e9 / self.rate), each.header.stamp)
        heard = len(self.commands)
        self.verdicts.publish(verdict)
        self.states.publish(message)
        if answered:
            serve(self.executor, lambda: len(self.commands) > heard)
            self.measured = self.arm.step(np.array(self.commands[-1].values))
        else:
            serve(self.executor, lambda: self.node._cycle.inputs.state is not None)

    def until(self, condition, most=4000):
        for _ in range(most):
            if condition():
                return
            self.cycle()
        raise AssertionError("it did not come to that")

    def goal(self, **fields):
        goal = Touch.Goal(force=30.0, stiffness=1e5, distance=0.01, **fields)
        set_vector(goal.direction.vector, DOWN)
        return goal

    def send(self, goal):
        client = self.touch if isinstance(goal, Touch.Goal) else self.hit
        future = client.send_goal_async(
            goal, **({"feedback_callback": self.feedback.append} if client is self.touch else {})
        )
        serve(self.executor, future.done)
        serve(self.executor, lambda: not any(each.waiting for each in self.node._servers))
        return future.result()

    def result(self, handle):
        future = handle.get_result_async()
        self.until(lambda: serve_once(self.executor) or future.done())
        return future.result().result


def serve_once(executor):
    executor.spin_once(timeout_sec=0.0)
    return False


@pytest.fixture
def make_bench(context, yaml_file):
    made = []

    def make(interface="position"):
        made.append(Bench(context, yaml_file, interface))
        return made[-1]

    yield make
    for each in made:
        each.executor.shutdown()
        for node in (each.node, each.peer):
            node.destroy_node()


@pytest.fixture
def bench(make_bench):
    return make_bench()


@pytest.mark.parametrize("interface", RATES)
def test_a_touch_over_dds_ends_by_contact_below_its_force(make_bench, interface):
    bench = make_bench(interface)
    found = bench.result(bench.send(bench.goal(then=Touch.Goal.THEN_RELEASE)))
    assert (found.success, found.code, found.triggered) == (True, Result.CODE_OK, True)
    assert found.signal in ("effort", "velocity", "position")
    peak = float((bench.plant.force @ -DOWN).max())
    assert 0.0 < peak < found.promised_force <= 30.0 * (1.0 + 1e-6)
    assert found.peak_source == Result.PEAK_ESTIMATED and 0.0 < found.peak_force < 1.1 * peak
    assert found.travelled == pytest.approx(GAP, abs=0.002)
    assert found.contact.header.frame_id == bench.robot.base_frame
    assert found.before.pose.position.z > found.contact.pose.position.z
    place = ArmDynamics(bench.robot).position(np.array(found.joints_before))
    assert place[2] == pytest.approx(found.before.pose.position.z, abs=1e-9)
    assert bench.feedback and bench.feedback[-1].feedback.travelled > 0.0
    assert not bench.plant.contact_force.any()  # released


def test_the_peak_is_that_of_a_force_sensor_if_there_is_one(bench):
    handle = bench.send(bench.goal(then=Touch.Goal.THEN_RELEASE))
    bench.until(lambda: bench.status[-1].mode == ControllerStatus.MODE_RETRACT)
    for late, peak in ((0, 17.0), (0, float("nan")), (1_000_000_000, 25.0)):  # that is another one
        estimate = ImpactEstimate(peak_force=peak)
        from_nanoseconds(to_nanoseconds(bench.status[-1].header.stamp) + late, estimate.impact_time)
        bench.estimates.publish(estimate)
        bench.cycle()
    found = bench.result(handle)
    assert (found.success, found.peak_source) == (True, Result.PEAK_MEASURED)
    assert found.peak_force == 17.0


def test_touches_are_refused_cancelled_and_preempted(bench):
    fast = bench.result(bench.send(bench.goal(speed=0.2)))
    assert fast.code == Result.CODE_BAD_GOAL and "mm/s keep 30 N" in fast.message
    assert isnan(fast.promised_force) and isnan(fast.contact.pose.position.x)
    wide = bench.goal()
    wide.stiffness = 0.0  # the parameter has no upper end
    assert "stiffness: expected the highest" in bench.result(bench.send(wide)).message
    lost = bench.goal()
    lost.direction.header.frame_id = "elsewhere"
    assert "direction: expected axes of" in bench.result(bench.send(lost)).message
    handle = bench.send(bench.goal())
    bench.until(lambda: bench.status[-1].mode == ControllerStatus.MODE_APPROACH)
    handle.cancel_goal_async()
    assert bench.result(handle).code == Result.CODE_CANCELED
    bench.until(lambda: bench.status[-1].mode == ControllerStatus.MODE_HOLD)
    first = bench.send(bench.goal())
    bench.until(lambda: bench.status[-1].mode == ControllerStatus.MODE_APPROACH)
    hit = ExecuteImpact.Goal(speed=0.01)
    position, turn = hit.contact.pose.position, hit.contact.pose.orientation
    place = ArmDynamics(bench.robot).position(bench.measured.q) + 0.05 * DOWN
    position.x, position.y, position.z = place.tolist()
    turn.w = 1.0
    hit.contact.header.frame_id = bench.robot.base_frame
    second = bench.send(hit)
    assert bench.result(first).code == Result.CODE_PREEMPTED
    second.cancel_goal_async()
    assert bench.result(second).code == ExecuteImpact.Result.CODE_CANCELED
    bench.node.trigger_deactivate()
    future = bench.send(bench.goal()).get_result_async()
    serve(bench.executor, future.done)
    assert future.result().result.code == Result.CODE_INACTIVE
