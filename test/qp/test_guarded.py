# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller between its guards: nothing unbelievable goes in, nothing dangerous comes out."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest
from moving_arms import moving

import impact_qp.control.acceleration
from impact_qp import ControlError, ImpactController, NoSolutionFound, Phase, Plan
from impact_qp.control.guarded import GuardedController
from impact_qp.control.standard_program import StandardProgram
from impact_qp.guards.last_check import LastCheck
from impact_qp.interface import TorqueInterface
from impact_robots import ArmDynamics

MS = 1_000_000  # [ns]
INTERFACES = ("torque", "velocity", "position")


def guarded_for(panda, contact, **changes):
    return GuardedController(ImpactController(panda, Plan(contact, speed=0.1, **changes)))


def answers(guarded, q, first, last):
    """Return what the same state, at rest, is answered; nothing for states passed over."""
    given = []
    for k in range(first, last):
        with contextlib.suppress(ControlError):
            given.append(guarded.cycle(k * MS, q, np.zeros(7)))
    return given


def sent(controller, command):
    interface = controller.plan.interface
    values = {"torque": command.driver_torque, "velocity": command.velocity}
    return values.get(interface, command.position)


def way_to_rest(guarded):
    """Return what is sent, once a period, until nothing more is."""
    sent = []
    while (values := guarded.settle()) is not None:
        sent.append(values)
    return sent


@pytest.fixture
def command(panda, scenario, contact):
    return ImpactController(panda, Plan(contact)).update(scenario.start(panda), np.zeros(7))


# --- the fall-back ------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", INTERFACES)
def test_one_state_in_degrees_leaves_the_bare_controller_finite(
    panda, scenario, contact, interface
):
    """It was NaN torque ten cycles later: the fall-back fed itself through the velocity filter."""
    controller = ImpactController(panda, Plan(contact, speed=0.1, interface=interface))
    q = scenario.start(panda)
    for k in range(200):
        state = np.degrees(q) if k == 20 else q
        command = controller.update(state, np.zeros(7))
        assert np.all(np.isfinite(sent(controller, command)))
        assert np.all(np.abs(command.ddq) <= panda.limits.acceleration + 1e-9)
        assert np.all(np.abs(command.torque) <= panda.limits.torque)


def test_a_fall_back_that_goes_on_grows_beyond_no_limit(panda, contact, at_impact, monkeypatch):
    def fails(program, *options):
        raise NoSolutionFound(program, "infeasible")

    monkeypatch.setattr(impact_qp.control.acceleration, "solve", fails)
    monkeypatch.setattr(StandardProgram, "solve", lambda *arguments: None)
    controller = ImpactController(panda, Plan(contact))
    dq = 4.0 * panda.limits.velocity * np.array([1, -1, 1, -1, 1, -1, 1])
    for _ in range(300):
        command = controller.update(at_impact.q, dq)
        assert np.all(np.abs(command.ddq) <= panda.limits.acceleration + 1e-9)
        assert np.all(np.abs(command.torque) <= panda.limits.torque + 1e-9)


# --- what goes in -------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("wrong", ["degrees", "zeros", "turn", "other", "nan"])
def test_states_of_a_broken_driver_bring_the_arm_to_rest(
    panda, scenario, contact, interface, wrong
):
    guarded = guarded_for(panda, contact, interface=interface)
    q = scenario.start(panda)
    for k in range(30):
        last = guarded.cycle(k * MS, q, np.zeros(7))
    spoilt = {
        "degrees": np.degrees(q),
        "zeros": np.zeros(7),
        "turn": q + np.array([2 * np.pi, 0, 0, 0, 0, 0, 0]),
        "other": q + 0.5,
        "nan": np.full(7, np.nan),
    }[wrong]
    for k in (30, 31):  # passed over
        with pytest.raises(ControlError):
            guarded.cycle(k * MS, spoilt, np.zeros(7))
    assert guarded.fault == ""
    assert guarded.cycle(32 * MS, spoilt, np.zeros(7)) is None
    assert guarded.fault.startswith("implausible joint states: ")
    values = [sent(guarded.controller, last), *way_to_rest(guarded)]
    limits = panda.limits
    if interface == "torque":
        assert np.abs(np.diff(values, axis=0)).max() <= 1e-3 * limits.torque_rate.max()
    if interface != "position":
        assert not values[-1].any()
    later = answers(guarded, q, 33, 133)  # the driver seems sound again: that is not trusted
    assert later == [None] * len(later) and guarded.fault
    guarded.reset()
    guarded.stop()
    assert answers(guarded, q, 133, 140)[-1].phase is Phase.HOLD


def test_two_bad_states_do_not_end_the_approach(panda, scenario, contact):
    guarded, q = guarded_for(panda, contact), scenario.start(panda)
    for k in range(30):
        guarded.cycle(k * MS, q, np.zeros(7))
    for k in (30, 31):
        with pytest.raises(ControlError, match="moved by"):
            guarded.cycle(k * MS, q + 0.5, np.zeros(7))
    assert guarded.cycle(32 * MS, q, np.zeros(7)).phase is Phase.APPROACH
    assert guarded.fault == ""


def test_an_activation_forgets_the_fault(panda, scenario, contact):
    guarded, q = guarded_for(panda, contact), scenario.start(panda)
    guarded.cycle(0, q, np.zeros(7))
    assert answers(guarded, q + 1.0, 1, 4) == [None]
    assert guarded.fault
    way_to_rest(guarded)
    assert guarded.doubts
    answers(guarded, q, 10, 110)
    assert not guarded.doubts and guarded.fault
    guarded.reset()
    (command,) = answers(guarded, q, 110, 111)
    assert guarded.fault == "" and command.phase is Phase.APPROACH


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_goal_begins_from_the_command_of_an_arm_that_holds_under_load(
    panda, scenario, contact, interface
):
    """A position led the measured one by more than a period at full speed: a fault, for good."""
    guarded, q = guarded_for(panda, contact, interface=interface), scenario.start(panda)
    guarded.controller.stop()
    before = answers(guarded, q, 0, 300)[-1]
    droop = np.array([0.0, 0.015, 0.0, 0.012, 0.0, 0.01, 0.0])  # of a payload
    answers(guarded, q - droop, 300, 303)  # at once, as far as the states are concerned
    goal = ImpactController(panda, Plan(contact, speed=0.05, interface=interface))
    guarded.adopt(goal)
    held = answers(guarded, q - droop, 303, 320)
    assert held and None not in held and not guarded.fault
    if interface == "position":
        assert np.abs(held[0].position - before.position).max() < 2e-3


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_restart_ends_the_goal_whose_controller_was_adopted(panda, scenario, contact, interface):
    guarded = guarded_for(panda, contact, interface=interface, impact_limits="robust")
    own, q = guarded.controller, scenario.start(panda)
    answers(guarded, q, 0, 3)
    away = replace(contact, point=contact.point - 0.05 * contact.normal)
    goal = ImpactController(panda, Plan(away, speed=0.05, interface=interface))
    assert guarded.start_refusal(goal) == ""
    guarded.adopt(goal)
    last = answers(guarded, q, 3, 20)[-1]
    guarded.deactivate()
    answers(guarded, q, 20, 120)
    way_to_rest(guarded)
    guarded.reset()
    assert guarded.controller is own and own.last_state is None
    command = answers(guarded, q, 200, 201)[0]
    assert command.phase is Phase.APPROACH
    assert command.gap == pytest.approx(contact.gap(ArmDynamics(panda).position(q)), abs=1e-6)
    if interface != "torque":  # a servo jumps to what it is sent
        step = np.abs(sent(own, command) - (q if interface == "position" else 0.0))
        assert np.all(step <= 1e-3 * panda.limits.acceleration)
    assert last.gap > command.gap + 0.04


# --- what comes out -----------------------------------------------------------------------------


def broken(command, interface, how, panda):
    """Return what a defect of the controller would send."""
    field = {"torque": "driver_torque"}.get(interface, interface)
    values = getattr(command, field).copy()
    limits = panda.limits
    values[2] = {
        "nan": np.nan,
        "infinite": np.inf,
        "beyond": {"torque": 90.0, "velocity": 3.0, "position": 3.5}[interface],
        "step": values[2] + {"torque": 2.5, "velocity": 2.0, "position": 3e-3}[interface],
    }[how]
    assert how != "step" or abs(values[2]) < limits.torque[2]
    changed = {field: values}
    if interface == "torque":
        changed["torque"] = values + command.gravity
    return command._replace(**changed)


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("how", ["nan", "infinite", "beyond", "step"])
def test_what_must_not_be_sent_is_withheld_for_good(
    panda, scenario, contact, monkeypatch, interface, how
):
    if (interface, how) == ("velocity", "step"):
        pytest.skip("a velocity within its limit: its steps are the driver's to smooth")
    guarded, q = guarded_for(panda, contact, interface=interface), scenario.start(panda)
    for k in range(5):
        assert guarded.cycle(k * MS, q, np.zeros(7)) is not None
    update = guarded.controller.update

    def defect(*state, **options):
        return broken(update(*state, **options), interface, how, panda)

    monkeypatch.setattr(guarded.controller, "update", defect)
    assert guarded.cycle(5 * MS, q, np.zeros(7)) is None
    assert guarded.fault.startswith("command withheld: panda_joint3 ")
    monkeypatch.undo()
    assert all(np.isfinite(values).all() for values in way_to_rest(guarded))
    assert guarded.cycle(6 * MS, q, np.zeros(7)) is None  # until it is activated again
    guarded.reset()
    assert guarded.cycle(7 * MS, q, np.zeros(7)) is not None


def test_torques_with_and_without_gravity_are_within_the_limits(panda, command):
    check = LastCheck(panda, TorqueInterface, 1e-3)
    q = np.zeros(7)
    gravity = np.array([0, 5.0, 0, 0, 0, 0, 0])
    whole = np.array([0, -84.0, 0, 0, 0, 0, 0])
    asked = command._replace(torque=whole, driver_torque=whole - gravity, gravity=gravity)
    assert check.problem(asked, q) == "panda_joint2 torque -89 was computed, limit 87"


def test_the_program_keeps_what_the_driver_is_sent_within_the_torque_limits(panda, contact):
    """A driver adds gravity to what it is sent, and has the same limit for that."""
    weak = replace(panda, limits=replace(panda.limits, torque=np.full(7, 15.0)))
    controller = ImpactController(weak, Plan(contact, "unaware", speed=2.0, ramp=1e3))
    q = np.array([0.0, -0.4, 0.1, -2.0, 0.2, 1.8, 0.5])
    largest = 0.0
    for _ in range(200):
        command = controller.update(q, np.zeros(7))
        largest = max(largest, np.abs(command.driver_torque).max())
        assert np.abs(command.driver_torque).max() <= 15.0 * (1 + 1e-9)
    assert largest > 10.0


# --- wind-up ------------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", ["velocity", "position"])
def test_a_blocked_arm_winds_nothing_up(panda, scenario, contact, interface):
    """It was 0.4 rad of command in 2.8 s, and a step when the arm came free."""
    controller = ImpactController(panda, Plan(contact, speed=0.1, interface=interface))
    q = scenario.start(panda)
    commands = [controller.update(q, np.zeros(7)) for _ in range(2800)]
    lead = np.abs([command.position - q for command in commands]).max(axis=0)
    if interface == "position":
        assert np.all(lead <= 0.035 * panda.limits.velocity)
    assert commands[-1].phase is Phase.HOLD  # 0.1 m before the surface: something is in the way
    assert np.abs(commands[-1].velocity).max() < 1e-3


def test_an_arm_that_was_held_and_is_let_go_does_not_jump(panda, scenario, contact):
    """The command comes back towards an arm that is to stand, so the servo has little to follow."""
    controller = ImpactController(panda, Plan(contact, speed=0.5, interface="position"))
    q = scenario.start(panda)
    for _ in range(600):
        command = controller.update(q, np.zeros(7))
    assert command.phase is Phase.HOLD
    assert np.all(np.abs(command.position - q) <= 0.0151 * panda.limits.velocity)


@pytest.mark.parametrize("interface", ["torque", "velocity", "position"])
@pytest.mark.parametrize("limits", ["robust", "existential", "unaware"])
def test_an_arm_that_is_blocked_stops_pushing(panda, scenario, contact, interface, limits):
    plan = Plan(contact, limits, speed=0.1, interface=interface)
    controller, q = ImpactController(panda, plan), scenario.start(panda)
    phases = [controller.update(q, np.zeros(7)).phase for _ in range(400)]
    assert Phase.APPROACH not in phases[-200:]


# --- the beginning ------------------------------------------------------------------------------


def moving_towards(panda, scenario, contact, speed, gap):
    """Return a state that moves towards the surface, as the scenario's start faces it."""
    q = replace(scenario, run_up=gap).start(panda)
    return q, moving(panda, -speed * contact.rotation[:, 2], q=q)


def test_an_arm_at_four_times_its_bound_just_before_the_surface_is_refused(
    panda, scenario, contact
):
    controller = ImpactController(panda, Plan(contact, speed=0.1))
    q, dq = moving_towards(panda, scenario, contact, 0.32, 0.005)
    command = controller.update(q, dq)
    assert command.phase is Phase.BRAKE
    assert controller.refused.startswith("the arm moves at 0.320 m/s towards the surface 0.005 m")
    q, dq = moving_towards(panda, scenario, contact, 0.32, 0.1)
    controller.reset()
    assert controller.update(q, dq).phase is Phase.APPROACH  # there is space to brake
    assert controller.refused == ""


def test_holding_holds_the_position(panda, scenario, contact):
    """Pushed away a little and let go, the arm comes back; it bears most of the push."""
    from impact_sim import Simulation

    controller = ImpactController(panda, Plan(contact, speed=0.1))
    simulation = Simulation(panda, None)
    measurement = simulation.reset(scenario.start(panda))
    controller.stop()
    push = np.array([0.0, 6.0, 0.0, 6.0, 0.0, 1.0, 0.0])
    places = []
    for k in range(4000):
        command = controller.update(measurement.q, measurement.dq)
        extra = push if 500 <= k < 1000 else 0.0
        measurement = simulation.step(command.driver_torque + extra)
        places.append(command.gap)
    assert command.phase is Phase.HOLD
    assert 0.0001 < np.abs(np.array(places[500:1000]) - places[400]).max() < 0.005
    assert abs(places[-1] - places[400]) < 1e-3


def test_after_part_of_a_period_torques_change_by_that_part(panda, scenario, contact):
    guarded, q = guarded_for(panda, contact, impact_limits="unaware"), scenario.start(panda)
    last, time = np.zeros(7), 0
    for gap in (10, 10, 7, 10, 12, 8, 10):  # tenths of a millisecond
        time += gap * MS // 10
        values = guarded.cycle(time, q, np.zeros(7)).driver_torque
        most = panda.limits.torque_rate * min(1.0, gap / 10) * 1e-3
        assert np.all(np.abs(values - last) <= most)
        last = values
