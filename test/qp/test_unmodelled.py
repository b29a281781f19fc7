# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The bound holds for an arm whose friction and gravity no model knows."""

import numpy as np
import pytest

from impact_qp import Contact, ImpactController, Phase, Plan
from impact_robots import ArmDynamics

# Joint friction of a real Panda: Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca (RA-L 2019).
SIZE = np.array([0.54615, 0.87224, 0.64068, 1.2794, 0.83904, 0.30301, 0.56489])
SHIFT = np.array([0.039533, 0.025882, -0.04607, 0.036194, 0.026226, -0.021047, 0.0035526])
SLOPE = np.array([5.1181, 9.0657, 10.136, 5.5903, 8.3469, 17.133, 10.336])


def gaz(dq):
    return SIZE / (1 + np.exp(-SLOPE * (dq + SHIFT))) - SIZE / (1 + np.exp(-SLOPE * SHIFT))


def coulomb(dq):
    return 0.3 * np.tanh(dq / 0.01) + 0.5 * dq


def nothing(dq):
    return 0.0 * dq


class PushedArm:
    """An arm with friction, each of whose joints is pushed towards a surface by a torque [N.m]."""

    def __init__(self, robot, contact, q, push, friction=nothing):
        self._dynamics, self._motors = ArmDynamics(robot), np.diag(robot.apparent_motor_inertia)
        self._normal, self._push, self._friction = contact.normal, push, friction
        self._random = np.random.default_rng(0)
        self.q, self.dq = np.array(q, dtype=float), np.zeros(7)

    @property
    def measured(self):
        noise = self._random.standard_normal((2, 7))
        return self.q + 1e-5 * noise[0], self.dq + 4e-3 * noise[1]

    @property
    def point(self):
        return self._dynamics(self.q, self.dq)

    def step(self, torque):
        state = self.point
        wrong = self._friction(self.dq) + self._push * np.sign(self._normal @ state.J[:3])
        self.dq = self.dq + 1e-3 * np.linalg.solve(state.M + self._motors, torque - state.h - wrong)
        self.q = self.q + 1e-3 * self.dq


@pytest.mark.parametrize(
    ("friction", "push"),
    [(nothing, 0.0), (coulomb, 0.0), (gaz, 0.0), (nothing, 1.0), (nothing, -1.0)],
)
def test_the_approach_keeps_to_the_bound(panda, scenario, contact, friction, push):
    """``push`` N.m of every joint towards the surface, as of a wrong load: it was 34 % too fast."""
    controller, ratios = ImpactController(panda, Plan(contact, speed=0.5)), []
    arm = PushedArm(panda, contact, scenario.start(panda), push, friction)
    for _ in range(3000):
        command = controller.update(*arm.measured)
        if command.gap < 0.0:
            break
        row = contact.normal @ arm.point.J[:3]
        arm.step(command.torque)
        if command.gap < 0.05:
            ratios.append(-float(row @ arm.dq) / command.speed_bound)
    assert command.gap < 0.0, "the arm never arrived"
    assert max(ratios) <= 1.02
    assert ratios[-1] >= 0.97


@pytest.mark.parametrize("away", [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
@pytest.mark.parametrize("before", [0.005, 0.01])
def test_after_a_false_alarm_the_load_is_borne_while_the_arm_coasts(panda, away, before):
    """Without, the arm met the surface at up to ten times its bound."""
    q, away = np.array(panda.stance), np.array(away)
    place = ArmDynamics(panda).position(q) - 0.03 * away
    contact = Contact(place, away, (0.0, 0.3), (0.0, 0.3))
    controller = ImpactController(panda, Plan(contact, "robust", speed=0.1))
    arm, alarm = PushedArm(panda, contact, q, 1.0), None
    for k in range(4000):
        gap = contact.gap(arm.point.position)
        alarm = k if alarm is None and gap < before else alarm
        if gap <= 0.0:
            break
        impact = alarm is not None and k < alarm + 50
        command = controller.update(*arm.measured, impact=impact)
        arm.step(command.torque)
        if command.phase is Phase.HOLD:
            break
    assert alarm is not None and command.phase in (Phase.COAST, Phase.RETRACT, Phase.HOLD)
    bound = controller.impact_limit.speed_bound(arm.point).speed
    assert gap > 0.0 or contact.approach_speed(arm.point.velocity) <= 1.02 * bound


@pytest.mark.parametrize("away", [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
def test_a_goal_goes_on_bearing_the_load_that_the_arm_held(panda, away):
    """Without, the arm was twice as fast as its bound 3 mm further on."""
    q, away = np.array(panda.stance), np.array(away)
    start = ArmDynamics(panda).position(q)
    far = Contact(start - 0.3 * away, away, (0.0, 0.3), (0.0, 0.3))
    controller, arm = ImpactController(panda, Plan(far, "robust")), PushedArm(panda, far, q, 1.0)
    controller.stop()
    for _ in range(1500):
        arm.step(controller.update(*arm.measured).torque)
    near = Contact(arm.point.position - 0.003 * away, away, (0.0, 0.3), (0.0, 0.3))
    goal = ImpactController(panda, Plan(near, "robust", speed=0.1))
    goal.adopt(controller)
    for _ in range(2000):
        if near.gap(arm.point.position) <= 0.0:
            break
        arm.step(goal.update(*arm.measured).torque)
    bound = goal.impact_limit.speed_bound(arm.point).speed
    assert 0.8 * bound < near.approach_speed(arm.point.velocity) <= 1.04 * bound
