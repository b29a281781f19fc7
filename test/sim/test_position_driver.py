# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A position-controlled arm at 200 Hz: it hits at its bound, and with links and motors."""

from dataclasses import replace

import numpy as np
import pytest
from position_hits import (
    RATE,
    effective_masses,
    position_case,
    position_hit,
)

from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.signals.sample import JointSample
from impact_predictor.contact_force.laws import Viscoelastic
from impact_qp import Phase
from impact_robots import load_robot
from impact_sim import NO_NOISE, SimulationError
from impact_sim.driver.position_driver import PositionDriver
from impact_trials.in_process.touch_trial import POSITION_GAIN, servoed

MILLISECOND = 1_000_000


@pytest.fixture(scope="module")
def panda():
    return servoed(load_robot("panda"))


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("panda", "robust"),
        ("panda", "joint_load"),
        ("ur_class", "robust"),
        ("kuka_class", "robust"),
    ],
)
def test_it_arrives_at_its_bound_and_keeps_every_limit(tmp_path, name, limits):
    robot, q, contact, law = position_case(name, tmp_path)
    found = position_hit(robot, q, contact, law, limits, friction=contact.friction[1])
    assert found.speed == pytest.approx(found.bound, rel=0.02)
    assert found.torque_share.max() < 1.0, "the servo's push until the detection included"
    assert found.velocity_share.max() < 1.0
    assert found.acceleration_share <= 1.0 + 1e-9
    assert 0.0 < found.detected_after < 0.03
    assert Phase.RETRACT in found.phases and Phase.COAST not in found.phases


@pytest.mark.parametrize("soft", [True, False])
def test_it_hits_with_links_and_motors_unless_the_wall_is_hard(tmp_path, soft):
    robot, q, contact, law = position_case("panda", tmp_path)
    if not soft:
        law = Viscoelastic(1e6, 4e7)
    found = position_hit(robot, q, contact, law, "robust")
    of, mass = effective_masses(robot, found, contact.normal), found.compression / found.speed
    if soft:
        assert of["M+B_rho"] < mass < 1.15 * of["M+B_rho"], "and the servo pushes"
    else:
        assert 1.3 * of["M"] < mass < 0.8 * of["M+B_rho"], "springs keep the motors back"
    assert (found.compression_time > 5e-3) == soft


def test_the_arm_follows_with_the_lag_of_its_servo(panda):
    driver, speed = PositionDriver(panda, noise=NO_NOISE), 0.2
    q = driver.reset(panda.stance).q
    for _ in range(round(1.0 * RATE)):
        q = q + speed / RATE * np.eye(7)[6]
        measured = driver.step(q)
    assert measured.time == pytest.approx(1.0)
    lag = (q - measured.q)[6]
    assert lag == pytest.approx(speed * (1.0 / POSITION_GAIN - 0.5 / RATE), abs=0.5 * speed / RATE)
    for _ in range(round(1.0 * RATE)):
        measured = driver.step(q)
    np.testing.assert_allclose(measured.q, q, atol=1e-4)
    np.testing.assert_allclose(driver.brake().q, q, atol=1e-4)


def test_a_command_lasts_a_period_with_all_its_forces(panda):
    driver = PositionDriver(panda, noise=NO_NOISE)
    driver.reset(panda.stance)
    measured = driver.step(panda.stance)
    assert measured.time_ns == 5 * MILLISECOND
    assert measured.forces.shape == (125, 3)
    np.testing.assert_allclose(measured.q, panda.stance, atol=1e-5)


def test_the_detector_for_fast_states_says_that_200_hz_are_too_slow(panda):
    session = session_for(DetectorParameters(), panda)
    for k in range(120):
        sample = JointSample(k * 5 * MILLISECOND, panda.stance, np.zeros(7), np.zeros(7))
        (status,) = session.add_state(sample).statuses
    assert not status.ready
    (trouble,) = [text for what, text in session.troubles.items() if what.startswith("rate")]
    assert trouble.startswith("fused needs at least") and "got 200 Hz: use" in trouble
    assert "momentum" in trouble


def test_what_does_not_suit_is_refused(panda):
    with pytest.raises(SimulationError, match="robot panda does not give 'servo_stiffness' and"):
        PositionDriver(replace(panda, servo_stiffness=None))
    with pytest.raises(SimulationError, match="rate: expected 1000 Hz over a whole number"):
        PositionDriver(panda, rate=300.0)
    driver = PositionDriver(panda)
    driver.reset(panda.stance)
    with pytest.raises(SimulationError, match="command: expected 7 finite numbers"):
        driver.step(np.full(7, np.nan))
