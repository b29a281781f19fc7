# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Touches of a simulated arm: below the promise, and every way in which they end."""

import re
from dataclasses import replace
from functools import cache
from math import inf, isnan

import numpy as np
import pytest

from impact_predictor.contact_force.laws import Viscoelastic
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_qp.exceptions import ControlError
from impact_qp.goals.goal import (
    BAD_GOAL,
    CANCELED,
    INPUT_LOST,
    NOT_FEASIBLE,
    OK,
    TIMEOUT,
    UNEXPECTED_IMPACT,
)
from impact_qp.limits import Contact
from impact_qp.touch.contact_sense import EFFORT, GAP, ZERO, ContactSense
from impact_qp.touch.promise import touch_plan
from impact_qp.touch.touch_goal import CURRENTS, NONE, SENSORS, TouchGoal
from impact_qp.touch.touch_run import begun_touch
from impact_robots import ArmDynamics, Surface, load_robot
from impact_sim.driver.simulation import START_NS
from impact_sim.plant.compliant_wall import CompliantWall
from impact_trials.in_process import touch_trial
from impact_trials.in_process.touch_trial import (
    SPEED_CAP,
    PeakPlant,
    TouchCase,
    run_touch,
    servoed,
)

Q = (0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02)  # of the specification's list C
MS = 1_000_000  # [ns]
GOAL = TouchGoal((1.0, 0.0, 0.0), 20.0, 1e5, distance=0.012)
SOFT = 200.0  # pushed by less than 4 N at the distance limit [N/m]
SLACK = 0.03  # above the cap that the tracking guard tolerates [m/s]


@cache
def arm(interface):
    panda = load_robot("panda")
    return panda if interface == "torque" else servoed(panda)


@cache
def touched(interface="torque", rate=250.0, stiffness=1e5, gap=0.004, cancel=inf, **goal):
    """Return what came of a touch; with the limit that is quick."""
    rate = 1000.0 if interface == "torque" else rate
    asked = replace(GOAL, **{"stiffness": max(stiffness, 1e4), **goal})
    friction = (1.0,) * 4 + (0.3,) * 3 if asked.effort == CURRENTS else ()
    return run_touch(
        TouchCase(
            arm(interface),
            Q,
            asked,
            interface,
            rate,
            stiffness,
            gap,
            impact_limits="robust",
            joint_friction=friction,
            cancel=cancel,
        )
    )


def planned(interface="torque", period=1e-3, **goal):
    """Return the plan of a touch from `Q`."""
    robot, asked = arm(interface), replace(GOAL, **goal)
    state = ArmDynamics(robot)(np.array(Q), np.zeros(7))
    contact = Contact(state.position + asked.distance * asked.unit, -asked.unit)
    settings = Plan(contact, "robust", interface=interface, speed_cap=SPEED_CAP)
    return touch_plan(asked, settings, robot, state, period)


@pytest.mark.parametrize(
    ("interface", "rate", "stiffness", "effort"),
    [
        ("torque", 1000.0, 1e5, SENSORS),
        ("torque", 1000.0, 2e4, CURRENTS),
        ("velocity", 500.0, 1e5, CURRENTS),
        ("velocity", 100.0, 5e5, NONE),
        ("position", 125.0, 1e5, NONE),
        ("position", 250.0, 2e4, SENSORS),
    ],
)
def test_a_contact_stays_below_the_promise_and_is_detected(interface, rate, stiffness, effort):
    trial = touched(interface, rate, stiffness, effort=effort)
    found = trial.result
    assert (trial.end.code, found.triggered) == (OK, True)
    assert found.promised <= 20.0 * (1.0 + 1e-6)
    assert 0.3 * found.promised < trial.peak < found.promised
    assert 0.0 <= trial.detected_after < 0.25  # a torque-controlled arm pushes gently
    assert trial.held < found.promised
    assert 0.0 < found.peak_force < 1.1 * trial.peak  # what its filters leave of it
    assert trial.fastest < SPEED_CAP + SLACK
    before, at = (
        ArmDynamics(arm(interface)).position(each.q) for each in (found.before, found.contact)
    )
    assert -1e-4 < (at - before)[0] < 0.004  # the way back leads out of the surface


class Repeated:
    """A servo's arm in front of a wall, that carries out one touch after the other."""

    def __init__(self, interface, rate, **goal):
        self.goal = replace(GOAL, stiffness=2e4, **goal)
        self.case = TouchCase(arm(interface), Q, self.goal, interface, rate)
        state = ArmDynamics(self.case.robot)(np.array(Q), np.zeros(7))
        surface = Surface(state.position + 0.003 * GOAL.unit, -GOAL.unit, 0.2)
        wall = CompliantWall(surface, Viscoelastic(2e4, 200.0))
        self.plant = PeakPlant(self.case.robot, wall)
        self.simulation = touch_trial._simulation(self.case, self.plant)
        self.measured, self.guarded = self.simulation.reset(np.array(Q)), None

    def touch(self, meets=False, **changes):
        """Return the end of a touch that goes on for 0.3 s, or why it did not begin.

        ``meets``: something on the way back.
        """
        robot, goal, at = self.case.robot, replace(self.goal, **changes), self.measured
        state = ArmDynamics(robot)(at.q, np.zeros(7))
        contact = Contact(state.position + goal.distance * goal.unit, -goal.unit)
        settings = Plan(contact, "robust", interface=self.case.interface, speed_cap=SPEED_CAP)
        run, controller = begun_touch(goal, settings, robot, state, 1.0 / self.case.rate)
        back = 0
        if self.guarded is None:
            self.guarded = GuardedController(controller)
        elif reason := self.guarded.start_refusal(controller):
            return reason
        else:
            self.guarded.adopt(controller)
        end, left = None, 0.3
        while end is None or left > 0.0:
            at, time = self.measured, START_NS + self.measured.time_ns
            effort = None if goal.effort == NONE else at.tau
            met = meets and back > 10
            command = self.guarded.cycle(time, at.q, at.dq, impact=met, effort=effort)
            back += command.phase is Phase.RETRACT
            if end is None:
                end = run.add(time, at.q, at.dq, command, False)
            else:
                left -= 1.0 / self.case.rate
            if end is not None and not end.success:
                self.guarded.stop()
            self.measured = self.simulation.step(self.guarded.controller.interface.values(command))
        return end


@pytest.mark.parametrize(
    ("interface", "rate", "effort"), [("velocity", 500.0, SENSORS), ("position", 125.0, NONE)]
)
def test_an_arm_that_still_presses_touches_nothing_further(interface, rate, effort):
    """What a servo holds would be added to what the next touch promises."""
    arms = Repeated(interface, rate, effort=effort)
    assert arms.touch().code == OK
    held = arms.plant.peak
    line = "the arm still presses on what a touch found: go back by .* mm first, or end touches .*"
    assert re.fullmatch(line, arms.touch())
    other = ImpactController(arms.case.robot, arms.guarded.controller.plan, period=1.0 / rate)
    arms.guarded.adopt(other)  # and what comes between does not forget it
    assert re.fullmatch(line, arms.touch())
    assert arms.plant.peak == held < 20.0


def test_after_a_release_the_next_touch_begins():
    arms = Repeated("position", 250.0, then="release")
    assert [arms.touch().code for _ in range(2)] == [OK, OK]
    assert arms.plant.peak < 20.0


@pytest.mark.parametrize("met", [False, True])
def test_a_touch_whose_way_back_is_cut_short_is_no_success(met):
    arms = Repeated("position", 250.0, then="retract", retract=0.008)
    end = arms.touch(met)
    assert (end.code, end.success) == ((UNEXPECTED_IMPACT, False) if met else (OK, True))
    assert ("the way back was cut short by" in end.message) == met


def test_an_arm_that_is_pushed_back_at_rest_does_not_move():
    arms, errors = Repeated("velocity", 500.0), (0.3,) * 4 + (0.1,) * 3
    assert arms.touch(torque_errors=errors).code == OK
    held, arms.guarded = arms.plant.peak, None  # another process: it remembers nothing
    end = arms.touch(torque_errors=errors)
    assert end.code == NOT_FEASIBLE and "the arm is pushed back at rest" in end.message
    assert arms.plant.peak == held


@pytest.mark.parametrize("lasts", [0.055, 0.095])
def test_a_touch_whose_states_stay_away_ends_below_its_promise(lasts):
    goal = replace(GOAL, stiffness=2e4, torque_errors=(0.3,) * 4 + (0.1,) * 3)
    case = TouchCase(arm("velocity"), Q, goal, "velocity", 500.0, 2e4, 0.004)
    contact = run_touch(case).contact_time
    trial = run_touch(replace(case, silent=(contact - 0.3 * lasts, lasts)))
    assert trial.end.code == INPUT_LOST and "no states for more than 50 ms" in trial.end.message
    assert trial.peak < trial.result.promised


@pytest.mark.parametrize("interface", ["torque", "velocity", "position"])
def test_without_a_surface_it_ends_at_the_distance_and_that_is_a_success(interface):
    trial = touched(interface, gap=inf, distance=0.006)
    assert (trial.end.code, trial.result.triggered) == (OK, False)
    assert trial.result.signal == "distance"
    assert trial.result.travelled == pytest.approx(0.006, abs=5e-4)
    assert isnan(trial.peak) and trial.result.contact is None and trial.result.before is None


def test_a_surface_too_soft_to_be_detected_ends_at_the_distance():
    trial = touched(stiffness=SOFT)
    assert (trial.end.code, trial.result.triggered) == (OK, False)
    assert 0.0 < trial.peak < trial.result.detection


def test_a_hard_surface_that_is_hardly_pushed_is_found_by_the_stall():
    trial = touched(stiffness=1e6, force=10.0)
    assert trial.result.triggered and trial.result.signal == "stall"
    assert trial.peak < trial.result.promised


def test_an_arm_that_creeps_is_found_by_the_stall_in_spite_of_noise():
    slow = {"speed": 1.2e-3, "distance": 0.004, "effort": CURRENTS}
    trial = touched(stiffness=3e5, gap=0.001, **slow)
    assert trial.result.triggered and trial.result.signal == "stall"
    assert trial.detected_after < 0.5


@pytest.mark.parametrize("interface", ["torque", "position"])
def test_what_follows_contact(interface):
    hold = touched(interface, then="hold")
    retract = touched(interface, then="retract", retract=0.01)
    release = touched(interface, then="release")
    assert hold.left < 0.003  # it may have rebounded by that
    assert retract.left == pytest.approx(0.01, abs=0.002)
    assert -1e-4 < release.left < 0.005
    assert retract.held == release.held == 0.0


def test_a_servo_holds_the_contact():
    assert 0.0 < touched("position", then="hold").held < 20.0


def test_a_goal_that_is_cancelled_brakes():
    trial = touched("position", gap=inf, cancel=0.35)
    assert trial.end.code == CANCELED and not trial.result.triggered
    assert trial.fastest < SPEED_CAP and trial.duration < 1.0


def test_a_goal_that_takes_too_long_ends():
    trial = touched(gap=inf, timeout=0.3)
    assert trial.end.code == TIMEOUT
    assert "neither contact nor the distance in 0.3 s" in trial.end.message


def test_the_same_seed_gives_the_same_touch():
    once, again = (
        run_touch(TouchCase(arm("torque"), Q, GOAL, "torque", 1000.0, gap=0.001)) for _ in range(2)
    )
    assert once.peak == again.peak and once.end == again.end


def test_a_speed_that_cannot_be_promised_is_refused_with_the_one_that_can():
    highest = planned().speed
    with pytest.raises(ControlError) as error:
        planned(speed=0.1)
    assert "speed: 100 mm/s can promise" in str(error.value)
    assert f"{1e3 * highest:.3g} mm/s keep 20 N" in str(error.value)
    assert planned(speed=0.5 * highest).promised < 20.0


def test_a_force_that_the_detection_needs_alone_is_refused():
    trial = touched(force=1.0)
    assert trial.end.code == BAD_GOAL and trial.result is None
    assert "expected a force above" in trial.end.message


def test_a_force_above_the_arms_own_reflex_is_refused():
    lever = np.abs(planned().sense.j)
    reflex = tuple(15.0 * lever + 1e-6)
    with pytest.raises(ControlError, match="reflex trips along this direction, got 20 N"):
        planned(reflex=reflex)
    assert planned(reflex=tuple(40.0 * lever + 1e-6)).promised <= 20.0 * (1.0 + 1e-6)


def test_harder_surfaces_worse_models_and_smaller_forces_are_slower():
    speed = planned().speed
    assert planned(stiffness=1e6).speed < 0.5 * speed
    assert planned(force=10.0).speed < speed
    assert planned(torque_errors=(4.0,) * 7).speed < speed
    assert planned("position", 0.01).speed < planned("position", 0.002).speed


def test_a_torque_arm_needs_efforts_and_a_servo_needs_its_gains():
    with pytest.raises(ControlError, match="effort: expected sensors or currents"):
        planned(effort=NONE)
    panda = load_robot("panda")
    trial = run_touch(TouchCase(panda, Q, GOAL, "position"))
    assert trial.end.code == BAD_GOAL and "'servo_stiffness'" in trial.end.message


def test_a_moving_arm_does_not_begin():
    panda = arm("torque")
    state = ArmDynamics(panda)(np.array(Q), np.full(7, 0.1))
    contact = Contact(state.position + 0.1 * GOAL.unit, -GOAL.unit)
    end = begun_touch(GOAL, Plan(contact, "robust"), panda, state, 1e-3)
    assert end.code == NOT_FEASIBLE and "expected an arm at rest" in end.message


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("direction", (0.0, 0.0, 0.0), "direction: expected three numbers, not all 0"),
        ("force", 0.0, "force: expected above 0"),
        ("stiffness", inf, "stiffness: expected above 0"),
        ("distance", 1.5, "distance: expected above 0 up to 1 m, got 1.5"),
        ("speed", -0.1, "speed: expected above 0"),
        ("then", "press", "then: expected one of hold, retract, release"),
        ("effort", "wrench", "effort: expected one of sensors, currents, none"),
    ],
)
def test_a_wrong_field_is_named(field, value, line):
    with pytest.raises(ControlError, match=line):
        replace(GOAL, **{field: value})


def test_a_way_out_of_reach_is_refused():
    with pytest.raises(ControlError, match="distance: expected a way within reach"):
        planned(distance=0.9)


@pytest.mark.parametrize(("factor", "found"), [(0.9, ""), (1.1, EFFORT)])
def test_efforts_detect_the_force_that_is_said(factor, found):
    """An arm at rest that is pushed by a static force, without noise."""
    panda, plan = arm("torque"), planned()
    sense = ContactSense(panda, plan.sense, 1e-3)
    q, still = np.array(Q), np.zeros(7)
    gravity = ArmDynamics(panda)(q, still).g
    lever = plan.sense.j
    force = factor / np.max(np.abs(lever) / plan.sense.torques)
    for k in range(500):
        pushed = force if k > 200 else 0.0
        sense.update(k * MS, q, still, gravity + lever * pushed)  # what bears the contact's force
        assert sense.ready == (k >= ZERO * 1e3)
    assert sense.signal == found
    assert sense.force == pytest.approx(force, rel=0.01)
    sense.update(500 * MS + 2 * GAP, q, still, gravity)
    assert sense.interrupted and not sense.ready
