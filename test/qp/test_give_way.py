# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Motors that give way: within every limit, and whatever the detector says or does not say."""

from itertools import product

import numpy as np
import pytest
from followed_strike import SPEED, TOOL, WINDOW, Q, approach_of, follow

from impact_predictor.strike.strike_case import NailCase, StrikeCase
from impact_predictor.strike.striker import Striker
from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_qp.strike.give_way import FASTEST, give_way
from impact_qp.strike.strike_approach import strike_controller
from impact_robots import ArmDynamics

CASE = StrikeCase(TOOL.nominal, NailCase(3e6, 200.0))
RETURNS = [Phase.APPROACH, Phase.COAST, Phase.RETRACT, Phase.BRAKE, Phase.HOLD]


@pytest.fixture(scope="module")
def approach(panda):
    return approach_of(panda)


@pytest.fixture(scope="module")
def pulse(panda, approach):
    return give_way(Striker(panda, TOOL, Q), CASE, SPEED, approach.arrives(SPEED).dq)


def struck(approach, pulse, impact):
    controller = strike_controller(approach, SPEED, WINDOW, pulse)
    return follow(controller, approach.start, impact=impact)


def beyond_gravity(rows, phase=Phase.COAST):
    return np.array([each.torque - each.gravity for each, *_ in rows if each.phase is phase])


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("speed", [0.2, 0.5, 1.5])
def test_a_pulse_is_within_the_limits_of_torque_and_rate(panda, speed, friction):
    striker = Striker(panda, TOOL, Q)
    rows = give_way(striker, CASE._replace(friction=friction), speed, np.zeros(7))
    assert len(rows) > 5
    limits, gravity = panda.limits, striker.point(0.3).g
    steps = np.diff(np.vstack([np.zeros(7), rows]), axis=0)
    assert np.all(np.abs(steps) <= limits.torque_rate * 1e-3 * (1 + 1e-9))
    assert np.all(np.abs(rows + gravity) <= limits.torque * (1 + 1e-9)) and not rows[-1].any()


def test_the_motors_are_pushed_as_the_contact_pushes_the_links(panda, pulse):
    """The work of the pulse along the strike is against it: the arm is not driven into the nail."""
    striker = Striker(panda, TOOL, Q)
    state = striker.point(0.3)
    away = np.linalg.solve(state.robot_state.inertia(panda.apparent_motor_inertia), pulse.T)
    assert np.all(striker.direction @ state.J[:3] @ away <= 1e-9)


def test_what_friction_may_turn_round_does_not_give_way(panda):
    striker = Striker(panda, TOOL, Q)
    smooth, rough = (
        np.abs(give_way(striker, CASE._replace(friction=each), SPEED, np.zeros(7))).max(axis=0)
        for each in (0.0, 0.3)
    )
    wrist = [4, 6]
    assert np.all(smooth[wrist] > 0.1) and not rough[wrist].any()
    assert rough[1] > 0.5 * smooth[1] > 1.0, "the shoulder does"


def test_a_joint_near_its_velocity_limit_ends_the_pulse(panda):
    """The wrist of an arm that arrives fast would fly: less of it gives way, or nothing."""
    striker, sums = Striker(panda, TOOL, Q), []
    for joint, sign in product(range(4, 7), (1.0, -1.0)):
        fast = np.zeros(7)
        fast[joint] = sign * (FASTEST * panda.limits.velocity[joint] - 0.02)
        sums.append(np.abs(give_way(striker, CASE, SPEED, fast)).sum())
    free = np.abs(give_way(striker, CASE, SPEED, np.zeros(7))).sum()
    assert min(sums) < 0.85 * free


def test_an_arm_that_misses_is_sent_gravity_alone(approach, pulse):
    phases, _, rows = struck(approach, pulse, lambda phase, count: False)
    assert phases == RETURNS
    assert np.abs(beyond_gravity(rows)[1:]).max() < 1e-9


@pytest.mark.parametrize("late", [1, 10, 40, 60])
def test_a_false_detection_in_the_air_throws_no_arm(panda, approach, pulse, late):
    """Whenever it comes: joints within their velocities, the head no faster, and back home."""
    phases, q, rows = struck(approach, pulse, lambda phase, k: phase is Phase.COAST and k >= late)
    assert phases == RETURNS
    sent = beyond_gravity(rows)[late + 1 :]
    lasts = min(len(sent), len(pulse))
    assert lasts > 5
    np.testing.assert_allclose(sent[:lasts], pulse[:lasts], atol=1e-6)
    velocity = np.array([dq for *_, dq in rows])
    assert np.all(np.abs(velocity) < panda.limits.velocity)
    dynamics = ArmDynamics(approach.robot)
    speeds = [dynamics(at, dq).velocity @ approach.surface.normal for _, at, dq in rows]
    assert min(speeds) > -1.05 * SPEED and max(speeds) < 0.6
    home = dynamics.position(q) - dynamics.position(approach.start)
    assert np.linalg.norm(home) < 2e-3 and np.abs(q - approach.start).max() < 0.05


def test_a_contact_before_the_arm_lets_go_finds_gravity_alone(approach, pulse):
    """The plan's force is that of a contact at the planned speed, which this need not be."""
    sent = []
    for each in (pulse, None):
        phases, _, rows = struck(
            approach,
            each,
            lambda phase, k: phase is Phase.COAST or (phase is Phase.APPROACH and k > 80),
        )
        assert Phase.COAST in phases
        sent.append(beyond_gravity(rows))
    np.testing.assert_array_equal(*sent)


def test_a_stop_ends_the_pulse(approach, pulse):
    controller = strike_controller(approach, SPEED, WINDOW, pulse)
    seen = []

    def detected(phase, count):
        if phase is Phase.COAST and count == 8:
            controller.stop()
        seen.append(phase)
        return phase is Phase.COAST and count >= 1

    phases, _, rows = follow(controller, approach.start, impact=detected)
    assert phases == [Phase.APPROACH, Phase.COAST, Phase.BRAKE, Phase.HOLD]
    sent = beyond_gravity(rows)
    assert np.abs(sent[:12]).max() > 0.5
    np.testing.assert_allclose(sent[14:], 0.0, atol=1e-9)  # 1 N.m a cycle, the robot's limit


def test_the_guard_lets_the_pulse_pass(approach, pulse):
    """Torques, rates and states as the guards check them: nothing is withheld."""
    guarded = GuardedController(strike_controller(approach, SPEED, WINDOW, pulse))
    q, dq, time, count = np.array(approach.start), np.zeros(7), 10**9, 0
    for _ in range(3000):
        phase = guarded.controller._phase
        count = count + 1 if phase is Phase.COAST else 0
        command = guarded.cycle(time, q, dq, impact=count > 20)
        assert command is not None, guarded.fault
        if command.phase is Phase.HOLD:
            break
        q = q + 1e-3 * (dq + 0.5e-3 * command.ddq)
        dq, time = dq + 1e-3 * command.ddq, time + 10**6
    assert command.phase is Phase.HOLD and not guarded.fault


def test_it_is_off_unless_asked_for(approach):
    assert not TOOL.give_way
    for pulse in (None, np.zeros((0, 7))):
        _, _, rows = struck(approach, pulse, lambda phase, k: phase is Phase.COAST)
        assert np.abs(beyond_gravity(rows)[1:]).max() < 1e-9
