# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One of several arms stops where it is, holds there, and never flies back to anywhere."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from rigid_arm import RigidArm
from spread_run_up import DT, NOMINAL, START, run_up

from impact_qp.spreading import SpreadGuard, SpreadingController, SpreadPlan, StopReason
from impact_robots import ArmDynamics

SAG = 0.030  # goal, of an unannounced payload of 3 kg [m]
RETURN = 0.1 * 1.2  # of an arm that comes back to where it is held, at most [m/s]


@pytest.fixture(scope="module")
def plan(panda):
    return SpreadPlan(run_up(panda, 0.7))


class Run:
    """An arm, its controller, and where the contact point went."""

    def __init__(self, panda, plan, **settings):
        self.arm, self.controller = RigidArm(panda, START), SpreadingController(panda, plan)
        self.dynamics, self.k, self.places, self.speeds = ArmDynamics(panda), 0, [], []
        self.random = np.random.default_rng(3)

    def go(self, duration, *, drift=0.0, push=(0.0, 0.0, 0.0), missed=0, **heard):
        """Go on for so long [s]; ``drift``: with stamps that run that much ahead; a push [N].

        ``missed``: at most so many states in a row.
        """
        end = self.k + round(duration / DT)
        while self.k < end:
            noise = 1e-5 * self.random.normal(size=7), 4e-3 * self.random.normal(size=7)
            q, dq = self.arm.q + noise[0], self.arm.dq + noise[1]
            command = self.controller.update(self.k * DT + drift, q, dq, **heard)
            point = self.dynamics(self.arm.q, self.arm.dq)
            for _ in range(1 + int(self.random.integers(missed + 1)) if missed else 1):
                self.arm.step(command.torque + point.J[:3].T @ push)
                point = self.dynamics(self.arm.q, self.arm.dq)
                self.places.append(point.position)
                self.speeds.append(float(np.linalg.norm(point.velocity)))
                self.k += 1
        return command

    def moved(self, by):
        """Let somebody move the arm, elsewhere and still."""
        self.arm.q, self.arm.dq = self.arm.q + by, np.zeros(7)
        return self.dynamics.position(self.arm.q)

    def load(self, mass, beside=(0.0, 0.0, 0.0)):
        """Hang a payload on the contact point that no model knows of [kg], [m]."""
        model = self.arm.model
        data = model.createData()
        pin.forwardKinematics(model, data, self.arm.q)
        last = model.njoints - 1
        at = data.oMi[last].actInv(self.dynamics.position(self.arm.q)) + np.array(beside)
        body = pin.Inertia(mass, at, 1e-3 * np.eye(3))
        model.appendBodyToJoint(last, body, pin.SE3.Identity())
        self.arm.data = model.createData()


@pytest.mark.parametrize("again", ["hold_anew", "settle"])
@pytest.mark.parametrize("by", [0.4, -0.3])
def test_an_arm_that_was_moved_while_it_was_not_commanded_stays_there(panda, plan, by, again):
    run = Run(panda, plan)
    run.go(0.3)
    run.controller.halt()
    assert run.go(0.5).held
    if again == "settle":
        list(run.controller.settle())
    else:
        run.controller.hold_anew()
    there = run.moved(by * np.array([1.0, 0.5, 0, -0.5, 0.5, 0.8, 1.0]))
    count = len(run.speeds)
    run.go(1.0)
    assert np.linalg.norm(run.places[-1] - there) < 2e-3
    assert max(run.speeds[count:]) < 0.02


def test_an_arm_that_is_pushed_stays_where_it_was_pushed_to(panda, plan):
    """By somebody, at once: it is farther away than the distance, in place or in turn."""
    run = Run(panda, plan)
    run.controller.halt()
    run.go(0.5)
    for by in (np.array([0.3, 0, 0, 0.2, 0, 0, 0]), np.array([0, 0, 0, 0, 0, 0, 0.6])):
        there = run.moved(by)
        count = len(run.speeds)
        run.go(0.6)
        turned = run.arm.q.copy()
        run.go(0.4)
        assert np.linalg.norm(run.places[-1] - there) < 2e-3
        assert max(run.speeds[count:]) < 0.03
        assert np.abs(run.arm.q - turned).max() < 2e-3


def test_an_arm_that_is_pushed_a_little_comes_back_slowly(panda, plan):
    run = Run(panda, plan)
    run.controller.halt()
    run.go(0.5)
    held = run.places[-1]
    run.go(0.5, push=(0.0, 12.0, 0.0))
    assert 0.005 < np.linalg.norm(run.places[-1] - held) < 0.05
    count = len(run.speeds)
    run.go(2.0)
    assert np.linalg.norm(run.places[-1] - held) < 3e-3
    assert max(run.speeds[count:]) < RETURN


@pytest.mark.parametrize("direction", np.vstack([np.eye(3), -np.eye(3)]).tolist())
def test_an_arm_that_is_pushed_hard_and_let_go_stays_there(panda, plan, direction):
    run = Run(panda, plan)
    run.controller.halt()
    run.go(0.5)
    held = run.places[-1]
    while np.linalg.norm(run.places[-1] - held) < 0.2:
        run.go(0.01, push=80.0 * np.array(direction))
    there, count = run.places[-1], len(run.speeds)
    run.go(1.0)
    assert np.linalg.norm(run.places[-1] - there) < 0.1  # it coasts, and does not come back
    assert max(run.speeds[count + 50 :]) <= run.speeds[count]


def test_a_stop_does_not_go_by_a_clock(panda, plan):
    """Stamps jump back by seconds: the reference of a stop stays where it is."""
    run = Run(panda, plan)
    run.go(0.45)
    run.controller.halt()
    run.go(0.1)
    count = len(run.speeds)
    run.go(0.6, drift=-3.0)
    assert np.linalg.norm(run.places[-1] - run.places[count - 1]) < 0.06
    assert max(run.speeds[count:]) <= run.speeds[count - 1] * 1.1


@pytest.mark.parametrize("missed", [2, 4, 10])
def test_a_stop_whose_states_are_missed_now_and_then_is_steady(panda, plan, missed):
    run = Run(panda, plan)
    run.go(0.45, missed=missed)
    run.controller.halt()
    run.go(1.0, missed=missed)
    start = len(run.places)
    run.go(1.0, missed=missed)
    assert max(run.speeds[start:]) < 0.02
    assert np.ptp(run.places[start:], axis=0).max() < 2e-3


def test_the_orientation_is_held_as_it_is(panda, plan):
    """Activated with the hand turned by half a radian, halted at once: it does not turn back."""
    run = Run(panda, plan)
    turned = run.arm.q + np.array([0, 0, 0, 0, 0, 0, 0.5])
    run.moved(np.array([0, 0, 0, 0, 0, 0, 0.5]))
    run.controller.halt()
    run.go(0.5)
    np.testing.assert_allclose(run.arm.q, turned, atol=5e-3)


@pytest.mark.parametrize(("mass", "beside"), [(0.5, 0.0), (1.5, 0.05), (3.0, 0.0), (3.0, 0.1)])
@pytest.mark.parametrize("when", ["before", "held"])
def test_an_unannounced_payload_sinks_a_little_and_is_named(panda, plan, mass, beside, when):
    run = Run(panda, plan)
    if when == "before":
        run.load(mass, (beside, 0.0, 0.0))
    run.controller.halt()
    height = run.dynamics.position(run.arm.q)[2]
    if when == "held":
        run.go(0.6)
        height = run.places[-1][2]
        run.load(mass, (beside, 0.0, 0.0))
    command = run.go(1.5)
    heights = np.array(run.places)[:, 2]
    assert height - heights.min() < SAG
    assert abs(heights[-1] - heights[-300]) < 1e-3  # it holds
    assert command.held and command.note.endswith("N.m beyond the model")


def test_a_stop_in_a_run_up_takes_its_time_and_no_longer(panda, plan):
    run = Run(panda, plan)
    run.go(0.5)
    fastest = max(run.speeds)
    run.controller.halt()
    count = len(run.speeds)
    assert not run.go(0.29).held
    assert run.go(0.02).held
    assert max(run.speeds[count:]) < 1.05 * fastest
    run.go(0.3)
    assert run.speeds[-1] < 0.01


def test_an_impact_ends_the_braking_at_once(panda, plan):
    run = Run(panda, plan)
    run.go(0.5)
    run.controller.halt()
    run.go(0.05)
    assert run.go(0.002, impact=True).held


def test_a_second_impact_stops_the_arm(panda, plan):
    run = Run(panda, plan)
    run.go(NOMINAL)
    run.go(0.05, impact=True)
    run.go(0.05)
    assert run.controller.stop is None
    run.go(0.003, impact=True)
    assert run.controller.stop is StopReason.AGAIN


def test_an_arm_that_is_faster_than_its_reference_is_stopped(panda, plan):
    """Somebody pulls it along: 0.2 rad/s of the first joint more than commanded."""
    run = Run(panda, plan)
    run.go(0.2)
    count = len(run.speeds)
    while not run.controller.stop and len(run.speeds) < count + 200:
        run.arm.dq = run.arm.dq + np.array([0.4, 0, 0, 0, 0, 0, 0])
        run.go(DT)
    assert run.controller.stop is StopReason.OVERSPEED
    assert len(run.speeds) < count + 60  # about 50 ms


def test_no_motion_is_faster_than_the_cap(panda, plan):
    """Also after the impact, where the force that was meant for an object moves the arm."""
    capped = replace(plan, guard=SpreadGuard(cap=0.4))
    run = Run(panda, capped)
    run.go(0.6)
    assert run.controller.stop is StopReason.OVERSPEED
    assert max(run.speeds) < 0.6
