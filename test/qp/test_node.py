# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller node over real DDS: what it answers, what it refuses, and how it stops."""

import sys
from dataclasses import replace
from math import inf
from time import perf_counter

import numpy as np
import pytest

pytest.importorskip("rclpy")

from controller_bench import MS, OK, QUIET
from lifecycle_msgs.srv import ChangeState
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.parameter import Parameter

from impact_msgs.msg import ControllerStatus, JointCommand
from impact_qp import ImpactController, Plan
from impact_qp.learning.node import ImpactLearnerNode
from impact_qp.node import ImpactQpNode
from impact_qp.parameters import ControllerParameters
from impact_ros.exceptions import ParameterError
from impact_ros.messages import to_nanoseconds
from impact_ros.node.spin import spin
from impact_ros.parameters import specifications
from impact_ros.surface_message import read_surface

NAN = float("nan")
FAILURE = TransitionCallbackReturn.FAILURE


@pytest.fixture
def bench(make_bench):
    return make_bench().start()


@pytest.fixture
def reference(panda, scenario, contact):
    """The same controller without a node."""
    plan = Plan(contact, speed=scenario.reference_speed, ramp=scenario.reference_ramp)
    return ImpactController(panda, plan)


def stamp(message):
    return to_nanoseconds(message.header.stamp)


# --- commands ---------------------------------------------------------------------------------


def test_a_state_is_answered_with_the_controllers_command(bench, reference, panda):
    for k in (1, 2, 3):
        dq = np.full(7, 0.01 * k)
        command, status = bench.answer(bench.state(k * MS, dq=dq))
        expected = reference.update(bench.q, dq)
        np.testing.assert_array_equal(command.values, expected.driver_torque)
        assert stamp(command) == stamp(status) == k * MS
        assert tuple(command.joint_names) == panda.joint_names
        assert command.interface == JointCommand.INTERFACE_TORQUE
        assert not command.includes_gravity  # the Panda's driver adds it
        np.testing.assert_array_equal(bench.driver.values[-1].data, command.values)
        desired = bench.driver.desired[-1]
        np.testing.assert_array_equal(desired.effort, expected.reference_torque)
        np.testing.assert_array_equal(desired.velocity, expected.velocity)
        assert (status.gap, status.normal_speed) == (expected.gap, expected.normal_speed)
        assert status.speed_bound == expected.speed_bound
        assert status.mode == ControllerStatus.MODE_APPROACH
        assert status.impact_limits == ControllerStatus.IMPACT_LIMITS_ROBUST
        assert status.message == ""


def test_joint_names_in_another_order_give_the_same_command(bench, reference, panda):
    random = np.random.default_rng(1)
    for k in range(1, 4):
        q, dq = bench.q + 1e-3 * random.standard_normal(7), 0.1 * random.standard_normal(7)
        command, _ = bench.answer(bench.state(k * MS, q, dq, order=random.permutation(7)))
        np.testing.assert_array_equal(command.values, reference.update(q, dq).driver_torque)
        assert tuple(command.joint_names) == panda.joint_names


def test_extra_joints_do_no_harm_and_effort_is_not_needed(bench, reference):
    message = bench.state(MS)
    message.name = ["finger", *message.name]
    message.position = [NAN, *message.position]
    message.velocity = [NAN, *message.velocity]
    command, _ = bench.answer(message)
    expected = reference.update(bench.q, np.zeros(7))
    np.testing.assert_array_equal(command.values, expected.driver_torque)


def test_the_velocity_interface_publishes_velocities(make_bench, panda, reference):
    bench = make_bench(interface="velocity").start()
    command, _ = bench.answer(bench.state(MS))
    assert command.interface == JointCommand.INTERFACE_VELOCITY
    expected = ImpactController(panda, replace(reference.plan, interface="velocity"))
    np.testing.assert_array_equal(command.values, expected.update(bench.q, np.zeros(7)).velocity)
    np.testing.assert_array_equal(bench.driver.values[-1].data, command.values)


def test_the_first_command_is_within_the_torque_rate_of_none(bench, panda):
    """Until then the driver balances gravity alone; a step of torque trips a real robot."""
    command, _ = bench.answer(bench.state(MS))
    assert np.all(np.abs(command.values) <= panda.limits.torque_rate * 1e-3 + 1e-9)


def test_a_speed_above_the_cap_is_capped_with_a_warning(make_bench, capfd):
    bench = make_bench(speed=0.5, speed_cap=0.02, speed_ramp=1e3, impact_limits="unaware").start()
    assert "speed 0.5 m/s is capped at 0.02 m/s (speed_cap)" in capfd.readouterr().err
    for k in range(1, 4):
        bench.answer(bench.state(k * MS))
    assert bench.node._guarded.controller.plan.speed == 0.02


def test_infeasible_cycles_are_counted(make_bench, at_impact):
    bench = make_bench(preview=0.005).start()
    dq = np.linalg.pinv(at_impact.J) @ np.array([0.5, 0, 0, 0, 0, 0])
    counts = []
    for k in range(1, 4):
        _, status = bench.answer(bench.state(k * MS, at_impact.q + k * 1e-3 * dq, dq))
        counts.append(status.infeasible_cycles)
        assert list(status.relaxed_constraints)
        assert status.slack > 0.0
    assert counts == [1, 2, 3]


@pytest.mark.parametrize("size", [1e2, 1e8, 1e80, 1e160, 1e300])
def test_absurd_but_finite_states_do_not_end_the_node(bench, panda, size):
    torque = panda.limits.torque
    for k, message in enumerate(
        (
            bench.state(1 * MS, dq=np.full(7, size)),
            bench.state(2 * MS, q=np.full(7, size)),
            bench.state(3 * MS, q=np.full(7, -size), dq=np.full(7, size)),
        )
    ):
        count = len(bench.driver.commands)
        if not bench.unanswered(message):
            assert len(bench.driver.commands) == count + 1, k
            values = np.array(bench.driver.commands[-1].values)
            assert np.all(np.isfinite(values))
            assert np.all(np.abs(values) <= 2.0 * torque)
    status = bench.driver.status[-1]
    assert status.message.startswith("implausible joint states: ")
    for k in range(4, 64):  # they go on as if nothing had been: only an activation ends the fault
        bench.send(bench.state(k * MS))
    assert bench.unanswered(bench.state(64 * MS))
    assert bench.node.trigger_deactivate() == OK
    assert bench.node.trigger_activate() == OK
    command, _ = bench.answer(bench.state(65 * MS))
    assert np.all(np.isfinite(command.values))


def test_no_attribute_hides_one_of_rclpy(bench, context):
    """Rclpy's nodes keep their parameters in an attribute with a single underscore."""
    plain = LifecycleNode("plain", context=context)
    own = vars(bench.node)
    for name, value in vars(plain).items():
        assert "__" in name or type(own[name]) is type(value), name
    plain.destroy_node()


# --- life cycle -------------------------------------------------------------------------------


def test_nothing_is_commanded_before_the_activation(make_bench):
    bench = make_bench()
    bench.configure()
    assert bench.unanswered(bench.state(MS))
    assert bench.unanswered(bench.verdict(MS))
    assert bench.node.trigger_activate() == OK
    assert bench.unanswered()
    command, _ = bench.answer(bench.state(2 * MS))
    assert [stamp(each) for each in bench.driver.commands] == [stamp(command)] == [2 * MS]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"contact_point": None}, "contact_point: expected three finite numbers, got [nan, nan,"),
        ({"contact_normal": None}, "contact_normal: expected three finite numbers, got [nan"),
        ({"contact_normal": [1.0, 0.0]}, "contact_normal: expected three finite numbers, got [1.0"),
        ({"contact_normal": [0.0, 0.0, 0.0]}, "normal"),
        ({"robot": "pandaa"}, "expected one of cassie, fr3, hrp4, panda"),
        ({"urdf": "nowhere.urdf"}, "no URDF file nowhere.urdf"),
        ({"joint_prefix": "left_"}, "left_joint1"),
    ],
)
def test_a_bad_configuration_fails_with_one_line_and_the_node_survives(
    make_bench, capfd, changes, line
):
    bench = make_bench(**changes)
    capfd.readouterr()
    for _ in range(2):
        assert bench.node.trigger_configure() == FAILURE
        err = capfd.readouterr().err
        assert line in err
        assert err.count("\n") == 1, err
    assert bench.node.trigger_shutdown() == OK


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        (
            "impact_limits",
            "careful",
            "expected one of auto, unaware, existential, joint_load, person, robust, nominal",
        ),
        ("interface", "effort", "expected one of torque, velocity, position, got 'effort'"),
        ("speed", -0.1, "parameter speed: expected a number from 0 to 10"),
        ("speed", NAN, "parameter speed: expected a number from 0 to 10"),
    ],
)
def test_a_value_out_of_range_is_refused_at_the_start(make_bench, name, value, line):
    with pytest.raises(Exception, match=line):
        make_bench(**{name: value})


@pytest.mark.parametrize("node", [ImpactQpNode, ImpactLearnerNode])
def test_a_node_that_is_refused_at_the_start_is_destroyed_in_order(make_bench, monkeypatch, node):
    made, module = [], sys.modules[node.__module__]

    def refuse(self, kind):
        made.append(self)
        raise ParameterError("speed", "refused")

    monkeypatch.setattr(module, "declare", refuse)
    with pytest.raises(ParameterError, match="refused"):
        node(context=make_bench().driver.context)
    made[0].destroy_node()


def test_a_corrected_parameter_takes_effect_at_the_next_configure(make_bench, capfd):
    bench = make_bench(contact_point=None)
    assert bench.node.trigger_configure() == FAILURE
    results = bench.node.set_parameters(
        [
            Parameter("contact_point", value=[0.5, 0.4, 0.7]),
            Parameter("impact_limits", value="existential"),
        ]
    )
    assert all(result.successful for result in results)
    _, status = bench.start().answer(bench.state(MS))
    assert status.impact_limits == ControllerStatus.IMPACT_LIMITS_EXISTENTIAL
    gap = status.gap

    (moved,) = bench.node.set_parameters([Parameter("contact_point", value=[0.55, 0.4, 0.7])])
    assert moved.successful
    assert bench.answer(bench.state(2 * MS))[1].gap == gap  # not before
    said = capfd.readouterr().err
    assert "contact_point: acts at the next configure, not before" in said
    assert "impact_limits: acts" not in said  # it was not configured then
    bench.node.trigger_deactivate()
    bench.node.trigger_cleanup()
    bench.rest(2)
    assert bench.start().answer(bench.state(3 * MS))[1].gap == pytest.approx(gap + 0.05)


def test_the_plan_can_be_set_and_the_robot_and_the_cap_cannot(make_bench):
    bench = make_bench()
    known = specifications(ControllerParameters)
    fixed = {name for name, item in known.items() if item.read_only}
    assert fixed == {
        *("robot", "urdf", "joint_prefix", "payload", "tool", "interface", "simulated"),
        *("speed_cap", "rate", "state_timeout", "max_consecutive_missed", "goal_may_widen"),
        "lockstep",
    }
    for item in known.values():
        assert item.read_only or "acts at the next configure" in item.description
    (cap,) = bench.node.set_parameters([Parameter("speed_cap", value=5.0)])
    assert not cap.successful
    for value, line in (
        ([0.0, -1.0], "friction: expected low,high or one number, each a number from 0 to 10"),
        ([0.3, 0.1], "friction: expected low,high, got [0.3, 0.1]"),
        ([0.3], "friction: expected low,high, got [0.3]"),
    ):
        (bad,) = bench.node.set_parameters([Parameter("friction", value=value)])
        assert not bad.successful
        assert line in bad.reason


def test_what_a_task_file_says_is_a_parameter_for_one_more_release(make_bench, capfd):
    assert len(specifications(ControllerParameters)) == 27
    bench = make_bench(preview=0.03)
    assert not bench.node.has_parameter("generators")
    bench.configure()
    assert bench.node._guarded.controller.plan.preview == 0.03
    line = "parameter preview: deprecated, set preview in the task file (parameter task)"
    assert capfd.readouterr().err.count(line) == 1


@pytest.mark.parametrize(("friction", "warned"), [(0.3, True), ([0.0, 0.3], False)])
def test_one_number_is_exact_friction_and_warned_of_where_that_is_faster(
    make_bench, capfd, friction, warned
):
    bench = make_bench(
        friction=friction, impact_limits="joint_load", contact_normal=[0.0, 0.0, 1.0]
    )
    bench.configure()
    low = friction if warned else 0.0
    assert bench.node.get_parameter("friction").value == [low, 0.3]
    assert ("friction: 0.3 is taken as exact" in capfd.readouterr().err) == warned


@pytest.mark.parametrize(("control", "warned"), [("", True), ("control: {kind: coasting}", False)])
def test_a_person_without_control_is_warned_of(make_bench, tmp_path, capfd, control, warned):
    file = tmp_path / "near.yaml"
    file.write_text(f"region: chest\n{control}\n")
    make_bench(person=str(file)).configure()
    line = "person: assumes a controller that does not push after contact"
    assert (line in capfd.readouterr().err) == warned


@pytest.mark.parametrize("limits", ["unaware", "existential", "nominal"])
def test_a_real_arm_is_not_moved_by_limits_that_some_impulse_exceeds(make_bench, limits, capfd):
    """Outside lockstep an arm is real unless a parameter says that it is simulated."""
    bench = make_bench(impact_limits=limits, simulated=False)
    assert bench.node.trigger_configure() != OK
    assert "expected one of auto, joint_load, robust on a real arm" in capfd.readouterr().err
    assert make_bench(impact_limits=limits).node.trigger_configure() == OK


def test_the_life_cycle_can_be_run_through_twice(make_bench):
    bench = make_bench()
    for cycle in range(2):
        bench.configure()
        for turn in range(2):
            assert bench.node.trigger_activate() == OK
            k = 1 + 10 * cycle + 5 * turn
            count = len(bench.driver.commands)
            _, status = bench.answer(bench.state(k * MS))
            assert status.mode == ControllerStatus.MODE_APPROACH
            assert bench.node.trigger_deactivate() == OK
            _, status = bench.answer(bench.state((k + 1) * MS))
            assert status.mode == ControllerStatus.MODE_HOLD
            bench.rest(count + 2)
            assert bench.unanswered(bench.state((k + 2) * MS))  # inactive, at rest: silent
        assert bench.node.trigger_cleanup() == OK
    assert bench.node.trigger_shutdown() == OK


def test_a_destroyed_node_leaves_no_service_behind(make_bench):
    """Who waits for the next controller would talk to a ghost."""
    bench = make_bench()
    bench.configure()
    client = bench.driver.create_client(ChangeState, "impact_qp/change_state")
    bench.spin(client.service_is_ready)
    bench.node.destroy_node()
    assert spin([bench.driver], until=lambda: not client.service_is_ready(), timeout=5.0) == (
        "condition"
    )


@pytest.mark.parametrize("ending", ["trigger_shutdown", "trigger_cleanup"])
@pytest.mark.parametrize("interface", ["torque", "velocity"])
def test_the_last_command_is_zero(make_bench, ending, interface):
    """A driver goes on with the last command that it was sent."""
    bench = make_bench(interface=interface).start()
    bench.answer(bench.state(7 * MS))
    if ending == "trigger_cleanup":
        assert bench.node.trigger_deactivate() == OK
    count = len(bench.driver.commands)
    assert getattr(bench.node, ending)() == OK
    command, status = bench.rest(count)
    assert list(command.values) == list(bench.driver.values[-1].data) == [0.0] * 7
    assert stamp(command) == stamp(status) == 7 * MS
    assert status.mode == ControllerStatus.MODE_STOPPED
    assert np.isnan([status.gap, status.normal_speed, status.speed_bound, status.slack]).all()
    assert bench.unanswered()


def test_a_position_interface_ends_with_its_last_position(make_bench):
    bench = make_bench(interface="position").start()
    command, _ = bench.answer(bench.state(7 * MS))
    assert command.interface == JointCommand.INTERFACE_POSITION
    np.testing.assert_allclose(command.values, bench.q, atol=1e-4)
    assert bench.node.trigger_shutdown() == OK
    assert bench.unanswered()  # the driver holds it


def test_a_position_interface_that_was_never_told_where_it_is_sends_nothing(make_bench):
    bench = make_bench(interface="position").start()
    bench.node.trigger_shutdown()
    bench.spin(lambda: bench.driver.status)
    bench.spin(timeout=QUIET)
    assert not bench.driver.commands and not bench.driver.values


@pytest.mark.parametrize("activated", [False, True])
def test_ending_what_never_moved_sends_nothing_unless_it_was_activated(make_bench, activated):
    bench = make_bench()
    bench.configure()
    if activated:
        assert bench.node.trigger_activate() == OK
    assert bench.node.trigger_shutdown() == OK
    bench.spin(timeout=QUIET)
    assert len(bench.driver.commands) == int(activated)


def test_a_deactivated_node_brakes_and_holds(bench):
    """The command falls to what holding needs; a moving arm is slowed down."""
    dq = np.array([0.2, -0.2, 0.1, 0.2, -0.3, 0.3, 0.2])
    bench.answer(bench.state(MS, bench.q - 1e-3 * dq, dq))
    bench.node.trigger_deactivate()
    for k in range(2, 5):  # this arm does not obey
        _, status = bench.answer(bench.state(k * MS, bench.q + (k - 2) * 1e-3 * dq, dq))
        assert status.mode == ControllerStatus.MODE_BRAKE
    desired = np.array(bench.driver.desired[-1].velocity)
    assert (desired - dq) @ dq < 0.0


def test_a_new_activation_keeps_to_the_torque_rate(bench, panda):
    step = panda.limits.torque_rate * 1e-3 + 1e-9
    for k in range(1, 8):
        last, _ = bench.answer(bench.state(k * MS))
    bench.node.trigger_deactivate()
    bench.node.trigger_activate()
    command, _ = bench.answer(bench.state(9 * MS))
    assert np.abs(np.array(last.values)).max() > 3.0
    assert np.all(np.abs(np.array(command.values) - last.values) <= step)


# --- bad input --------------------------------------------------------------------------------


def test_a_missing_joint_is_dropped_with_one_line_and_counted(bench, capfd):
    capfd.readouterr()
    for k in (1, 2, 3):
        assert bench.unanswered(bench.state(k * MS, order=range(6)))
    err = capfd.readouterr().err
    assert err.count("\n") == 1, err
    assert "joint_states dropped: expected joints panda_joint1" in err
    assert "missing panda_joint7" in err
    _, status = bench.answer(bench.state(4 * MS))
    assert status.dropped_inputs == 3


@pytest.mark.parametrize("bad", [NAN, float("inf"), -float("inf")])
@pytest.mark.parametrize("field", ["position", "velocity"])
def test_what_is_not_finite_is_dropped_and_the_next_state_answered(bench, capfd, field, bad):
    bench.answer(bench.state(MS))
    capfd.readouterr()
    message = bench.state(2 * MS)
    getattr(message, field)[3] = bad
    assert bench.unanswered(message)
    assert f"joint_states dropped: not finite: panda_joint4 {field}" in capfd.readouterr().err
    command, status = bench.answer(bench.state(3 * MS))
    assert (stamp(command), status.dropped_inputs) == (3 * MS, 1)
    assert np.all(np.isfinite(command.values))


@pytest.mark.parametrize("field", ["position", "velocity"])
def test_empty_and_short_arrays_are_dropped(bench, field):
    for k, count in enumerate((0, 3), 1):
        message = bench.state(k * MS)
        del getattr(message, field)[count:]
        assert bench.unanswered(message)
    assert bench.answer(bench.state(3 * MS))[1].dropped_inputs == 2


def test_bad_states_after_a_jump_of_the_clock_say_so_once(bench, capfd):
    bench.answer(bench.state(1000 * MS))
    capfd.readouterr()
    for k in range(1, 3):
        assert bench.unanswered(bench.state(k * MS, dq=np.full(7, NAN)))
    err = capfd.readouterr().err
    assert err.count("stopped: clock jumped back by 0.999 s") == 1
    assert err.count("\n") == 2, err


# --- time -------------------------------------------------------------------------------------


def test_in_lockstep_a_repeated_state_gets_the_identical_answer(make_bench):
    bench = make_bench(lockstep=True).start()
    bench.send(bench.verdict(5 * MS))
    first = bench.answer(bench.state(5 * MS))
    repeated = bench.state(5 * MS)
    repeated.velocity[0] = 0.3  # whatever it says
    assert repr(bench.answer(repeated)) == repr(first)  # NaN is not equal to itself
    assert bench.driver.desired[1] == bench.driver.desired[0]
    assert bench.driver.values[1] == bench.driver.values[0]


@pytest.mark.parametrize("rate", [1000.0, 200.0])
def test_what_can_wait_is_not_begun_late_in_a_cycle(make_bench, monkeypatch, rate):
    bench, until = make_bench(rate=rate).start(), []
    monkeypatch.setattr(bench.node._guarded.controller, "catch_up", until.append)
    before = perf_counter()
    bench.answer(bench.state(MS))
    assert before < until[0] - 0.4 / rate < perf_counter()


def test_in_lockstep_nothing_waits(make_bench, monkeypatch):
    bench, until = make_bench(lockstep=True).start(), []
    monkeypatch.setattr(bench.node._guarded.controller, "catch_up", until.append)
    bench.send(bench.verdict(MS))
    bench.answer(bench.state(MS))
    assert set(until) == {inf}


def test_a_clock_that_jumps_back_stops_until_activated_again(bench, capfd):
    bench.answer(bench.state(500 * MS))
    for k in (100, 101, 102, 700):
        command, status = bench.answer(bench.state(k * MS))
        assert status.mode == ControllerStatus.MODE_HOLD
        assert status.message == "clock jumped back by 0.400 s"
        assert stamp(command) == k * MS
    err = capfd.readouterr().err
    assert err.count("stopped: clock jumped back by 0.400 s; deactivate and activate to go") == 1
    bench.node.trigger_deactivate()
    assert bench.answer(bench.state(701 * MS))[1].mode == ControllerStatus.MODE_HOLD
    bench.node.trigger_activate()
    _, status = bench.answer(bench.state(1 * MS))  # older than all, and none of its business
    assert (status.mode, status.message) == (ControllerStatus.MODE_APPROACH, "")


@pytest.mark.parametrize("first", ["state", "verdict"])
def test_in_lockstep_the_answer_waits_for_the_verdict_on_its_state(make_bench, first):
    bench = make_bench(lockstep=True).start()
    for k in (1, 2, 3):
        messages = [bench.state(k * MS), bench.verdict(k * MS, impact=k == 3)]
        if first == "verdict":
            messages.reverse()
        assert bench.unanswered(messages[0])
        command, status = bench.answer(messages[1])
        assert stamp(command) == k * MS
    assert status.mode == ControllerStatus.MODE_COAST  # this very status counted
    assert len(bench.driver.commands) == 3


def test_in_lockstep_a_verdict_on_another_state_does_not_count(make_bench):
    bench = make_bench(lockstep=True).start()
    assert bench.unanswered(bench.state(2 * MS))
    assert bench.unanswered(bench.verdict(1 * MS))
    assert bench.unanswered(bench.state(2 * MS))  # sent again
    command, _ = bench.answer(bench.verdict(2 * MS))
    assert stamp(command) == 2 * MS
    assert bench.unanswered(bench.verdict(2 * MS))


@pytest.mark.parametrize(
    ("interface", "rate", "step"),
    [
        ("position", 200.0, 1.0),
        ("velocity", 200.0, 1.0),
        ("torque", 500.0, 1.0),
        ("position", 800.0, 1.0),
        ("position", 1000.0, 5.0),
        ("torque", 1000.0, 1.5),
    ],
)
def test_in_lockstep_a_rate_that_the_states_do_not_have_moves_nothing(
    make_bench, capfd, interface, rate, step
):
    """Each millisecond got the step of five: a Panda hit at 0.395 m/s instead of 0.078."""
    bench, last = make_bench(lockstep=True, interface=interface, rate=rate).start(), 0
    for k in range(1, 13):
        last = round(k * step * MS)
        bench.send(bench.verdict(last))
        command, status = bench.answer(bench.state(last))
        stands = bench.q if interface == "position" else np.zeros(7)
        if interface != "torque":
            np.testing.assert_allclose(command.values, stands, atol=1e-9)
        assert np.abs(bench.driver.desired[-1].velocity).max() < 1e-9
    line = (
        f"joint_states in lockstep: expected stamps {1e3 / rate:g} ms apart (rate {rate:g}),"
        f" got {step:g} ms; set rate to {1e3 / step:g}"
    )
    assert (status.mode, status.message) == (ControllerStatus.MODE_HOLD, line)
    assert capfd.readouterr().err.count(f"stopped: {line}") == 1
    assert bench.node.trigger_deactivate() == OK
    assert bench.node.trigger_activate() == FAILURE
    assert f"not activated: {line}" in capfd.readouterr().err


def test_in_lockstep_states_that_repeat_come_late_or_jump_back_are_no_wrong_rate(make_bench):
    bench = make_bench(lockstep=True).start()
    for k in (1, 2, 2, 3, 40, 41, 48, 49):
        bench.send(bench.verdict(k * MS))
        _, status = bench.answer(bench.state(k * MS))
        told = "waiting: the step of the states' stamps is not known" if k == 1 else ""
        assert (status.mode, status.message) == (ControllerStatus.MODE_APPROACH, told)
    for k in (5, 6):
        bench.send(bench.verdict(k * MS))
        _, status = bench.answer(bench.state(k * MS))
        assert status.message == "clock jumped back by 0.044 s"
    bench.node.trigger_deactivate()
    assert bench.node.trigger_activate() == OK
    bench.send(bench.verdict(7 * MS))
    _, status = bench.answer(bench.state(7 * MS))
    assert (status.mode, status.message) == (ControllerStatus.MODE_APPROACH, "")


def test_lockstep_has_no_watchdog(make_bench):
    bench = make_bench(lockstep=True, state_timeout=0.01).start()
    assert bench.unanswered()
    bench.send(bench.verdict(MS))
    assert bench.answer(bench.state(MS))[1].mode == ControllerStatus.MODE_APPROACH


# --- impact -----------------------------------------------------------------------------------


def test_an_impact_leads_through_coasting_and_retracting_to_holding(make_bench, panda):
    bench = make_bench(coast_time=0.03, retract_distance=0.05).start()
    step = panda.limits.torque_rate * 1e-3 + 1e-9
    modes, torques = [], []
    for k in range(1, 61):
        if k in (10, 20):
            bench.send(bench.verdict(k * MS, impact=k == 10))
        command, status = bench.answer(bench.state(k * MS))
        modes.append(status.mode)
        torques.append(command.values)
    torques = np.array(torques)
    retracts = modes.index(ControllerStatus.MODE_RETRACT)
    assert retracts - 9 == pytest.approx(30, abs=1)
    assert modes[:retracts] == [ControllerStatus.MODE_APPROACH] * 9 + [
        ControllerStatus.MODE_COAST
    ] * (retracts - 9)
    holds = len(modes) - retracts - 1  # the gap is 0.1 m all the time
    assert modes[retracts + 1 :] == [ControllerStatus.MODE_HOLD] * holds
    assert np.abs(np.diff(torques, axis=0)).max() <= step.max()
    assert np.abs(torques[8]).max() > 3.0
    np.testing.assert_allclose(torques[38], 0.0, atol=1e-9)
    assert np.all(np.abs(torques[9:39]) <= np.abs(torques[8]) + 1e-9)


def test_a_contact_is_announced_when_it_is_near_and_withdrawn_when_it_is_over(
    make_bench, panda, at_impact, contact
):
    bench = make_bench(coast_time=0.003).start()
    heard = bench.driver.announced

    def due(stamp, q, impact=False):
        bench.send(bench.verdict(stamp, impact=impact))
        bench.answer(bench.state(stamp, q=q))
        bench.spin(lambda: heard)
        return [not message.withdrawn for message in heard]

    assert due(1 * MS, bench.q) == [False] == due(2 * MS, bench.q)  # 0.1 m away, said once
    there = bench.move(3 * MS, at_impact.q, steps=1000)
    q = at_impact.q
    assert due(there, q) == [False, True] == due(there + MS, q)
    assert due(there + 2 * MS, q, impact=True) == due(there + 3 * MS, q, impact=True)
    for k in range(4, 8):
        due(there + k * MS, q, impact=True)
    bench.spin(lambda: len(heard) == 3)
    assert heard[2].withdrawn
    said = heard[1]
    assert 3 * MS < stamp(said) == to_nanoseconds(said.window_start) <= there
    assert to_nanoseconds(said.window_end) == 0 and said.header.frame_id == panda.base_frame
    assert said.contact.frame == panda.contact_frame
    normal = said.contact.normal
    np.testing.assert_allclose([normal.x, normal.y, normal.z], contact.rotation[:, 2])
    read = read_surface(said.contact)
    assert (read.friction, read.restitution) == (contact.friction, contact.restitution)


def test_what_ends_the_approach_withdraws_the_announcement(make_bench, at_impact):
    bench = make_bench().start()
    heard = bench.driver.announced
    bench.send(bench.verdict(MS))
    bench.answer(bench.state(MS, q=at_impact.q))
    bench.spin(lambda: [each.withdrawn for each in heard] == [False])
    bench.node.trigger_deactivate()
    bench.answer(bench.state(2 * MS, q=at_impact.q))
    bench.spin(lambda: [each.withdrawn for each in heard] == [False, True])


def test_an_arm_put_to_rest_withdraws_its_announcement(make_bench, at_impact):
    bench = make_bench().start()
    heard = bench.driver.announced
    bench.send(bench.verdict(MS))
    bench.answer(bench.state(MS, q=at_impact.q))
    bench.node.trigger_deactivate()
    bench.node.trigger_cleanup()
    bench.spin(lambda: [each.withdrawn for each in heard] == [False, True])


# --- silence ----------------------------------------------------------------------------------


def test_silent_states_bring_the_arm_to_rest_once_and_then_it_holds(make_bench, capfd):
    bench = make_bench(state_timeout=0.3).start()
    bench.send(bench.verdict(MS))
    bench.answer(bench.state(MS))
    command, status = bench.rest(1)
    assert list(command.values) == [0.0] * 7
    assert status.mode == ControllerStatus.MODE_STOPPED
    assert status.message.startswith("no joint state for ")
    count = len(bench.driver.commands)
    bench.spin(timeout=0.8)
    assert len(bench.driver.commands) == count  # once
    assert capfd.readouterr().err.count("stopped: no joint state") == 1
    cycle = bench.node._cycle
    hasty, cycle.state_timeout = cycle.state_timeout, 60.0  # a busy machine is no silence
    for k in (2, 3, 4):
        command, status = bench.answer(bench.state(k * MS))
        assert status.mode == ControllerStatus.MODE_HOLD
        assert status.message.startswith("no joint state for ")
    cycle.state_timeout = hasty
    command, status = bench.rest(count + 3)  # silent again: a driver would hold the last command
    assert list(command.values) == [0.0] * 7
    assert status.mode == ControllerStatus.MODE_STOPPED


@pytest.mark.parametrize("interface", ["torque", "velocity", "position"])
def test_the_way_to_rest_keeps_to_the_limits_of_the_arm(make_bench, panda, interface):
    """A step of a torque, velocity or position trips a real robot."""
    bench = make_bench(interface=interface).start()
    q = bench.q
    for k in range(1, 60):
        bench.send(bench.verdict(k * MS))
        command, _ = bench.answer(bench.state(k * MS, q, 0.0 * q))
        if interface == "position":
            q = np.array(command.values)  # a perfect arm
    moved = np.array(command.values)
    assert np.abs(moved if interface != "position" else moved - bench.q).max() > 1e-3
    bench.fall_silent()
    bench.spin(lambda: bench.driver.status[-1].mode == ControllerStatus.MODE_STOPPED)
    bench.spin(timeout=QUIET)
    values = np.array([each.values for each in bench.driver.commands])
    assert len(values) > 60
    limits, steps = panda.limits, np.diff(values, axis=0)
    if interface == "torque":
        assert np.all(np.abs(steps) <= limits.torque_rate * 1e-3)
    elif interface == "velocity":
        assert np.all(np.abs(steps) <= limits.acceleration * 1e-3 * (1 + 1e-9))
    else:
        assert np.all(np.abs(np.diff(steps, axis=0)) <= limits.acceleration * 1e-6 * 1.01)
        np.testing.assert_allclose(steps[-1], 0.0, atol=1e-5)
    if interface != "position":
        assert not values[-1].any()


def test_after_silence_the_torque_rate_counts_from_zero(make_bench, panda):
    bench = make_bench().start()
    for k in range(1, 8):
        bench.send(bench.verdict(k * MS))
        last, _ = bench.answer(bench.state(k * MS))
    assert np.abs(np.array(last.values)).max() > 3.0
    bench.fall_silent()
    bench.rest(7)
    command, _ = bench.answer(bench.state(100 * MS, dq=np.full(7, 0.2)))
    assert np.all(np.abs(command.values) <= panda.limits.torque_rate * 1e-3 + 1e-9)


def test_a_deactivated_node_sends_zero_when_the_states_fall_silent_too(make_bench, capfd):
    bench = make_bench().start()
    bench.send(bench.verdict(MS))
    bench.answer(bench.state(MS))
    bench.node.trigger_deactivate()
    bench.answer(bench.state(2 * MS))
    bench.fall_silent()
    command, status = bench.rest(2)
    assert list(command.values) == [0.0] * 7
    assert status.mode == ControllerStatus.MODE_STOPPED
    assert "stopped" not in capfd.readouterr().err  # it had stopped before


def test_a_stopped_node_sends_zero_when_the_states_fall_silent_too(make_bench):
    bench = make_bench().start()
    bench.send(bench.verdict(500 * MS))
    bench.answer(bench.state(500 * MS))
    _, status = bench.answer(bench.state(100 * MS))
    assert status.message == "clock jumped back by 0.400 s"
    bench.fall_silent()
    command, status = bench.rest(2)
    assert list(command.values) == [0.0] * 7
    assert status.message.startswith("no joint state for ")


def test_a_silent_detector_stops_the_approach_for_good(make_bench, capfd):
    bench = make_bench(state_timeout=10.0).start()
    bench.send(bench.verdict(MS))
    _, status = bench.answer(bench.state(MS))
    assert status.mode == ControllerStatus.MODE_APPROACH
    bench.node._cycle.inputs.status_time -= 11.0  # longer than the time-out
    for k in range(2, 400):
        _, status = bench.answer(bench.state(k * MS))
        if status.mode == ControllerStatus.MODE_HOLD:
            break
    assert status.mode == ControllerStatus.MODE_HOLD
    assert status.message.startswith("no detector status for ")
    bench.send(bench.verdict((k + 1) * MS))
    _, status = bench.answer(bench.state((k + 1) * MS))
    assert status.mode == ControllerStatus.MODE_HOLD
    assert capfd.readouterr().err.count("no detector status") == 1


def test_a_silent_driver_is_not_taken_for_a_silent_detector(make_bench):
    """The status of its last state may be missing, so the statuses end before the states."""
    bench = make_bench(state_timeout=10.0).start()
    bench.send(bench.verdict(MS))
    bench.answer(bench.state(MS))
    cycle = bench.node._cycle
    cycle.inputs.status_time -= 10.5
    cycle.inputs.state_time -= 5.0
    cycle.look()
    assert not cycle.fault
    cycle.inputs.state_time -= 6.0
    cycle.look()
    assert cycle.fault.startswith("no joint state for ")


def test_the_watchdog_runs_while_simulated_time_stands(make_bench):
    bench = make_bench(state_timeout=0.3, use_sim_time=True).start()
    command, status = bench.next(0)
    assert status.message.startswith("no joint state for ")
    assert list(command.values) == [0.0] * 7
