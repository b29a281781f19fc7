# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A goal of an arm with a hammer: its line, its speed, and every way in which it ends."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from followed_strike import SPEED, TOOL, WINDOW, approach_of, follow

from impact_predictor.strike.strike_plan import plan_strike
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_qp.exceptions import ControlError
from impact_qp.goals.goal import NOT_FEASIBLE, OK, TIMEOUT, UNEXPECTED_IMPACT
from impact_qp.goals.planner import Planner
from impact_qp.strike.series_run import Follow, SeriesRun
from impact_qp.strike.strike_approach import bounded_strike
from impact_qp.strike.strike_goal import StrikeTask, begun_strike, start_refusal
from impact_qp.strike.strike_line import StrikeLine
from impact_qp.strike.strike_record import StrikeRows
from impact_qp.strike.strike_run import StrikeRun
from impact_robots import ArmDynamics
from impact_robots.kinematics import inverse_kinematics
from impact_robots.tools.target import HardStop, Nail, Target, Wish

OFF = replace(TOOL, off_centre=2e-3, off_angle=0.02)
CAP = 1.0  # of the node [m/s]
AMOUNT = 1.0  # to be delivered [N.s]
RAMPED = 25  # cycles in which torques come to those of gravity, 1 N.m each


@pytest.fixture(scope="module")
def approach(panda):
    return approach_of(panda)


def plan_of(approach, **changes):
    return Plan(approach.contact, "robust", speed_cap=CAP, retract_speed=0.3, **changes)


def line_of(approach, beside=0.0):
    beside = np.array([beside, 0.0, 0.0])
    return StrikeLine.of(OFF, approach.point.position + beside, approach.surface.normal)


def struck(approach, line, plan=None):
    plan = plan_of(approach) if plan is None else plan
    return bounded_strike(approach, SPEED, WINDOW, plan, line)


def run_of(controller, rows, impact=lambda command: False):
    """The end of a goal whose controller has answered states, and in which phase it came."""
    run = StrikeRun(
        controller.robot, controller.plan, 10.0, controller=controller, gives=True, promised=0.5
    )
    for stamp, (command, q, dq) in enumerate(rows):
        end = run.add(stamp * 1_000_000, q, dq, command, impact(command))
        if end is not None:
            return end, command.phase
    return None, None


def test_the_head_and_its_axis_come_to_the_line(approach):
    line = line_of(approach, 1.5e-3)
    controller = struck(approach, line)
    seen = []
    follow(controller, approach.start, impact=lambda *_: seen.append(controller.motion.off))
    assert seen[1].centre == pytest.approx(1.5e-3, rel=0.05)
    assert controller.motion.off.centre < 0.8e-3 and controller.motion.off.angle < 0.01
    assert not controller.motion.problem


def test_an_arm_beside_the_line_or_askew_begins_nothing(approach):
    still = ArmDynamics(approach.robot)(approach.start, np.zeros(7))
    assert start_refusal(line_of(approach), still) is None
    beside = start_refusal(line_of(approach, 3.2e-3), still)
    assert beside.code == NOT_FEASIBLE
    assert beside.message == (
        "head 3.2 mm beside the line, axis 0.000 rad off it; planned for at most 2 mm and 0.02 rad"
    )
    turned = SimpleNamespace(
        position=still.position,
        velocity=still.velocity,
        rotation=_turned(still.rotation, 0.05),
    )
    askew = start_refusal(line_of(approach), turned)
    assert askew.code == NOT_FEASIBLE and "axis 0.050 rad off it" in askew.message
    behind = start_refusal(
        replace(line_of(approach), point=still.position - [0.0, 0.0, -0.01]), still
    )
    assert behind.message == "the head is 0.010 m behind what it is to strike"
    moving = ArmDynamics(approach.robot)(approach.start, np.full(7, 0.1))
    assert "expected an arm at rest" in start_refusal(line_of(approach), moving).message


def _turned(rotation, angle):
    """Axes turned about the head's x."""
    turn = np.array(
        [[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]]
    )
    return rotation @ turn


@pytest.mark.parametrize(("speed", "depth"), [(0.5, 0.0), (0.3, 0.01), (0.7, 0.028)])
def test_a_nail_that_is_in_already_is_met_with_gravity_alone(panda, approach, speed, depth):
    """The arm coasts when it meets it, and for the longest contact after that."""
    still = ArmDynamics(approach.robot)(approach.start, np.zeros(7))
    task, plan = StrikeTask(panda, OFF, Target(nail=Nail((150.0, 250.0)))), plan_of(approach)
    series = task.series(plan, approach.robot, still)
    line = task.line(plan)
    controller = bounded_strike(series.approach(depth), speed, series.window, plan, line)
    _, _, rows = follow(controller, approach.start)
    nail = approach.point.position - depth * approach.surface.normal
    dynamics = ArmDynamics(approach.robot)
    gaps = [(dynamics.position(q) - nail) @ approach.surface.normal for _, q, _ in rows]
    met = next(k for k, gap in enumerate(gaps) if gap <= 0.0)
    contact = rows[met : met + round(series.window / 1e-3)]
    assert {command.phase for command, *_ in contact} == {Phase.COAST}


@pytest.mark.parametrize("cycle", [100, 200])
def test_a_head_that_leaves_the_line_ends_the_approach_in_rest(approach, cycle):
    controller = struck(approach, line_of(approach))
    motion, count = controller.motion, [0]

    def pushed(*_):
        count[0] += 1
        if count[0] == cycle:
            motion._line = line_of(approach, 4e-3)

    phases, _, rows = follow(controller, approach.start, impact=pushed)
    assert phases == [Phase.APPROACH, Phase.BRAKE, Phase.HOLD]
    assert min(command.gap for command, *_ in rows) > 0.0
    end, phase = run_of(controller, rows)
    assert (end.code, phase) == (NOT_FEASIBLE, Phase.BRAKE)  # as soon as it is seen
    assert "mm beside the line" in end.message and "at most 2 mm" in end.message


def test_a_stop_too_late_to_stop_lets_go_and_rests(approach):
    """Whenever it comes: the arm stops before the target, or meets it with gravity alone."""
    braked = coasted = 0
    for cycle in range(150, 330, 12):
        controller = struck(approach, line_of(approach))
        count = [0]

        def stopped(*_, controller=controller, cycle=cycle, count=count):
            count[0] += 1
            if count[0] == cycle:
                controller.stop()

        phases, _, rows = follow(controller, approach.start, impact=stopped)
        assert phases[-2:] == [Phase.BRAKE, Phase.HOLD] and Phase.RETRACT not in phases
        coasting = [command for command, *_ in rows if command.phase is Phase.COAST]
        for command in coasting[RAMPED:]:
            np.testing.assert_allclose(command.torque, command.gravity, atol=1e-9)
        if Phase.COAST in phases:
            coasted += 1
            after = next(k for k, (each, *_) in enumerate(rows) if each.phase is Phase.COAST)
            braking = next(k for k, (each, *_) in enumerate(rows) if each.phase is Phase.BRAKE)
            assert rows[braking][0].gap < 0.0  # through the target, nothing is there
            assert (braking - after) * 1e-3 < 0.5
        else:
            braked += 1
            assert min(command.gap for command, *_ in rows) > 0.0
    assert braked >= 3 and coasted >= 3


def test_the_way_back_keeps_the_bound_of_an_obstacle_behind(approach):
    controller = struck(approach, line_of(approach))
    _, q, rows = follow(controller, approach.start, seconds=15.0)
    usual = controller.plan._usual_limit(controller.robot, 1e-3)
    seen = 0
    for command, at, dq in rows[::20]:
        if command.phase is not Phase.RETRACT or command.gap < 0.0:
            continue  # it turns
        point = ArmDynamics(controller.robot)(at, dq)
        speed, seen = float(np.linalg.norm(point.velocity)), seen + 1
        bound = usual.against(replace_normal(approach)).speed_bound(point).speed
        assert speed < 1.02 * bound
    assert seen > 20
    assert np.abs(q - approach.start).max() < 0.03


def replace_normal(approach):
    """The contact with an obstacle behind the arm."""
    known = approach.contact
    return type(known)(known.point, -known.normal, known.friction, known.restitution)


def test_nothing_hit_is_said_once_the_arm_is_back(approach):
    controller = struck(approach, line_of(approach))
    _, _, rows = follow(controller, approach.start, seconds=15.0)
    end, phase = run_of(controller, rows)
    assert (end.code, end.message, phase) == (TIMEOUT, "no impact detected", Phase.HOLD)


def test_a_strike_whose_way_back_is_cut_short_is_no_success(approach):
    controller = struck(approach, line_of(approach))

    def found(phase, count):
        return count > 40 if phase is Phase.COAST else phase is Phase.RETRACT and count > 150

    phases, _, rows = follow(controller, approach.start, seconds=15.0, impact=found)
    assert phases[-3:] == [Phase.RETRACT, Phase.BRAKE, Phase.HOLD]
    coasts = iter(range(len(rows)))
    rows += [rows[-1]] * 1100
    end, _ = run_of(controller, rows, lambda c: c.phase is Phase.COAST and next(coasts) > 40)
    assert end.code == UNEXPECTED_IMPACT
    assert end.message.endswith("before the surface: expected the start of the strike")


def test_a_hit_says_how_the_head_met_the_target(approach):
    controller = struck(approach, line_of(approach))
    found = lambda phase, count: phase is Phase.COAST and count > 40  # noqa: E731
    _, _, rows = follow(controller, approach.start, seconds=15.0, impact=found)
    hit = [command for command, *_ in rows if command.phase is Phase.COAST][41]
    run = StrikeRun(
        controller.robot, controller.plan, 10.0, controller=controller, gives=True, promised=0.5
    )
    for stamp, (command, q, dq) in enumerate(rows + [rows[-1]] * 1100):
        impact = command is hit or run.impact_time is not None
        end = run.add(stamp * 1_000_000, q, dq, command, impact)
        if end is not None:
            break
    assert end.code == OK
    assert end.message.startswith("head 0.") and end.message.endswith(
        "no estimate of the impact came"
    )
    assert run.speed_bound == SPEED
    assert run.contact_speed == pytest.approx(SPEED, rel=0.05)


def rows_at(approach, depth, torque=0.0):
    """Rows of a head that meets something at a depth [m], at SPEED and time 0."""
    q = inverse_kinematics(approach.robot, approach.point.q, -depth * approach.surface.normal)
    dq = np.linalg.pinv(approach.point.J) @ np.append(-SPEED * approach.surface.normal, np.zeros(3))
    time = np.linspace(-0.05, 0.1, 151)
    late = (time > 0.0)[:, None]
    columns = np.tile(q, (151, 1)), np.where(late, 0.0, dq), np.where(late, torque, np.zeros(7))
    return StrikeRows(time, *columns)


def test_what_is_met_deeper_than_a_strike_can_drive_a_nail_is_a_miss(panda, approach):
    still = ArmDynamics(approach.robot)(approach.start, np.zeros(7))
    task, plan = StrikeTask(panda, OFF, Target(nail=Nail((150.0, 250.0), depth=0.025))), plan_of
    series = task.series(plan(approach), approach.robot, still)
    series.found(rows_at(approach, 0.001), 0.0)
    board = rows_at(approach, 0.026)
    with pytest.raises(ControlError, match=r"something 26.0 mm deep, expected the nail at .* mm"):
        series.found(board, 0.0)
    assert not series.done and series.depth == pytest.approx(0.001, abs=1e-4)
    series.found(rows_at(approach, 0.004), 0.0)  # 3 mm by one strike
    assert series.depth == pytest.approx(0.004, abs=1e-4)


def test_the_load_of_a_strike_that_missed_is_remembered(panda, approach):
    still = ArmDynamics(approach.robot)(approach.start, np.zeros(7))
    task = StrikeTask(panda, OFF, Target(nail=Nail((150.0, 250.0), depth=0.025)))
    series = task.series(plan_of(approach), approach.robot, still)
    speed = series.next(0.3).speed
    with pytest.raises(ControlError, match="it was missed"):
        series.learn(rows_at(approach, 0.026, torque=1.5 * panda.limits.torque), 0.0)
    assert series.planner.ceilings and series.next(0.3).speed < speed


def test_a_series_that_is_ended_after_a_contact_remembers_its_load(panda, approach):
    """Whatever ended it, in the thread of the plans; not if the record ends with the contact."""
    still = ArmDynamics(approach.robot)(approach.start, np.zeros(7))
    task = StrikeTask(panda, OFF, Target(nail=Nail((150.0, 250.0), depth=0.025)))
    series, kept = task.series(plan_of(approach), approach.robot, still), []
    series.next(0.3)
    controller = struck(approach, line_of(approach))
    now = StrikeRun(
        controller.robot, controller.plan, 10.0, controller=controller, gives=True, promised=0.5
    )
    follow_on = Follow(Planner(beside=False).submit, lambda _: "")
    begin = lambda: None  # noqa: E731
    run = SeriesRun(series, now, begin, 2, follow_on, lambda: kept.append(series.planner.ceilings))
    run.remember()
    assert not kept  # nothing was hit
    rows = rows_at(approach, 0.001, torque=1.5 * panda.limits.torque)
    now.impact_time = 10**9
    early = rows.time <= 0.01
    series.remember(StrikeRows(*(each[early] for each in rows)), 0.0)
    assert not series.planner.ceilings
    for time, *row in zip(*rows, strict=True):
        controller.recorder.add(10**9 + round(1e9 * time), *row)
    run.remember()
    run.remember()
    assert len(kept) == 1 and kept[0][0].speed < SPEED / 1.5  # once


@pytest.mark.parametrize(("hit", "code"), [(True, OK), (False, TIMEOUT)])
def test_strikes_of_which_none_met_anything_are_no_success(panda, approach, hit, code):
    still = ArmDynamics(approach.robot)(approach.start, np.zeros(7))
    series = StrikeTask(panda, OFF, Target()).series(plan_of(approach), approach.robot, still)
    follow_on = Follow(Planner(beside=False).submit, lambda _: "")
    run = SeriesRun(series, SimpleNamespace(), lambda: None, 1, follow_on, lambda: None)
    end = run._then(hit=hit)
    assert (end.code, end.message) == (code, f"1 strikes, {int(hit)} met something")


def test_the_strike_is_no_faster_than_goal_node_and_plan_allow(panda, approach):
    still = ArmDynamics(approach.robot)(approach.start, np.zeros(7))
    task = StrikeTask(panda, OFF, Target(stop=HardStop((1e5, 1e6), (0.02, 0.5))))
    plan = plan_of(approach, speed=CAP)
    speeds = []
    for changes in ({}, {"highest_speed": 0.1}, {"speed_cap": 0.07}):
        asked = replace(plan, **changes)
        series = task.series(asked, approach.robot, still)
        _, controller = begun_strike(series, asked, task.line(asked), 10.0, 1e-3)
        speeds.append(controller.plan.strike)
    assert 0.1 < speeds[0] < 0.7 and speeds[1:] == [0.1, 0.07]
    slow = replace(plan, highest_speed=0.01)
    end = begun_strike(task.series(slow, approach.robot, still), slow, task.line(slow), 10.0, 1e-3)
    assert end.code == NOT_FEASIBLE and "expected a strike of 0.02 m/s or more" in end.message


def test_a_target_that_wishes_an_amount_is_struck_as_gently_as_delivers_it(panda, approach):
    still = ArmDynamics(approach.robot)(approach.start, np.zeros(7))
    plan, stop = plan_of(approach, speed=CAP), HardStop((1e5, 1e6), (0.02, 0.5))
    begun = {}
    for amount in (None, AMOUNT, 100.0):
        task = StrikeTask(panda, OFF, Target(stop=stop, wish=Wish("impulse", amount)))
        series = task.series(plan, approach.robot, still)
        begun[amount] = begun_strike(series, plan, task.line(plan), 10.0, 1e-3)
    fast, gentle = (begun[amount][1].plan.strike for amount in (None, AMOUNT))
    tool, point = series.planner.tool, approach.arrives(gentle)
    effects = plan_strike(panda, tool, Target(stop=stop, wish=Wish("impulse", AMOUNT)), point.q)
    assert gentle < 0.8 * fast and gentle == pytest.approx(effects.speed, rel=1e-2)
    assert begun[100.0].code == NOT_FEASIBLE
    assert begun[100.0].message.endswith("to be delivered is 100 N.s in every case")


def test_settings_without_torques_or_with_a_person_are_refused(panda, approach):
    task = StrikeTask(panda, OFF, Target())
    with pytest.raises(ControlError, match="interface: expected torque where a tool strikes"):
        task.refuse_settings(replace(plan_of(approach), interface="velocity"))
    person = SimpleNamespace()
    with pytest.raises(ControlError, match="person: expected none where a tool strikes"):
        task.refuse_settings(replace(plan_of(approach), person=person))
