# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""ExecuteImpact over real DDS: from a goal to what happened, and every way in which it ends."""

from concurrent.futures import Future as Work

import numpy as np
import pytest

pytest.importorskip("rclpy")

from open_goals import NAN, RANGES, open_goal
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from serving import serve

from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import (
    ControllerStatus,
    DetectorStatus,
    ImpactAnnouncement,
    ImpactEstimate,
    JointCommand,
)
from impact_qp.limits import ExistentialImpactLimit, RobustImpactLimit
from impact_qp.node import ImpactQpNode
from impact_robots import ArmDynamics
from impact_ros.messages import from_nanoseconds, set_vector
from impact_ros.node.spin import make_executor
from impact_ros.qos import LATCHED, RECORD, RECORD_LATCHED, STREAM
from impact_sim import Simulation

MS = 1_000_000  # [ns]
Result = ExecuteImpact.Result


class Bench:
    """The controller's node, and a simulated arm with detector and client of the action."""

    def __init__(self, context, robot, scenario, parameters):
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.node = ImpactQpNode(context=context, parameter_overrides=overrides)
        self.peer = Node("peer", context=context)
        self.states = self.peer.create_publisher(JointState, "joint_states", STREAM)
        self.verdicts = self.peer.create_publisher(DetectorStatus, "impact_detector/status", STREAM)
        self.estimates = self.peer.create_publisher(
            ImpactEstimate, "impact_detector/estimate", LATCHED
        )
        self.commands, self.status, self.heard, self.feedback = [], [], [], []
        for kind, topic, heard in (
            (JointCommand, "impact_qp/command", self.commands),
            (ControllerStatus, "impact_qp/status", self.status),
            (DetectorStatus, "impact_detector/status", self.heard),
        ):
            self.peer.create_subscription(kind, topic, heard.append, RECORD)
        self.client = ActionClient(self.peer, ExecuteImpact, "impact_qp/execute_impact")
        self.robot, self.scenario, self.k = robot, scenario, 0
        self.simulation = Simulation(robot, scenario.wall(robot), seed=3)
        self.measurement = self.simulation.reset(scenario.start(robot))
        self.touch = None
        self.executor = make_executor(context)  # one for all: goals wait in it
        for node in (self.node, self.peer):
            self.executor.add_node(node)

    def spin(self, until):
        serve(self.executor, until)

    def start(self, activate=True):
        self.node.trigger_configure()
        self.spin(
            lambda: (
                all(p.get_subscription_count() for p in (self.states, self.verdicts))
                and self.estimates.get_subscription_count()
                and all(s.get_publisher_count() for s in self.peer.subscriptions)
                and self.client.server_is_ready()
            )
        )
        self.tell(impact=False)
        if activate:
            self.node.trigger_activate()
        return self

    def tell(self, *, impact):
        """Give the detection status."""
        message = DetectorStatus(impact=impact, ready=True)
        from_nanoseconds(self.k * MS, message.header.stamp)
        count = len(self.heard)
        self.verdicts.publish(message)
        self.spin(lambda: len(self.heard) > count)

    def cycles(self, count=1, until=lambda: False):
        """Run the arm for some milliseconds; return whether the condition came."""
        for _ in range(count):
            if until():
                return True
            self.k += 1
            message = JointState(
                name=list(self.robot.joint_names),
                position=self.measurement.q.tolist(),
                velocity=self.measurement.dq.tolist(),
            )
            from_nanoseconds(self.k * MS, message.header.stamp)
            heard, reported = len(self.commands), len(self.status)
            self.states.publish(message)
            self.spin(  # the status comes behind the command
                lambda heard=heard, reported=reported: (
                    len(self.commands) > heard and len(self.status) > reported
                )
            )
            self.measurement = self.simulation.step(np.array(self.commands[-1].values))
            if self.touch is None and self.simulation.plant.contact_force.any():
                self.touch = self.k
                self.tell(impact=True)
        return until()

    def goal(self, **fields):
        """Return a goal at the scenario's surface, everything open."""
        return open_goal(self.robot, self.scenario, **fields)

    def send(self, goal):
        """Send a goal and return its handle."""
        future = self.client.send_goal_async(goal, feedback_callback=self.feedback.append)
        self.spin(future.done)
        assert future.result().accepted
        self.spin(lambda: not self.node._goal_server.waiting)  # it is prepared beside
        return future.result()

    def result(self, handle):
        """Wait for a result."""
        future = handle.get_result_async()
        self.spin(future.done)
        return future.result().result

    def close(self):
        self.executor.shutdown()
        self.client.destroy()
        self.node.destroy_node()
        self.peer.destroy_node()


@pytest.fixture
def make_bench(context, panda, scenario):
    made = []

    def make(**changes):
        parameters = scenario.controller_parameters(panda) | {
            "impact_limits": "robust",
            "simulated": True,
            "state_timeout": 10.0,
            "max_consecutive_missed": 1_000_000,
            "approach_on_activation": False,
            **changes,
        }
        made.append(Bench(context, panda, scenario, parameters))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture
def bench(make_bench):
    bench = make_bench().start()
    bench.cycles(5)
    return bench


def mode(bench):
    return bench.status[-1].mode


def test_without_a_goal_the_arm_holds(bench):
    bench.cycles(50)
    assert mode(bench) == ControllerStatus.MODE_IDLE
    assert np.abs(bench.simulation.plant.dq).max() < 0.01


def test_a_goal_is_carried_out_and_reported(bench, panda, contact):
    handle = bench.send(bench.goal(after=ExecuteImpact.Goal.AFTER_HOLD))
    future = handle.get_result_async()
    assert bench.cycles(3000, until=lambda: bench.touch)
    plant, rotation = bench.simulation.plant, contact.rotation
    state = ArmDynamics(panda)(plant.q, plant.dq)
    assert bench.cycles(600, until=lambda: mode(bench) == ControllerStatus.MODE_HOLD)
    assert not future.done()  # no estimate yet
    estimate = ImpactEstimate(impulse_source=ImpactEstimate.SOURCE_TORQUE)
    from_nanoseconds(bench.touch * MS, estimate.impact_time)
    estimate.header.frame_id = panda.base_frame
    set_vector(estimate.impulse, 0.3 * rotation[:, 2])
    bench.estimates.publish(estimate)
    bench.spin(lambda: bench.node._goal_server.run.estimate is not None)
    bench.cycles(1)
    bench.spin(future.done)
    result = future.result().result
    assert (result.success, result.code, result.message) == (True, Result.CODE_OK, "")
    bound = RobustImpactLimit(panda, contact).speed_bound(state).speed
    assert result.contact_speed == pytest.approx(bound, rel=0.02)
    assert result.speed_bound == pytest.approx(bound, rel=0.01)
    assert result.impulse_in_set and result.measured == estimate
    assert result.announced.task_velocity_before.z == pytest.approx(-bound, rel=0.07)  # noise
    assert result.announced.impulse.z > 0.1
    distances = [each.feedback.distance for each in bench.feedback]
    assert len(distances) > 20 and distances[0] > 0.09 and min(distances) < 0.005
    assert any("joint6" in each.feedback.active_limit for each in bench.feedback)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"speed": 9.0}, "speed: expected above 0 up to speed_cap 0.5 m/s, got 9"),
        ({"speed": -0.1}, "speed: expected above 0"),
        ({"friction_high": -1.0}, "friction"),
        ({"restitution_high": 1.5}, "restitution"),
        ({"impact_limits": "brave"}, "impact_limits: expected one of auto, unaware, existential"),
        ({"after": 9}, "after: expected 0 to 3, got 9"),
        ({"after": 3}, "press_force: expected a number > 0"),
        ({"highest_speed": -0.1}, "highest_speed: expected above 0 m/s, got -0.1"),
        ({"timeout": -1.0}, "timeout: expected above 0 up to 3600 s"),
    ],
)
def test_a_bad_goal_says_why_and_nothing_moves(bench, fields, said):
    result = bench.result(bench.send(bench.goal(**fields)))
    assert (result.success, result.code) == (False, Result.CODE_BAD_GOAL)
    assert said in result.message
    bench.cycles(20)
    assert mode(bench) == ControllerStatus.MODE_IDLE


@pytest.mark.parametrize("limits", ["unaware", "existential", "nominal"])
def test_no_goal_moves_a_real_arm_by_limits_that_some_impulse_exceeds(make_bench, limits):
    bench = make_bench(simulated=False).start()
    result = bench.result(bench.send(bench.goal(impact_limits=limits)))
    assert (result.success, result.code) == (False, Result.CODE_BAD_GOAL)
    assert "expected one of auto, joint_load, robust on a real arm" in result.message
    bench.cycles(20)
    assert mode(bench) == ControllerStatus.MODE_IDLE


def test_a_pose_in_another_frame_or_without_orientation_is_a_bad_goal(bench):
    goal = bench.goal()
    goal.contact.header.frame_id = "map"
    assert "expected a pose in panda_link0, got 'map'" in bench.result(bench.send(goal)).message
    goal = bench.goal()
    for name in "xyzw":
        setattr(goal.contact.pose.orientation, name, 0.0)
    assert "unit quaternion" in bench.result(bench.send(goal)).message


def test_a_goal_that_cannot_be_reached_safely_is_refused(bench):
    behind = bench.goal()
    behind.contact.pose.position.x = -1.0  # the arm is behind that surface
    result = bench.result(bench.send(behind))
    assert result.code == Result.CODE_BAD_GOAL and "behind the surface" in result.message
    result = bench.result(bench.send(bench.goal(friction_high=9.0)))
    assert result.code == Result.CODE_NOT_FEASIBLE and "no speed is safe" in result.message


def test_an_inactive_controller_and_one_without_states_say_so(make_bench):
    bench = make_bench().start(activate=False)
    assert bench.result(bench.send(bench.goal())).code == Result.CODE_INACTIVE
    bench.node.trigger_activate()
    assert bench.result(bench.send(bench.goal())).code == Result.CODE_INPUT_LOST


def approaching(bench, **fields):
    handle = bench.send(bench.goal(**fields))
    bench.cycles(300)
    assert mode(bench) == ControllerStatus.MODE_APPROACH
    return handle


def test_a_goal_that_a_cleanup_ends_has_a_result_and_later_ones_are_refused(bench):
    """Nobody is served between the two transitions."""
    handle = bench.send(bench.goal())
    bench.cycles(5)
    bench.node.trigger_deactivate()
    bench.node.trigger_cleanup()
    result = bench.result(handle)
    assert result.code == ExecuteImpact.Result.CODE_PREEMPTED
    assert bench.result(bench.send(bench.goal())).code == ExecuteImpact.Result.CODE_INACTIVE


def test_a_goal_that_still_waits_at_a_deactivation_never_begins(bench, monkeypatch):
    held, prepare, answers = Work(), bench.node._planner.prepare, []

    def prepared_later(*arguments):
        answers.append(prepare(*arguments).result())
        return held

    monkeypatch.setattr(bench.node._planner, "prepare", prepared_later)
    future = bench.client.send_goal_async(bench.goal())
    bench.spin(lambda: answers)
    bench.node.trigger_deactivate()
    bench.node.trigger_activate()
    if not held.cancelled():
        held.set_result(answers[0])
    bench.cycles(30)
    assert mode(bench) == ControllerStatus.MODE_IDLE
    assert np.abs(bench.simulation.plant.dq).max() < 0.01
    bench.spin(future.done)
    result = bench.result(future.result())
    assert (result.code, result.message) == (Result.CODE_PREEMPTED, "deactivated")


def test_cancelling_brakes_and_holds(bench):
    handle = approaching(bench)
    future = handle.cancel_goal_async()
    bench.spin(future.done)
    bench.cycles(1)
    assert bench.result(handle).code == Result.CODE_CANCELED
    bench.cycles(300)
    assert mode(bench) == ControllerStatus.MODE_HOLD and bench.touch is None
    assert np.abs(bench.simulation.plant.dq).max() < 0.01


def test_an_activation_approaches_the_configured_surface_whatever_goal_was_before(
    make_bench, contact
):
    """It approached the surface of the cancelled goal."""
    bench = make_bench(approach_on_activation=True).start()
    bench.cycles(20)
    table = bench.goal()
    here = ArmDynamics(bench.robot).position(bench.measurement.q)
    table.contact.pose.position.z = float(here[2]) - 0.15
    table.contact.pose.orientation.x, table.contact.pose.orientation.y = 0.0, 0.0
    table.contact.pose.orientation.z, table.contact.pose.orientation.w = 0.0, 1.0  # normal +z
    handle = bench.send(table)
    bench.cycles(50)
    bench.spin(handle.cancel_goal_async().done)
    assert bench.cycles(300, until=lambda: mode(bench) == ControllerStatus.MODE_HOLD)
    bench.node.trigger_deactivate()
    bench.node.trigger_activate()
    bench.tell(impact=False)
    bench.cycles(60)
    dynamics = ArmDynamics(bench.robot)
    velocity = dynamics(bench.measurement.q, bench.measurement.dq).velocity
    assert mode(bench) == ControllerStatus.MODE_APPROACH
    assert -velocity @ contact.normal > 0.95 * np.linalg.norm(velocity) > 0.05


def test_a_goal_that_replaces_another_one_shortly_before_its_impact_is_announced(make_bench):
    """The detector judged its impact by the surface of the one before."""
    bench, announced = make_bench(goal_may_widen=True).start(), []
    bench.cycles(5)
    bench.peer.create_subscription(
        ImpactAnnouncement, "impact_qp/announcement", announced.append, RECORD_LATCHED
    )
    approaching(bench, friction_low=0.0, friction_high=0.1)
    assert bench.cycles(2000, until=lambda: announced and not announced[-1].withdrawn)
    bench.send(bench.goal(friction_low=0.0, friction_high=0.2))
    bench.cycles(3)
    first, second = announced[-2:]
    assert not second.withdrawn
    assert first.contact.surface.friction_high == 0.1
    assert second.contact.surface.friction_high == 0.2
    count = len(announced)
    bench.cycles(20)
    assert len(announced) == count


def test_a_goal_may_cap_the_speed_below_its_reference(bench):
    approaching(bench, speed=0.2, highest_speed=0.05)
    bench.cycles(200)
    speeds = [-each.normal_speed for each in bench.status[-200:]]
    assert speeds[-1] == pytest.approx(0.05, rel=0.03)
    assert max(speeds) < 0.052


def test_another_goal_takes_over_without_a_step_in_torque(bench):
    first = approaching(bench)
    before = np.array(bench.commands[-1].values)
    second = bench.send(bench.goal(speed=0.02))
    assert bench.result(first).code == Result.CODE_PREEMPTED
    bench.cycles(1)
    assert np.abs(np.array(bench.commands[-1].values) - before).max() <= 1.0 + 1e-9
    bench.cycles(400)
    speed = -bench.status[-1].normal_speed
    assert speed == pytest.approx(0.02, abs=0.005)
    bench.node.trigger_deactivate()
    assert bench.result(second).code == Result.CODE_PREEMPTED


@pytest.mark.parametrize("fields", [{"speed": -1.0}, {"friction_high": 9.0}, {"after": 9}])
def test_a_refused_goal_changes_nothing_but_its_own_answer(bench, fields):
    """It ended the goal before it, and the arm went on approaching without time-out or cancel."""
    first = approaching(bench)
    refused = bench.result(bench.send(bench.goal(**fields)))
    assert refused.code in (Result.CODE_BAD_GOAL, Result.CODE_NOT_FEASIBLE)
    bench.cycles(50)
    assert mode(bench) == ControllerStatus.MODE_APPROACH
    assert bench.node._goal_server.run is not None
    future = first.cancel_goal_async()
    bench.spin(future.done)
    bench.cycles(1)
    assert bench.result(first).code == Result.CODE_CANCELED


def test_a_goal_with_another_kind_of_limits_is_not_faster_than_the_node(bench):
    """`joint_load` allows 0.124 m/s here, the node's `robust` 0.078."""
    own = approaching(bench)
    bound = bound_used(bench)
    future = own.cancel_goal_async()
    bench.spin(future.done)
    bench.cycles(1)
    approaching(bench, impact_limits="joint_load")
    assert bound_used(bench) <= 1.01 * bound


def test_without_contact_it_gives_up(bench):
    handle = bench.send(bench.goal(speed=0.01, timeout=0.1))
    bench.cycles(120)
    result = bench.result(handle)
    assert result.code == Result.CODE_TIMEOUT and "no contact within 0.1 s" in result.message
    assert np.isnan(result.contact_speed)


def test_an_impact_before_the_surface_is_unexpected(bench):
    handle = approaching(bench)
    bench.tell(impact=True)
    bench.cycles(2)
    result = bench.result(handle)
    assert result.code == Result.CODE_UNEXPECTED_IMPACT and "before the surface" in result.message
    bench.cycles(300)
    assert mode(bench) == ControllerStatus.MODE_HOLD


def test_no_goal_begins_while_the_detector_still_reports_an_impact(bench):
    """It took over, ended the goal before it, and gave up in its first cycle."""
    first = approaching(bench)
    bench.tell(impact=True)
    bench.cycles(2)
    assert bench.result(first).code == Result.CODE_UNEXPECTED_IMPACT
    result = bench.result(bench.send(bench.goal()))
    assert result.code == Result.CODE_NOT_FEASIBLE
    assert result.message == "the detector still reports an impact"


def test_a_clock_that_jumps_back_ends_the_goal(bench):
    handle = approaching(bench)
    bench.k -= 100
    bench.cycles(1)
    assert bench.result(handle).code == Result.CODE_INPUT_LOST


# --- what a goal may ask for --------------------------------------------------------------------


def bound_used(bench):
    """Return the highest safe speed by which the controller goes."""
    bench.cycles(1)
    return bench.status[-1].speed_bound


def test_a_goal_that_says_nothing_of_the_surface_supposes_what_the_node_does(bench):
    """Made with zeros, it meant no friction and no restitution, and hit 1.6 times too fast."""
    open_goal = bench.send(bench.goal(speed=0.05))
    expected = bound_used(bench)
    zeros = dict.fromkeys(RANGES, 0.0)
    made = bench.send(bench.goal(speed=0.05, timeout=0.0, **zeros))
    assert bound_used(bench) == pytest.approx(expected, rel=1e-3)
    assert bench.result(open_goal).code == Result.CODE_PREEMPTED
    assert bench.node._guarded.controller.plan.contact.friction == (
        bench.scenario.friction,
        bench.scenario.friction,
    )
    assert bench.node._guarded.controller.plan.contact.restitution == bench.scenario.restitution
    bench.node.trigger_deactivate()
    assert bench.result(made).code == Result.CODE_PREEMPTED


def test_a_default_goal_is_refused_for_its_missing_pose(bench):
    result = bench.result(bench.send(ExecuteImpact.Goal()))
    assert result.code == Result.CODE_BAD_GOAL
    assert result.message == "contact pose not set"


@pytest.mark.parametrize(
    ("fields", "friction"),
    [
        ({"friction_low": 0.9}, (None, 0.9)),  # it was never read
        ({"friction_low": 0.1}, (0.1, None)),
        ({"friction_low": 0.1, "friction_high": 0.5}, (0.1, 0.5)),
        ({"friction_low": 0.4, "friction_high": 0.5}, (None, 0.5)),
        ({"friction_high": 0.5}, (None, 0.5)),
    ],
)
def test_a_goals_friction_widens_the_nodes_range_at_either_end(bench, fields, friction):
    bench.send(bench.goal(speed=0.02, **fields))
    bench.cycles(1)
    own = bench.scenario.friction
    expected = tuple(own if end is None else end for end in friction)
    assert bench.node._guarded.controller.plan.contact.friction == expected


def test_more_friction_makes_no_existential_goal_faster(make_bench, panda, at_impact):
    """More friction admits more impulses, one of which is more harmless: the node hit faster."""
    bench = make_bench(impact_limits="existential").start()
    bench.cycles(5)
    bounds = []
    for fields in ({}, {"friction_high": 0.6}, {"friction_low": 0.05}):
        bench.send(bench.goal(speed=0.02, **fields))
        bench.cycles(1)
        limit = ExistentialImpactLimit(panda, bench.node._guarded.controller.plan.contact)
        bounds.append(limit.speed_bound(at_impact).speed)
    assert bounds[1] == pytest.approx(bounds[0], rel=1e-3)
    assert bounds[2] < 0.95 * bounds[0]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"friction_high": 0.1}, "friction_high: expected at least the node's 0.279"),
        ({"friction_low": 0.5, "friction_high": 0.4}, "friction: expected low up to high"),
        ({"restitution_high": 0.1}, "restitution_high: expected at least the node's 0.3"),
        ({"stiffness_high": 1e5}, "stiffness_high: expected at least the node's"),
        ({"stiffness_low": 2e5}, "stiffness_low: expected at most the node's 100000"),
        ({"stiffness_low": -1.0}, "stiffness: expected low, high with 0 < low <= high"),
        ({"stiffness_low": float("inf")}, "stiffness"),
        ({"speed": 1e308}, "speed: expected above 0 up to speed_cap"),
        ({"speed": float("inf")}, "speed: expected above 0 up to speed_cap"),
        ({"timeout": 1e308}, "timeout: expected above 0 up to 3600 s"),
        ({"after": 3, "press_force": float("inf")}, "press_force: expected a number > 0"),
        ({"after": 3, "press_force": NAN}, "press_force: expected a number > 0"),
        ({"friction_high": 1e308}, "friction"),
    ],
)
def test_a_goal_narrows_and_never_widens(bench, fields, said):
    result = bench.result(bench.send(bench.goal(**fields)))
    assert result.code in (Result.CODE_BAD_GOAL, Result.CODE_NOT_FEASIBLE)
    assert said in result.message or result.code == Result.CODE_NOT_FEASIBLE
    bench.cycles(5)
    assert mode(bench) == ControllerStatus.MODE_IDLE


@pytest.mark.parametrize("value", [1e300, -1e300, 50.0, NAN, float("inf")])
def test_a_surface_that_the_arm_cannot_reach_is_a_bad_goal(bench, value):
    goal = bench.goal()
    goal.contact.pose.position.x = value
    result = bench.result(bench.send(goal))
    assert result.code == Result.CODE_BAD_GOAL and result.message.startswith("contact: expected a")


@pytest.mark.parametrize("force", [50.0, 1e308])
def test_a_force_beyond_what_is_safe_is_not_feasible(bench, force):
    result = bench.result(bench.send(bench.goal(after=3, press_force=force)))
    assert result.code == Result.CODE_NOT_FEASIBLE
    assert result.message.startswith("press_force: expected up to ")


def test_what_was_not_measured_is_unknown_in_the_result(bench):
    result = bench.result(bench.send(bench.goal(speed=9.0)))
    for value in (
        result.contact_speed,
        result.measured.impulse_std,
        result.measured.impulse.x,
        result.measured.restitution,
        result.announced.effective_mass,
        result.announced.impulse.z,
    ):
        assert np.isnan(value)


def test_goals_are_logged_with_their_content(bench, capfd):
    bench.result(bench.send(bench.goal(speed=9.0)))
    err = capfd.readouterr().err
    assert "goal: contact [0.5218, 0.447406, 0.733016]" in err and "speed 9" in err
    assert "goal ended with code 2: speed: expected above 0 up to speed_cap" in err


def test_the_load_of_the_joints_counts_on_the_goal_s_stiffness(make_bench):
    bench = make_bench(speed=0.3, speed_cap=0.3, impact_limits="joint_load").start()
    bench.cycles(1)
    speeds = []
    for high in (1e6, float("inf")):
        bench.send(bench.goal(speed=0.3, stiffness_high=high))
        for _ in range(200):  # until the loads are known, which a slow machine takes longer for
            bench.cycles(20)
            if bound_used(bench) > 0.0:
                break
        speeds.append(bound_used(bench))
        controller = bench.node._guarded.controller
        assert controller.plan.impact_limits == "joint_load"
        assert controller.plan.contact.stiffness == (1e5, high)
    assert 0.0 < speeds[1] < 0.95 * speeds[0]
