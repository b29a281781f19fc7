# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parts of the promise of a touch: friction of the surface, short impacts, time of detection."""

from math import inf, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.joint_load.drive import IDEAL, drive_of
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import LoadContact, joint_load
from impact_predictor.people.aim import aim
from impact_predictor.people.loop import Reaction, servo_of
from impact_predictor.people.touch import DampedPush, impact_force
from impact_qp.touch.promise import TASK_GAIN, _detected
from impact_qp.touch.servo_push import LOST, ServoPush
from impact_robots.state.contact_frame import contact_rotation
from impact_trials.in_process.touch_trial import servoed

Q = (0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02)  # rad
U = np.array([1.0, 0.0, 0.0])
SIDEWAYS = np.eye(3)[1:]
NOISE = 1e-5  # m


@pytest.fixture(scope="module")
def to(panda):
    return aim(panda, Q, U)


@pytest.fixture(scope="module")
def rows(to):
    return to.state.at(to.frame).J[:3]


def frictions(most):
    """Friction of any direction, up to ``most`` of the normal force, shape (k, 3)."""
    turns, parts = np.linspace(0.0, 2.0 * np.pi, 360), np.linspace(0.0, most, 21)
    ring = np.outer(np.cos(turns), SIDEWAYS[0]) + np.outer(np.sin(turns), SIDEWAYS[1])
    return np.concatenate([part * ring for part in parts])


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3])
def test_mass_with_friction_is_that_of_the_worst_friction(panda, to, rows, friction):
    M = to.state.inertia(np.array(panda.apparent_motor_inertia))
    forces = U + frictions(friction)
    moves = (forces @ rows) @ np.linalg.solve(M, rows.T @ U)  # acceleration along U of 1 N
    found = to.mass(panda.apparent_motor_inertia, friction)
    assert found == pytest.approx(1.0 / moves.min(), rel=1e-4)


def test_friction_adds_no_more_than_to_hold_the_point_sideways(panda, to, rows):
    M = to.state.inertia(np.array(panda.apparent_motor_inertia))
    held = SIDEWAYS @ rows
    equations = np.block([[M, held.T], [held, np.zeros((2, 2))]])
    moves = np.linalg.solve(equations, np.append(rows.T @ U, np.zeros(2)))[:7]
    found = to.mass(panda.apparent_motor_inertia, 100.0)
    assert found == pytest.approx(1.0 / (U @ rows @ moves), rel=1e-9)
    assert found > 1.05 * to.mass(panda.apparent_motor_inertia)


def test_in_a_short_impact_the_motors_hardly_take_part(panda, to):
    motors = panda.reflected_motor_inertia
    for stiffness, least, most in ((1e4, 0.9, 1.0), (1e6, 0.5, 0.9)):
        two_masses = sqrt(stiffness * to.mass(motors))
        assert least < impact_force(to, motors, stiffness, 0.0) / two_masses <= most
    links = sqrt(1e7 * to.mass())
    assert impact_force(to, motors, 1e7, 0.0) > 0.95 * links
    assert impact_force(to, motors, 1e8, 0.0) == pytest.approx(sqrt(1e8 * to.mass(motors)))


def test_a_hit_that_friction_makes_long_is_below_the_promise(panda):
    """By the joint-load model with Coulomb friction, in a pose where it adds most."""
    q = (0.796, -0.482, -1.862, -0.508, 1.317, 0.388, 2.049)
    to = aim(panda, np.array(q), np.array([0.148, 0.102, -0.26]))
    motors, errors = panda.apparent_motor_inertia, np.array([0.3] * 4 + [0.1] * 3)
    push = DampedPush(
        impact_force(to, motors, 1e7, 0.6),
        _detected(errors, to),
        TASK_GAIN * to.mass(motors, 0.6),
    )
    levers = contact_rotation(-to.direction).T @ to.state.at(to.frame).J[:3]
    law, along = HuntCrossley(1e7, 0.0, 1.0), np.array([0.0, 0.0, -0.05])
    hit = LoadContact(levers, along, law, 0.6)
    for drive in (drive_of(panda, "torque"), IDEAL):
        load = joint_load(elastic_arm(panda, to.state, drive), [hit], duration=0.05)
        assert 0.7 * push.ceiling(0.05) < load.peak_force[0] < push.ceiling(0.05)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_the_force_that_is_detected_is_that_of_the_worst_friction(panda, to, rows, friction):
    errors = 0.02 * panda.limits.torque
    used = np.abs((U + frictions(friction)) @ rows) / errors  # of 1 N
    found = _detected(errors, to, friction)
    assert found == pytest.approx(1.0 / used.max(axis=1).min(), rel=0.02)


def pushing(panda, stiffness, gains=(30.0, 200.0)):
    arm = servoed(panda, *gains)
    to = aim(arm, Q, U)
    react = Reaction(inf, 0.01, 0.01, 2.0, 0.008)
    return ServoPush(to, servo_of(to), stiffness, react, NOISE, 0.008, 0.0)


@pytest.mark.parametrize("stiffness", [1e4, 2e5])
@pytest.mark.parametrize("speed", [0.005, 0.08])
def test_the_time_of_detection_is_that_of_the_equation(panda, stiffness, speed):
    push = pushing(panda, stiffness)
    m, d, k_c = push.mass, push.damping, push.loop.stiffness_along(push.aim)

    def motion(time, state):
        force = stiffness * max(0.0, speed * time - state[0])
        return [state[1], (force - d * state[1] - k_c * state[0]) / m]

    times = np.arange(0.0, 0.5, 1e-4)
    lost, _ = solve_ivp(motion, (0.0, 0.5), [0.0, 0.0], t_eval=times, rtol=1e-8, atol=1e-12).y
    rate = (lost - np.interp(times - push.window, times, lost)) / push.window
    contact = (lost >= push.position(speed)) | ((rate >= push.velocity(speed)) & (times >= 0.008))
    assert push.velocity(speed) >= LOST * speed
    assert push.detected_after(speed) == pytest.approx(times[contact.argmax()], abs=1.1e-3)


def test_a_slow_push_is_detected_at_the_least_force_and_all_grows_with_the_speed(panda):
    push = pushing(panda, 2e4)
    slow = 1e-6
    way = slow * push.detected_after(slow)
    assert push.held.static * way == pytest.approx(push.detection(slow), rel=0.05)
    forces = [push.ceiling(speed) for speed in np.linspace(0.0, 0.25, 100)]
    assert np.all(np.diff(forces) > -1e-3 * forces[-1])
