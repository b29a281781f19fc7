# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka node: what it asks of the loop, what it publishes, and how it ends for a fault."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from diagnostic_msgs.msg import DiagnosticStatus
from franka_bench import MS, OK, START, aimed
from open_goals import set_fields
from rclpy.action import ActionClient
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter

from impact_detector.signals.sample import Detection, DetectionStatus
from impact_drivers.exceptions import DriverError
from impact_drivers.franka.loop.loop_cycle import LoopCounts, LoopState
from impact_drivers.franka.memory.request import RequestKind
from impact_drivers.franka.memory.ring import SLOTS
from impact_msgs.action import ExecuteImpact, Touch
from impact_msgs.msg import ControllerStatus
from impact_qp.control.command import Command
from impact_qp.control.phases import Phase
from impact_qp.goals import goal as codes
from impact_ros.exceptions import ParameterError
from impact_ros.messages import to_nanoseconds

FAILURE = TransitionCallbackReturn.FAILURE
HOLD, GOAL, FINISH = RequestKind.HOLD, RequestKind.GOAL, RequestKind.FINISH
RECOVER, END, STOP = RequestKind.RECOVER, RequestKind.END, RequestKind.STOP
WITHDRAW = RequestKind.WITHDRAW


@pytest.fixture
def bench(make_bench):
    return make_bench()


@pytest.fixture
def goal(surface):
    """A goal at the surface of the parameters; z axis along its normal."""
    return aimed(ExecuteImpact.Goal(), surface["contact_point"])


def command(phase=Phase.HOLD, **changes):
    """A command with another number everywhere."""
    arrays = np.arange(49.0).reshape(7, 7)
    numbers = {"slack": 0.0, "normal_speed": -0.07, "speed_bound": 0.08, "gap": 0.02}
    names = {"active": ("torque: fr3_joint2",), "relaxed": (), "due": False}
    return Command(*arrays, phase, **(names | numbers | changes))


def detection_status(impact=False):
    return DetectionStatus(0, 3.0, 15.0, True, impact, None, None, "fused", None, 2)


def stamp(message):
    return to_nanoseconds(message.header.stamp)


# --- what is asked of the loop ------------------------------------------------------------------


def test_nothing_is_commanded_before_the_activation_and_after_the_deactivation(bench):
    bench.configure()
    assert bench.loop.asked == []
    assert bench.node.trigger_activate() == OK
    assert bench.loop.asked == [HOLD]
    assert bench.node.trigger_deactivate() == OK
    assert bench.node.trigger_cleanup() == OK
    assert bench.loop.asked == [HOLD, FINISH, END]
    assert not bench.loop.is_alive


def test_a_shutdown_lets_the_arm_brake_and_says_how_the_loop_ran(bench, capfd):
    bench.activate()
    assert bench.node.trigger_shutdown() == OK
    assert bench.loop.asked[-1] == END
    assert "loop: p99 250 us: fast enough" in capfd.readouterr().err


def test_a_loop_that_does_not_end_is_ended(make_bench):
    bench = make_bench(answer_timeout=0.1).activate()
    bench.loop.deaf = True
    assert bench.node.trigger_deactivate() == OK
    assert bench.node.trigger_cleanup() == OK
    assert not bench.loop.is_alive


def test_the_node_says_that_it_lives_for_as_long_as_it_is_served(bench):
    bench.configure()
    beats = bench.loop.beats
    bench.spin(lambda: bench.loop.beats > beats + 5)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"address": ""}, "address: expected that of the arm, got ''"),
        ({"contact_point": None}, "contact_point: expected three finite numbers, got [nan, nan,"),
        ({"urdf": "nowhere.urdf"}, "no URDF file nowhere.urdf"),
    ],
)
def test_a_bad_configuration_fails_with_one_line_and_starts_no_loop(
    make_bench, capfd, changes, line
):
    bench = make_bench(**changes)
    capfd.readouterr()
    for _ in range(2):
        assert bench.node.trigger_configure() == FAILURE
        err = capfd.readouterr().err
        assert line in err and err.count("\n") == 1, err
    assert bench.loop is None


@pytest.mark.parametrize("error", [DriverError("late"), ZeroDivisionError("a defect")])
def test_a_configuration_that_fails_late_ends_the_loop(bench, monkeypatch, error, capfd):
    def fails(*_arguments):
        raise error

    monkeypatch.setattr(bench.node._goals, "configure", fails)
    assert bench.node.trigger_configure() != OK
    assert str(error) in capfd.readouterr().err
    assert not bench.loop.is_alive
    monkeypatch.undo()
    bench.configure()


def test_a_parameter_changed_while_configured_acts_later_and_the_node_says_so(bench, capfd):
    moved = Parameter("contact_point", value=[0.5, 0.4, 0.7])
    bench.node.set_parameters([moved])
    assert "acts at the next configure" not in capfd.readouterr().err
    bench.configure()
    bench.node.set_parameters([moved])
    assert "contact_point: acts at the next configure, not before" in capfd.readouterr().err


def test_a_goal_that_the_loop_took_just_before_a_deactivation_does_not_take_over(bench, goal):
    bench.activate()
    sent = bench.listener.goals.send_goal_async(goal)
    bench.spin(sent.done)
    goals = bench.node._goals
    bench.spin(lambda: goals._pending and goals._pending[0].number)
    bench.loop.step()
    bench.node._look()  # it is answered; its task waits in the executor
    assert bench.node.trigger_deactivate() == bench.node.trigger_activate() == OK
    result = bench.result(sent.result().get_result_async())
    assert (result.code, result.message) == (codes.NOT_FEASIBLE, "deactivated meanwhile")
    assert goals.idle


def test_too_few_numbers_are_an_error_of_the_start(make_bench):
    with pytest.raises(DriverError, match="torque_thresholds: expected 7 numbers, got 1"):
        make_bench(torque_thresholds=[20.0])


def test_an_arm_that_cannot_be_controlled_is_not_configured(make_bench, fr3, stance, capfd):
    from franka_bench import ScriptedLoop

    def refused(settings):
        loop = ScriptedLoop(settings, fr3, stance)
        loop.die("arm: expected mode Idle without errors, got Reflex (joint_reflex)")
        return loop

    bench = make_bench(refused)
    assert bench.node.trigger_configure() == FAILURE
    assert "the loop has ended: arm: expected mode Idle without errors" in capfd.readouterr().err


def test_an_arm_that_refuses_torque_control_is_not_activated(bench, capfd):
    bench.configure()
    bench.loop.refusal = "arm: expected mode Idle without errors, got UserStopped"
    assert bench.node.trigger_activate() == FAILURE
    assert "not activated: arm: expected mode Idle" in capfd.readouterr().err
    bench.loop.refusal = ""
    assert bench.node.trigger_activate() == OK


def test_a_loop_that_does_not_answer_is_not_active_and_does_not_become_it_later(make_bench, capfd):
    bench = make_bench(answer_timeout=0.1).configure()
    bench.loop.deaf = True
    assert bench.node.trigger_activate() == FAILURE
    assert "not activated: no answer within 0.1 s" in capfd.readouterr().err
    bench.loop.deaf = False
    bench.loop.step()
    assert bench.loop.asked == [FINISH]


def test_errors_are_cleared_only_when_nothing_is_commanded(bench):
    bench.spin(lambda: bench.listener.is_matched)
    assert bench.recover().message == "expected a configured node"
    bench.configure()
    assert bench.recover().success
    bench.node.trigger_activate()
    answer = bench.recover()
    assert (answer.success, answer.message) == (
        False,
        "expected an inactive node: deactivate it first",
    )
    bench.node.trigger_deactivate()
    bench.loop.refusal = "arm: cannot recover in mode UserStopped"
    assert bench.recover().message == "arm: cannot recover in mode UserStopped"
    assert bench.loop.asked == [RECOVER, HOLD, FINISH, RECOVER]


# --- what is published --------------------------------------------------------------------------


def test_states_are_published_from_the_configuration_on(bench, fr3):
    bench.configure()
    tau, first = 0.1 * np.arange(7.0), bench.loop.number
    bench.loop.step(300, tau=tau, dq=-tau)
    bench.spin(lambda: len(bench.heard["joint_states"]) >= first + 300)
    states = bench.heard["joint_states"]
    assert [stamp(each) for each in states] == [START + k * MS for k in range(1, len(states) + 1)]
    assert tuple(states[-1].name) == fr3.joint_names
    np.testing.assert_array_equal(states[-1].position, bench.loop.q)
    np.testing.assert_array_equal(states[-1].velocity, -tau)
    np.testing.assert_array_equal(states[-1].effort, tau)
    assert not bench.heard["impact_qp/status"] and not bench.heard["impact_qp/command"]


def test_an_answer_is_published_as_the_suites_controller_and_detector_do(bench, fr3):
    bench.activate()
    sent, answer = np.full(7, 0.5), command(Phase.HOLD)
    counts, now = LoopCounts(5, 1, 2, 3), START + (bench.loop.number + 1) * MS
    bench.loop.step(
        answer=answer,
        sent=sent,
        status=detection_status()._replace(time=now),
        counts=counts,
        solve_time=1e-4,
        cycle_time=2e-4,
    )
    status = bench.hear("impact_qp/status")
    messages = [bench.hear(f"impact_qp/{name}") for name in ("command", "desired_joint_states")]
    judged = bench.hear("impact_detector/status")
    assert {stamp(each) for each in (status, judged, *messages)} == {now}
    np.testing.assert_array_equal(messages[0].values, sent)
    assert not messages[0].includes_gravity
    np.testing.assert_array_equal(messages[1].effort, answer.reference_torque)
    np.testing.assert_array_equal(messages[1].velocity, answer.velocity)
    assert status.mode == ControllerStatus.MODE_IDLE, "no goal came yet"
    assert status.impact_limits == ControllerStatus.IMPACT_LIMITS_ROBUST
    assert (status.gap, status.normal_speed, status.speed_bound) == (0.02, -0.07, 0.08)
    assert (status.solve_time, status.cycle_time) == (1e-4, 2e-4)
    assert (status.infeasible_cycles, status.missed_cycles, status.dropped_inputs) == (3, 1, 2)
    assert list(status.active_constraints) == ["torque: fr3_joint2"]
    assert (judged.statistic, judged.threshold, judged.suppressed) == (3.0, 15.0, 2)


def test_an_impact_is_published_once_and_estimated_as_by_the_detector(bench):
    bench.activate()
    before, after = {"dq": np.full(7, -0.1)}, {"dq": np.full(7, 0.05)}
    bench.loop.step(100, answer=command(Phase.APPROACH), status=detection_status(), **before)
    now = START + (bench.loop.number + 1) * MS
    found = Detection("fused", now - 2 * MS, now, 20.0, 15.0)
    hit = {"detection": found, "detections": 1, "status": detection_status(impact=True)}
    bench.loop.step(300, answer=command(Phase.COAST), **hit, **after)
    event, estimate = bench.hear("impact_detector/impact"), bench.hear("impact_detector/estimate")
    assert (stamp(event), to_nanoseconds(event.impact_time)) == (now, now - 2 * MS)
    assert (event.statistic, event.threshold) == (20.0, 15.0)
    np.testing.assert_allclose(estimate.velocity_before, -0.1, atol=1e-6)
    assert stamp(estimate) == now + 100 * MS
    assert [len(bench.heard[f"impact_detector/{name}"]) for name in ("impact", "estimate")] == [
        1,
        1,
    ]


def test_an_impact_in_a_cycle_that_was_lost_is_still_published(bench):
    bench.activate()
    now = START + (bench.loop.number + 1) * MS
    hit = {"detection": Detection("fused", now, now, 20.0, 15.0), "detections": 1}
    bench.loop.step(SLOTS + 500, **hit)
    assert stamp(bench.hear("impact_detector/impact")) == now


def test_what_is_due_is_announced(bench, goal):
    bench.activate()
    future = bench.begin(goal, answer=command(Phase.APPROACH), status=detection_status())
    bench.loop.step(answer=command(Phase.APPROACH, due=False), status=detection_status())
    bench.loop.step(answer=command(Phase.APPROACH, due=True), status=detection_status())
    due = bench.hear("impact_qp/announcement", lambda each: not each.withdrawn)
    assert stamp(due) == START + bench.loop.number * MS
    assert due.contact.normal.x == pytest.approx(-1.0)
    assert not future.done()


def test_lost_cycles_are_counted_and_told(bench):
    bench.configure()
    bench.loop.step(SLOTS + 100)
    status = bench.diagnosis(lambda status: status.level == DiagnosticStatus.WARN)
    assert "cycles lost in transfer" in status.message
    values = {each.key: each.value for each in status.values}
    assert int(values["cycles lost in transfer"]) >= 100


# --- goals --------------------------------------------------------------------------------------


def test_a_goal_reaches_the_loop_and_its_end_the_client(bench, goal):
    bench.activate()
    goal.speed, goal.timeout = 0.06, 5.0
    future = bench.begin(goal, answer=command(Phase.APPROACH), status=detection_status())
    bench.loop.step(3, answer=command(Phase.APPROACH, due=True), status=detection_status())
    assert bench.loop.asked == [HOLD, GOAL]
    assert bench.loop.plan.speed == 0.06
    np.testing.assert_allclose(bench.loop.plan.contact.normal, [-1, 0, 0], atol=1e-12)
    bench.loop.step(answer=command(Phase.COAST, due=True), status=detection_status(impact=True))
    bench.loop.step(1100, answer=command(Phase.HOLD), status=detection_status())
    result = bench.result(future)
    assert (result.code, result.message) == (codes.OK, "no estimate of the impact came")
    assert (result.contact_speed, result.speed_bound) == (0.07, 0.08)
    assert ControllerStatus.MODE_HOLD in {each.mode for each in bench.heard["impact_qp/status"]}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"speed": 0.2}, "speed: expected above 0 up to speed_cap 0.1 m/s, got 0.2"),
        ({"impact_limits": "brave"}, "impact_limits: expected one of"),
        ({"after": 9}, "after: expected 0 to 3, got 9"),
        ({"friction_high": 0.1}, "friction_high: expected at least the node's 0.3"),
    ],
)
def test_a_goal_beyond_the_parameters_never_reaches_the_loop(bench, goal, changes, line):
    bench.activate()
    set_fields(goal, **changes)
    result = bench.result(bench.send(goal))
    assert result.code == codes.BAD_GOAL
    assert line in result.message
    assert bench.loop.asked == [HOLD]


def test_a_touch_is_refused_with_what_to_use_instead(bench):
    bench.activate()
    client = ActionClient(bench.listener, Touch, "impact_qp/touch")
    bench.spin(client.server_is_ready)
    sent = client.send_goal_async(Touch.Goal(force=20.0))
    bench.spin(sent.done)
    result = bench.result(sent.result().get_result_async())
    assert (result.success, result.code) == (False, codes.BAD_GOAL)
    assert "use the node impact_qp with franka_ros2" in result.message
    assert bench.loop.asked == [HOLD]


def test_a_goal_needs_an_active_node(bench, goal):
    bench.configure()
    result = bench.result(bench.send(goal))
    assert (result.code, result.message) == (codes.INACTIVE, "activate the controller first")


def test_a_goal_that_the_loop_refuses_is_aborted(bench, goal):
    bench.activate()
    bench.loop.refusal = "success rate 0.90, expected above 0.95 before an approach"
    future = bench.decide(goal, answer=command(), status=detection_status())
    result = bench.result(future)
    assert (result.code, result.message) == (codes.NOT_FEASIBLE, bench.loop.refusal)


@pytest.mark.parametrize("limits", ["unaware", "existential", "nominal"])
def test_limits_that_leave_an_impulse_unbounded_are_no_parameter_of_an_fr3(make_bench, limits):
    line = "impact_limits: expected one of auto, joint_load, robust, got"
    with pytest.raises(ParameterError, match=line):
        make_bench(impact_limits=limits)


@pytest.mark.parametrize("limits", ["unaware", "existential", "nominal"])
def test_nor_of_a_goal_even_one_that_may_widen(make_bench, goal, limits):
    bench = make_bench(goal_may_widen=True).activate()
    goal.impact_limits = limits
    result = bench.result(bench.send(goal))
    assert result.code == codes.BAD_GOAL and result.message.startswith("impact_limits: expected ")
    assert bench.loop.asked == [HOLD]


@pytest.fixture
def running(bench, goal):
    """A goal that the loop carries out: the bench, and the future of its result."""
    bench.activate()
    return bench, bench.begin(goal, answer=command(Phase.APPROACH), status=detection_status())


def goes_on(bench, future):
    """Tell whether the first goal is still carried out, by the loop and for its client."""
    bench.loop.step(2, answer=command(Phase.APPROACH), status=detection_status())
    bench.heard["impact_qp/status"].clear()
    bench.hear("impact_qp/status")
    return not future.done() and STOP not in bench.loop.asked and bench.loop.begun == 2


def test_a_goal_that_the_loop_refuses_leaves_the_running_one_alone(running, goal):
    bench, first = running
    bench.loop.refusal = "too fast to begin"
    second = bench.decide(goal, answer=command(Phase.APPROACH), status=detection_status())
    result = bench.result(second)
    assert (result.code, result.message) == (codes.NOT_FEASIBLE, "too fast to begin")
    assert goes_on(bench, first)


def test_a_goal_that_the_node_refuses_leaves_the_running_one_alone(running, goal):
    bench, first = running
    goal.speed = 0.3
    assert bench.result(bench.send(goal)).code == codes.BAD_GOAL
    assert goes_on(bench, first) and bench.loop.asked == [HOLD, GOAL]


def test_the_running_goal_ends_once_the_loop_has_begun_the_next_and_not_before(running, goal):
    bench, first = running
    bench.loop.deaf = True
    second = bench.send(goal)
    bench.loop.step(50, answer=command(Phase.APPROACH), status=detection_status())
    bench.spin(lambda: bench.node._goals._pending[0].number > 0)
    assert not first.done() and not second.done()
    bench.loop.deaf = False
    bench.loop.step(answer=command(Phase.APPROACH), status=detection_status())
    result = bench.result(first)
    assert (result.code, result.message) == (codes.PREEMPTED, "another goal came")
    assert not second.done() and bench.node._goals.server.run is not None
    assert STOP not in bench.loop.asked


def test_a_goal_that_is_cancelled_before_the_loop_takes_it_leaves_the_running_one_alone(
    running, goal
):
    bench, first = running
    bench.loop.deaf = True
    second = bench.send(goal)
    bench.spin(lambda: bench.node._goals._pending[0].number > 0)
    cancelled = bench.handle.cancel_goal_async()
    assert bench.result(second).code == codes.CANCELED
    bench.spin(cancelled.done)
    bench.spin(lambda: not bench.node._goals._pending)  # withdrawn before the loop looks
    bench.loop.deaf = False
    bench.spin(lambda: bench.loop.obey() or bench.loop.asked[-1] is WITHDRAW)
    assert goes_on(bench, first)


def test_a_stop_of_the_running_goal_does_not_swallow_the_next(running, goal):
    """The memory holds one request: what took its place is asked once more."""
    bench, first = running
    handle, bench.loop.deaf = bench.handle, True
    second = bench.send(goal)
    bench.spin(lambda: bench.node._goals._pending[0].number > 0)
    cancelled = handle.cancel_goal_async()
    bench.spin(cancelled.done)
    bench.loop.step(answer=command(Phase.APPROACH), status=detection_status())
    assert bench.result(first).code == codes.CANCELED and not second.done()
    bench.loop.deaf = False
    bench.loop.step(answer=command(Phase.BRAKE), status=detection_status())
    bench.spin(lambda: bench.loop.obey() or bench.loop.asked[-1] is GOAL)
    assert bench.loop.asked == [HOLD, GOAL, STOP, GOAL]
    bench.loop.step(answer=command(Phase.APPROACH), status=detection_status())
    bench.spin(lambda: bench.node._goals.server.run is not None)
    assert not second.done()


def test_a_goal_that_the_loop_does_not_decide_on_is_refused_in_the_end(make_bench, goal):
    bench = make_bench(answer_timeout=0.2).activate()
    bench.loop.deaf = True
    result = bench.result(bench.send(goal))
    assert (result.code, result.message) == (
        codes.NOT_FEASIBLE,
        "the loop has not begun the goal within 0.2 s",
    )
    bench.loop.deaf = False
    bench.spin(lambda: bench.loop.obey() or bench.loop.asked[-1] is not HOLD)
    assert bench.loop.asked == [HOLD, WITHDRAW]


def test_a_goal_is_not_begun_from_a_state_that_is_old(bench, goal):
    bench.activate()
    supervisor = bench.node._supervisor
    supervisor.cycle = supervisor.cycle._replace(reported=1)
    result = bench.result(bench.send(goal))
    assert result.code == codes.INPUT_LOST and "the last state of the arm is " in result.message
    assert bench.loop.asked == [HOLD]


def test_a_goal_that_waits_for_its_motion_and_is_refused_then_has_failed(running, goal):
    """Collision thresholds change between two motions; the next may not settle."""
    bench, _ = running
    second = bench.decide(goal, answer=command(Phase.HOLD), status=detection_status(), begun=2)
    bench.spin(lambda: bench.node._goals.present == 3)
    bench.loop.step(
        answer=command(Phase.HOLD), status=detection_status(), begun=2, refusal="no success"
    )
    result = bench.result(second)
    assert (result.code, result.message) == (codes.NOT_FEASIBLE, "no success")


def test_a_goal_that_waits_for_its_motion_can_be_cancelled(running, goal):
    bench, _ = running
    second = bench.decide(goal, answer=command(Phase.HOLD), status=detection_status(), begun=2)
    bench.spin(lambda: bench.node._goals.present == 3)
    cancelled = bench.handle.cancel_goal_async()
    bench.spin(cancelled.done)
    bench.loop.step(answer=command(Phase.HOLD), status=detection_status(), begun=2)
    assert bench.result(second).code == codes.CANCELED
    bench.spin(lambda: bench.loop.obey() or bench.loop.asked[-1] is STOP)


def test_a_change_of_thresholds_is_neither_a_stop_nor_silence(make_bench, goal):
    bench = make_bench(state_timeout=0.05).activate()
    bench.heard["impact_qp/status"].clear()
    bench.loop.state = LoopState.CHANGING
    bench.loop.step(answer=None)
    bench.spin(lambda: bench.node._supervisor.age > 0.2)
    assert bench.node._supervisor.fault == ""
    assert not bench.heard["impact_qp/status"]


def test_a_loop_that_dies_when_it_is_to_end_has_its_thresholds_lowered(bench, monkeypatch):
    bench.activate()
    monkeypatch.setattr(bench.loop, "obey", lambda: bench.loop.die("killed"))
    bench.node.trigger_shutdown()
    assert bench.loop.restored


def test_a_dead_loop_has_its_thresholds_lowered_or_it_is_said_that_they_may_be_raised(bench, capfd):
    bench.activate()
    bench.loop.restoring = None
    die(bench)
    bench.spin(lambda: bench.loop.restored > 3)
    assert "thresholds" not in capfd.readouterr().err
    bench.loop.restoring = "arm at fr3.local: no route to host"
    line = "the collision thresholds are still raised, recover or configure again: arm at fr3.local"
    err = []
    bench.spin(lambda: err.append(capfd.readouterr().err) or line in "".join(err))
    asked = bench.loop.restored
    bench.node.trigger_deactivate()
    bench.node.trigger_cleanup()
    assert bench.loop.restored == asked, "once"


def test_cancelling_brakes(bench, goal):
    bench.activate()
    future = bench.begin(goal, answer=command(Phase.APPROACH), status=detection_status())
    bench.loop.step(2, answer=command(Phase.APPROACH), status=detection_status())
    cancelled = bench.handle.cancel_goal_async()
    bench.spin(cancelled.done)
    bench.loop.step(2, answer=command(Phase.APPROACH), status=detection_status())
    assert bench.result(future).code == codes.CANCELED
    bench.loop.step()
    assert bench.loop.asked == [HOLD, GOAL, STOP]


def test_a_goal_without_contact_in_time_brakes(bench, goal):
    bench.activate()
    goal.timeout = 0.05
    future = bench.begin(goal, answer=command(Phase.APPROACH), status=detection_status())
    bench.loop.step(60, answer=command(Phase.APPROACH), status=detection_status())
    assert bench.result(future).code == codes.TIMEOUT
    bench.loop.step()
    assert bench.loop.asked[-1] == STOP


def test_a_deactivation_takes_over_from_a_goal(bench, goal):
    bench.activate()
    future = bench.begin(goal, answer=command(Phase.APPROACH), status=detection_status())
    bench.loop.step(2, answer=command(Phase.APPROACH), status=detection_status())
    assert bench.node.trigger_deactivate() == OK
    assert bench.result(future).code == codes.PREEMPTED
    assert bench.loop.asked == [HOLD, GOAL, FINISH]


# --- faults -------------------------------------------------------------------------------------


def fail(bench):
    bench.loop.state = LoopState.FAULT
    bench.loop.step(answer=None, fault="motion ended: Reflex joint_reflex", errors="joint_reflex")
    return "motion ended: Reflex joint_reflex"


def die(bench):
    bench.loop.die("killed")
    return "the loop has ended: killed (status 1)"


@pytest.fixture
def often_diagnosed(monkeypatch):
    """Let the node publish its diagnostics ten times a second, not once."""
    monkeypatch.setattr("impact_drivers.franka.node.REPORT", 0.1)


@pytest.mark.usefixtures("often_diagnosed")
@pytest.mark.parametrize("happens", [fail, die])
def test_a_fault_ends_the_goal_and_is_told_everywhere(bench, goal, happens):
    bench.activate()
    future = bench.begin(goal, answer=command(Phase.APPROACH), status=detection_status())
    bench.loop.step(2, answer=command(Phase.APPROACH), status=detection_status())
    reason = happens(bench)
    result = bench.result(future)
    assert (result.code, result.message) == (codes.INPUT_LOST, reason)
    stopped = ControllerStatus.MODE_STOPPED
    assert bench.hear("impact_qp/status", lambda each: each.mode == stopped).message == reason
    told = bench.diagnosis(lambda status: status.level == DiagnosticStatus.ERROR)
    assert told.message == reason
    again = bench.result(bench.send(goal))
    assert (again.code, again.message) == (codes.INACTIVE, reason)


def test_after_a_reflex_the_arm_is_used_again_only_by_request(bench, goal):
    bench.activate()
    fail(bench)
    bench.spin(lambda: bench.loop.obey() or bench.loop.asked[-1] == FINISH)
    bench.loop.state = LoopState.FAULT
    assert bench.node.trigger_deactivate() == OK
    assert bench.recover().success
    assert bench.node.trigger_activate() == OK
    future = bench.begin(goal, answer=command(Phase.APPROACH), status=detection_status())
    bench.loop.step(2, answer=command(Phase.APPROACH), status=detection_status())
    assert bench.loop.asked[-3:] == [RECOVER, HOLD, GOAL]
    assert not future.done()


def test_a_loop_that_has_died_is_not_activated_but_started_anew(bench, capfd):
    bench.activate()
    die(bench)
    assert bench.node.trigger_deactivate() == OK
    assert bench.node.trigger_activate() == FAILURE
    assert "not activated: the loop has ended; clean up and configure" in capfd.readouterr().err
    assert bench.node.trigger_cleanup() == OK
    dead = bench.loop
    assert bench.node.trigger_configure() == OK
    assert bench.loop is not dead and bench.node.trigger_activate() == OK


def test_a_reflex_at_the_moment_of_a_request_neither_delays_nor_hides(bench, capfd):
    bench.activate()
    bench.loop.step(2, answer=command(), status=detection_status())
    bench.loop.step(fault="motion ended: Reflex joint_reflex")  # not read yet
    assert bench.node.trigger_deactivate() == OK
    err = capfd.readouterr().err
    assert "deactivated: motion ended: Reflex joint_reflex" in err and "no answer" not in err
    assert bench.node.trigger_activate() == OK
    bench.loop.step(fault="motion ended: Reflex joint_reflex")
    assert bench.node.trigger_shutdown() == OK
    assert bench.loop.asked[-1] == END and "Reflex" in capfd.readouterr().err


def test_a_loop_that_falls_silent_is_a_fault_and_is_asked_to_finish(make_bench, goal):
    bench = make_bench(state_timeout=0.05).activate()
    bench.heard["impact_qp/status"].clear()
    status = bench.hear("impact_qp/status")
    assert status.message.startswith("no state of the arm for ")
    bench.loop.step()
    assert bench.loop.asked == [HOLD, FINISH]


def test_states_that_are_not_numbers_are_published_as_they_are(bench):
    bench.activate()
    nothing = np.full(7, np.nan)
    bench.loop.step(2, tau=nothing, answer=command(), status=detection_status())
    last = START + bench.loop.number * MS
    state = bench.hear("joint_states", lambda each: stamp(each) == last)
    assert np.isnan(state.effort).all()


def test_a_cycle_that_cannot_be_dealt_with_stops_the_arm(bench, goal, monkeypatch, capfd):
    bench.activate()
    future = bench.begin(goal, answer=command(Phase.APPROACH), status=detection_status())

    def fail(cycle, status):
        raise ValueError("of the node itself")

    monkeypatch.setattr(bench.node._goals, "watch", fail)
    bench.loop.step(2, answer=command(Phase.APPROACH), status=detection_status())
    result = bench.result(future)
    line = "cycle dropped: ValueError: of the node itself"
    assert (result.code, result.message) == (codes.INPUT_LOST, line)
    bench.loop.step()
    assert bench.loop.asked[-1] == FINISH


def test_an_error_within_a_transition_ends_the_loop(bench, monkeypatch, capfd):
    bench.configure()

    def fail():
        raise ValueError("of the node itself")

    monkeypatch.setattr(bench.node._goals, "reset", fail)
    assert bench.node.trigger_activate() != OK
    assert bench.loop.asked == [END] and not bench.loop.is_alive
    monkeypatch.undo()
    assert bench.node.trigger_configure() == OK and bench.node.trigger_activate() == OK
