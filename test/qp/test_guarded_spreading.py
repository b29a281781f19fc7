# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One of several arms through its life: whoever moves it, whatever it hears, it never flies back.

The driver compensates gravity and keeps the last torque until the next one.
"""

import numpy as np
import pytest
from rigid_arm import RigidArm
from spread_run_up import DT, START, run_up

from impact_qp import ControlError
from impact_qp.control.state_machine import Fault, MotionState
from impact_qp.spreading import SpreadGuard, SpreadingController, SpreadPlan
from impact_qp.spreading.guarded_spreading import GuardedSpreading
from impact_robots import ArmDynamics

MS = 1_000_000
AWAY = np.array([0.4, -0.2, 0.1, -0.3, 0.3, 0.3, 0.5])
COASTS = 1.15  # an arm without friction and torques, whose energy stays
IN_BOUNDS = 0.45  # from a deactivation to silence: 0.3 of braking, a tenth to rest [s]


@pytest.fixture(scope="module")
def plan(panda):
    return SpreadPlan(run_up(panda, 0.35), guard=SpreadGuard(cap=0.6))


class Life:
    """An arm, its driver and its guarded controller."""

    def __init__(self, panda, plan):
        self.arm, self.control = (
            RigidArm(panda, START),
            GuardedSpreading(SpreadingController(panda, plan), START),
        )
        self.dynamics, self.robot = ArmDynamics(panda), panda
        self.torque, self.now, self.zero = np.zeros(7), 10_000 * MS, 0
        self.sent, self.speeds, self.steps = [], [], []

    def activate(self):
        while self.control.settling:
            self.period(states=False)
        self.zero = self.now
        self.control.activate()

    def period(self, *, states=True, exchanged=False):
        """One period: a state, if there are any, and what follows."""
        self.now += MS
        torque = self.control.settle()
        if states and self.control.engaged and torque is None:
            torque = self.answer(exchanged)
        if torque is not None:
            self.steps.append(np.abs(torque - self.torque).max())
            self.torque = torque
        self.sent.append(torque is not None)
        point = self.dynamics(self.arm.q, self.arm.dq)
        self.speeds.append(float(np.linalg.norm(point.velocity)))
        self.arm.step(self.torque + point.robot_state.g)

    def answer(self, exchanged):
        q, dq = self.arm.q.copy(), self.arm.dq.copy()
        if exchanged:
            q[[3, 5]], dq[[3, 5]] = q[[5, 3]], dq[[5, 3]]
        try:
            if not self.control.accepts(self.now, q, dq):
                return None
        except ControlError:
            return None
        command = self.control.answer((self.now - self.zero) * 1e-9, q, dq)
        return None if command is None else command.driver_torque

    def go(self, duration, **how):
        for _ in range(round(duration / DT)):
            self.period(**how)
        return self

    def moved(self, by=AWAY):
        """Somebody moves the arm, which takes a second."""
        self.now += 1000 * MS
        self.arm.q, self.arm.dq = self.arm.q + by, np.zeros(7)
        return self.dynamics.position(self.arm.q)

    def place(self):
        return self.dynamics.position(self.arm.q)


@pytest.fixture
def life(panda, plan):
    made = Life(panda, plan)
    made.activate()
    return made


def test_an_arm_that_was_moved_while_its_states_were_lost_stays_there(life):
    life.go(0.3)
    life.control.lose("no joint state for 0.1 s")
    life.go(0.1, states=False)
    assert not life.torque.any()
    there, before = life.moved(), len(life.speeds)
    life.go(1.0)
    assert np.linalg.norm(life.place() - there) < 2e-3
    assert max(life.speeds[before:]) < 0.02
    assert life.control.machine.situation.motion is MotionState.HOLD


def test_an_arm_whose_states_were_lost_does_not_go_on_with_its_plan(life):
    life.go(0.3)
    life.control.lose("no joint state for 0.03 s")
    life.go(0.03, states=False)
    before = len(life.speeds)
    life.go(0.6)
    assert life.control.machine.situation.motion is MotionState.HOLD
    assert life.control.controller.held and max(life.speeds[before + 100 :]) < life.speeds[before]
    assert life.speeds[-1] < 0.02


@pytest.mark.parametrize("after", [0.0, 0.01, 0.2, 0.45])
def test_deactivated_it_brakes_and_is_silent_in_a_bounded_time(life, after):
    life.go(after)
    fastest = max(life.speeds, default=0.0)
    life.control.deactivate()
    before = len(life.speeds)
    life.go(IN_BOUNDS)
    assert not life.control.engaged and not life.torque.any()
    assert max(life.speeds[before:]) <= fastest + 0.02
    there, count = life.moved(), len(life.sent)
    life.go(0.5)
    assert not any(life.sent[count:])
    np.testing.assert_allclose(life.place(), there, atol=1e-4)


def test_deactivated_without_states_it_is_silent_soon(life):
    life.go(0.4)
    life.control.deactivate()
    life.control.lose("no joint state for 0.1 s")
    life.go(0.1, states=False)
    assert not life.control.engaged and not life.torque.any()


def test_exchanged_joints_are_never_trusted_again(life):
    life.go(0.4)
    fastest = max(life.speeds)
    life.go(0.004, exchanged=True)
    assert life.control.machine.situation.fault is Fault.LATCHED
    life.go(0.1, exchanged=True)
    assert not life.torque.any()
    count = len(life.sent)
    life.go(0.5, exchanged=True)
    life.go(0.5)  # nor are those that are right again
    assert not any(life.sent[count:])
    assert "implausible joint states: panda_joint" in life.control.fault
    assert max(life.speeds) < COASTS * fastest


def test_activated_elsewhere_it_stays_there(life):
    life.go(0.3)
    life.control.deactivate()
    life.go(IN_BOUNDS)
    there = life.moved()
    life.control.look(life.now, life.arm.q, life.arm.dq)
    assert "rad from the plan's start" in life.control.refusal
    life.activate()  # by one that did not look
    before = len(life.speeds)
    life.go(0.8)
    assert np.linalg.norm(life.place() - there) < 2e-3
    assert max(life.speeds[before:]) < 0.02


def events(life, random):
    """What can happen, by name."""
    return {
        "activate": life.activate if life.control.inactive else lambda: None,
        "deactivate": life.control.deactivate,
        "stop": lambda: life.control.stop("asked"),
        "lose": lambda: life.control.lose("no states"),
        "move": lambda: life.moved(random.uniform(-0.3, 0.3, 7)),
        "exchange": lambda: life.go(0.01, exchanged=True),
        "silence": lambda: life.go(0.05, states=False),
    }


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_in_whatever_order_it_is_slow_and_ends_in_rest(panda, plan, seed):
    life, random = Life(panda, plan), np.random.default_rng(seed)
    for _ in range(8):
        known = events(life, random)
        moves = life.control.machine.situation.motion is MotionState.MOVE
        name = str(random.choice([each for each in known if each != "move" or not moves]))
        if name == "move" and life.control.engaged:
            life.control.lose("no states")
            life.go(0.1, states=False)
        known[name]()
        before, moving = len(life.speeds), max(life.speeds[-1:], default=0.0)
        life.go(0.15)
        now = life.control.machine.situation.motion
        if now not in (MotionState.MOVE, MotionState.BRAKE):
            assert max(life.speeds[before:]) <= max(COASTS * moving, 0.05)
    assert max(life.speeds) < 1.2 * 0.6 + 0.05
    assert max(life.steps, default=0.0) <= panda.limits.torque_rate.max() * DT * 1.001
    life.control.deactivate()
    life.go(IN_BOUNDS)
    assert not life.control.engaged and not life.torque.any()
