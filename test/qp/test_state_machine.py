# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every reachable situation times every event: what must hold on each transition."""

from __future__ import annotations

from itertools import product

import pytest
from doc_scripts import loaded

from impact_qp.control.phases import STOPPING, Phase, next_phase
from impact_qp.control.phases import Situation as Now
from impact_qp.control.plan import Plan
from impact_qp.control.state_machine import (
    Action,
    Asked,
    Event,
    Fault,
    Lifecycle,
    MotionState,
    NodeState,
    StateMachine,
    Transition,
    after,
)
from impact_qp.limits import Contact

CONTACT = Contact([0.5, 0.0, 0.5], [-1.0, 0.0, 0.0], (0.0, 0.3), (0.0, 0.3))
ENDING = (Event.GOAL_CANCELED, Event.GOAL_FAILED, Event.FAULT, Event.STATES_LOST, Event.DISTRUST)
STANDING = (MotionState.HOLD, MotionState.SILENT, MotionState.REST)
SENDS_NOTHING_NEW = (MotionState.RAMP, MotionState.REST, MotionState.SILENT)
ASKS_TO_MOVE = (Event.ACTIVATED_TO_MOVE, Event.GOAL_ACCEPTED)


def reachable() -> dict[NodeState, tuple[Event, ...]]:
    """Return every situation that events lead to from the start, with the shortest way to it."""
    found: dict[NodeState, tuple[Event, ...]] = {NodeState(): ()}
    new = [NodeState()]
    while new:
        now = new.pop(0)
        for event in Event:
            then = after(now, event).situation
            if then not in found:
                found[then] = (*found[now], event)
                new.append(then)
    return found


SITUATIONS = tuple(reachable())
TRANSITIONS = [(now, event, after(now, event)) for now, event in product(SITUATIONS, Event)]


def broken(now: NodeState, event: Event, then: Transition) -> list[str]:
    """Return the invariants of the specification that a transition breaks."""
    to, actions = then
    moves = to.motion is MotionState.MOVE
    ends = Action.END_GOAL in actions
    claims = {
        "I1: who moves was asked to": not moves or to.asked is not Asked.NOBODY,
        "I1: moves only while active and without fault": not moves or to.ready,
        "I1: motion begins only when it is asked for": (
            not moves or now.motion is MotionState.MOVE or event in ASKS_TO_MOVE
        ),
        "I1: a refused request changes nothing": (
            then == Transition(now, (Action.REFUSE,)) or Action.REFUSE not in actions
        ),
        "I1: what ends a motion ends it": not (
            moves and event in ENDING and (event not in ENDING[:2] or now.asked is Asked.GOAL)
        ),
        "I1: an accepted goal ends only by an end": (
            not (now.asked is Asked.GOAL and to.asked is not Asked.GOAL) or ends
        ),
        "a goal ends once": not ends or now.asked is Asked.GOAL,
        "a motion that ends is braked or ramped": (
            not (now.motion is MotionState.MOVE and not moves)
            or event is Event.FINISHED
            or {Action.STOP, Action.RAMP, Action.SILENCE} & set(actions)
        ),
        "I4: activation starts from the measured state": (
            not (to.lifecycle is Lifecycle.ACTIVE and now.lifecycle is not Lifecycle.ACTIVE)
            or Action.RESET in actions
        ),
        "I4b: only an activation ends a latched fault": (
            now.fault is not Fault.LATCHED
            or to.fault is Fault.LATCHED
            or event in (Event.ACTIVATED, Event.ACTIVATED_TO_MOVE, Event.CLEANED_UP)
        ),
        "I4b: a latched fault commands nothing": (
            to.fault is not Fault.LATCHED or to.motion in SENDS_NOTHING_NEW
        ),
        "I5: what is inactive comes to rest": (
            to.lifecycle is Lifecycle.ACTIVE
            or to.motion in (MotionState.BRAKE, MotionState.RAMP, MotionState.SILENT)
        ),
        "I5: states that are back are held anew": (
            now.motion is not MotionState.REST
            or not to.answers
            or Action.HOLD_ANEW in actions
            or event in (Event.ACTIVATED, Event.ACTIVATED_TO_MOVE, Event.GOAL_ACCEPTED)
        ),
        "without configuration nothing is sent": (
            to.lifecycle is not Lifecycle.UNCONFIGURED or to.motion is MotionState.SILENT
        ),
        "who was commanded is brought to rest before silence": (
            not (now.answers and to.motion is MotionState.SILENT) or Action.SILENCE in actions
        ),
    }
    return [name for name, holds in claims.items() if not holds]


def test_every_transition_keeps_the_invariants(record_property, capsys):
    """No transition of all that can happen breaks one."""
    wrong = [
        (now, event, names)
        for now, event, then in TRANSITIONS
        if (names := broken(now, event, then))
    ]
    record_property("transitions", len(TRANSITIONS))
    with capsys.disabled():
        print(f"\n{len(SITUATIONS)} situations, {len(TRANSITIONS)} transitions", end=" ")
    assert wrong == []
    assert len(SITUATIONS) > 10


@pytest.mark.parametrize("now", SITUATIONS, ids=lambda each: "-".join(e.value for e in each))
def test_every_stop_ends_in_rest(now):
    """Cancel, fault, deactivation in any order, and then time, end in rest."""
    for first, second in product((*ENDING, Event.DEACTIVATED, Event.CLEANED_UP), repeat=2):
        then = after(after(now, first).situation, second).situation
        if then.motion is MotionState.MOVE:  # a cancel of what no goal asked for
            assert then.asked is not Asked.GOAL
            continue
        for event in (Event.AT_REST, Event.RAMPED):
            then = after(then, event).situation
        assert then.motion in STANDING


def test_the_reason_of_a_fault_is_the_first_one():
    """Later faults do not hide it, an activation ends it."""
    machine = StateMachine()
    for event in (Event.CONFIGURED, Event.ACTIVATED):
        machine.take(event)
    machine.take(Event.FAULT, "first")
    machine.take(Event.DISTRUST, "second")
    assert machine.reason == "first"
    machine.take(Event.DEACTIVATED)
    machine.take(Event.RAMPED)
    assert (machine.reason, machine.situation.fault) == ("first", Fault.LATCHED)
    machine.take(Event.ACTIVATED)
    assert machine.reason == ""


def test_actions_are_done_in_their_order():
    """A goal that replaces another one ends it first."""
    done = []
    machine = StateMachine({each: lambda reason, each=each: done.append(each) for each in Action})
    for event in (Event.CONFIGURED, Event.ACTIVATED, Event.GOAL_ACCEPTED, Event.GOAL_ACCEPTED):
        machine.take(event)
    assert done == [Action.RESET, Action.STOP, Action.BEGIN, Action.END_GOAL, Action.BEGIN]


def test_a_mistake_would_be_seen():
    """The invariants notice a machine that is wrong: the old way of refusing goals."""
    moving = NodeState(Lifecycle.ACTIVE, MotionState.MOVE, Asked.GOAL)
    forgotten = Transition(moving._replace(asked=Asked.NOBODY), (Action.END_GOAL, Action.REFUSE))
    assert broken(moving, Event.GOAL_REFUSED, forgotten)


# --- together with the phases of one arm ----------------------------------------------------------

PLANS = tuple(
    Plan(CONTACT, interface=interface, after=after_impact, press_force=5.0)
    for interface in ("torque", "velocity")
    for after_impact in ("retract", "hold", "press")
    if not (after_impact == "press" and interface != "torque")
)
CYCLES = tuple(
    Now(Phase.APPROACH, since, gap, *flags)
    for since in (0.0, 2.0)
    for gap in (-0.1, 0.0, 0.1)
    for flags in product((False, True), repeat=6)
)
COMMANDED = {
    MotionState.HOLD: (Phase.HOLD, Phase.BRAKE),
    MotionState.BRAKE: (Phase.BRAKE, Phase.HOLD),
}


def test_no_cycle_of_any_situation_moves_an_arm_that_was_stopped():
    """Every reachable situation, phase and measurement: who must not move brakes or holds."""
    tried = 0
    for now, plan, phase in product(SITUATIONS, PLANS, Phase):
        if now.motion not in COMMANDED or phase not in COMMANDED[now.motion]:
            continue
        for cycle in CYCLES:
            then = next_phase(cycle._replace(phase=phase, stopping=True), plan)
            assert then in (Phase.BRAKE, Phase.HOLD)
            tried += 1
    assert tried > 10_000


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: f"{plan.interface}-{plan.after}")
def test_a_stop_ends_every_phase_in_rest(plan):
    """Whatever is measured: a stop brakes or holds at once, and a second later it holds."""
    for phase, cycle in product(Phase, CYCLES):
        first = next_phase(cycle._replace(phase=phase, stopping=True), plan)
        assert first in (Phase.BRAKE, Phase.HOLD)
        later = cycle._replace(phase=first, since=STOPPING, stopping=True, pushed=False)
        assert next_phase(later, plan) is Phase.HOLD


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: f"{plan.interface}-{plan.after}")
def test_a_detection_ends_every_motion_along_the_normal(plan):
    """What the arm meets, towards the surface or away from it, ends the motion."""
    for phase, cycle in product((Phase.APPROACH, Phase.RETRACT), CYCLES):
        met = cycle._replace(phase=phase, impact=True, detected=True)
        assert next_phase(met, plan) is not phase


def test_the_page_shows_the_present_table():
    """Written by `doc/make_state_table.py`."""
    module = loaded("make_state_table")
    text = module.FILE.read_text()
    assert module.document(text) == text, "run: ./impact shell -- python doc/make_state_table.py"
    assert set(module.reachable()) == set(SITUATIONS)
