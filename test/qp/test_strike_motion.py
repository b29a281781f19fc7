# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The motion of a strike: lets go before the target, whatever comes, and returns to its start."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from followed_strike import SPEED, WINDOW, approach_of, follow

from impact_qp.control.phases import Phase, Situation
from impact_qp.strike.strike_approach import OVERRUN, strike_controller
from impact_qp.strike.strike_motion import (
    EARLY,
    LONGEST_RETURN,
    NEAREST,
    StrikeMotion,
    coast_time,
)
from impact_robots import ArmDynamics

LET_GO = NEAREST + EARLY * SPEED


@pytest.fixture(scope="module")
def approach(panda):
    return approach_of(panda)


@pytest.fixture
def motion(approach):
    home = ArmDynamics(approach.robot)(approach.start, np.zeros(7))
    return StrikeMotion(approach.robot, approach.plan(SPEED), home, SPEED)


def plan_of(approach, **changes):
    return replace(approach.plan(SPEED), overrun=OVERRUN, coast_time=0.1, **changes)


def test_no_phase_drives_the_head_into_the_target(approach, motion):
    """In all situations: behind the place of letting go the next phase never approaches."""
    plan, seen = plan_of(approach), 0
    gaps = [LET_GO, LET_GO - 1e-9, 0.0, -0.01, -OVERRUN - 1e-6]
    flags = [False, True]
    for phase, gap, since, impact, stopping, blocked, rest, detected, pushed in product(
        set(Phase) - {Phase.PRESS}, gaps, [0.0, 10.0], *[flags] * 6
    ):
        now = Situation(phase, since, gap, impact, stopping, blocked, rest, detected, pushed)
        after, seen = motion.next_phase(now, plan), seen + 1
        assert after is not Phase.APPROACH and after is not Phase.PRESS
        if stopping and phase is Phase.COAST and since < plan.coast_time and gap >= -OVERRUN:
            assert after is Phase.COAST  # a braking arm would be hit with its impedance on
        elif stopping:
            assert after in (Phase.BRAKE, Phase.HOLD) or phase is Phase.HOLD
        if phase is Phase.COAST and gap < -OVERRUN and not stopping:
            assert after is Phase.RETRACT
        if phase is Phase.RETRACT and since > LONGEST_RETURN:
            assert after in (Phase.BRAKE, Phase.HOLD)
    assert seen == 5 * 5 * 2 * 64


def test_it_approaches_until_it_lets_go(approach, motion):
    plan = plan_of(approach)
    before = Situation(Phase.APPROACH, 0.1, LET_GO + 1e-6)
    assert motion.next_phase(before, plan) is Phase.APPROACH
    assert motion.next_phase(before._replace(gap=LET_GO), plan) is Phase.COAST


def test_the_arm_coasts_beyond_the_longest_contact():
    assert coast_time(SPEED, WINDOW) > LET_GO / SPEED + WINDOW


def test_an_arm_that_hits_nothing_returns_to_its_start(approach):
    controller = strike_controller(approach, SPEED, 0.2)
    phases, q, rows = follow(controller, approach.start)
    assert phases == [Phase.APPROACH, Phase.COAST, Phase.RETRACT, Phase.BRAKE, Phase.HOLD]
    arm = ArmDynamics(approach.robot)
    away = arm.position(q) - arm.position(approach.start)
    assert np.linalg.norm(away) < 2e-3 and np.abs(q - approach.start).max() < 0.03
    deepest = min(command.gap for command, *_ in rows)
    braking = SPEED**2 / (2.0 * controller.plan.ramp)
    assert -OVERRUN - braking < deepest < -OVERRUN  # it looked for the target, and gave up


def test_it_lets_go_with_gravity_alone(approach):
    controller = strike_controller(approach, SPEED, WINDOW)
    _, _, rows = follow(controller, approach.start)
    coasting = [command for command, *_ in rows if command.phase is Phase.COAST]
    assert len(coasting) == pytest.approx(1e3 * controller.plan.coast_time, abs=2)
    for command in coasting[1:]:
        np.testing.assert_allclose(command.torque, command.gravity, atol=1e-9)


def test_a_stop_during_a_strike_ends_in_a_hold(approach):
    controller = strike_controller(approach, SPEED, WINDOW)
    q, dq, phase = np.array(approach.start), np.zeros(7), None
    for k in range(2000):
        if k == 150:
            controller.stop()
        command = controller.update(q, dq)
        phase = command.phase
        if k > 150:
            assert phase in (Phase.BRAKE, Phase.HOLD)
        q = q + 1e-3 * (dq + 0.5e-3 * command.ddq)
        dq = dq + 1e-3 * command.ddq
    assert phase is Phase.HOLD and command.gap > 0.0
