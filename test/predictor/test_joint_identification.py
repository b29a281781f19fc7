# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joints identified from hits of the flexible-joint plant: intervals hold the arm that hit."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from coasting_hit import coasting_hit

from impact_predictor import PredictionError
from impact_predictor.identification import joint_fit
from impact_predictor.identification.joint_entries import identified_robot, joint_entries_text
from impact_predictor.identification.joint_identification import identify_joints
from impact_predictor.identification.motor_motion import motor_motion
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load_case import scale_ends, viscoelastic
from impact_predictor.joint_load.motion_records import TICK
from impact_robots import ArmDynamics, Surface, load_robot

SPEED = 0.1
STANCE = (0.0, 0.0, 0.0, -2.094, 0.0, 2.094, 0.0)
TURNED = (0.3, -0.6, 0.2, -2.2, 0.5, 2.0, 0.3)
LOW = (-0.4, 0.2, -0.3, -1.8, -0.6, 1.6, 0.3)
FORWARD, DOWN, ASIDE = (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
HITS = ((STANCE, DOWN), (STANCE, ASIDE), (TURNED, FORWARD), (LOW, ASIDE), (LOW, DOWN))
ARMS = 3  # benchmarks/joint_identification.py does the same with 50 and eight hits each


def drawn(robot, random):
    """An arm of the assumed ranges, whose electronics take it to be the robot."""
    scale = random.uniform(*scale_ends(robot.joint_ranges, robot.dof))
    return robot.with_joints(scale), scale


def recorded(robot, arm, random, *, hits=HITS, speed=SPEED):
    found = []
    for pose, normal in hits:
        q = np.array(pose) + random.uniform(-0.05, 0.05, robot.dof)
        law = viscoelastic(10.0 ** random.uniform(5.0, 6.5), random.uniform(0.02, 0.5), speed)
        one = coasting_hit(
            robot,
            q,
            Surface(None, normal, 0.2),
            speed,
            law,
            arm=arm,
            before=0.02 + random.uniform(0.0, 1e-3),
            seed=int(random.integers(2**31)),
        )
        found.append(one)
    return found


@pytest.fixture(scope="module")
def arms(panda):
    """Hits, truth and what was identified, of each arm."""
    found = []
    for number in range(ARMS):
        random = np.random.default_rng([7, number])
        arm, scale = drawn(panda, random)
        hits = recorded(panda, arm, random)
        found.append((hits, scale, identify_joints(panda, hits)))
    return found


def test_intervals_hold_the_truth_and_are_narrow(arms):
    inside, errors = [], []
    for _, scale, found in arms:
        known = found.known
        inside += ((found.low <= scale) & (scale <= found.high))[known].tolist()
        errors.append(np.abs(found.scale / scale - 1.0))
        assert known[[0, 2], 3:6].all() and known[1, 3:6].sum() >= 2
    assert len(inside) > 45
    assert np.mean(inside) > 0.92
    stiffness, damping, inertia = np.nanmedian(errors, axis=(0, 2))
    assert stiffness < 0.03 and inertia < 0.03 and damping < 0.12


def test_noise_explains_what_is_left(panda, arms):
    misfit = np.array([found.misfit[:6] for _, _, found in arms])
    assert np.nanmedian(misfit) == pytest.approx(1.0, abs=0.1)
    for hits, _, found in arms:
        few = identify_joints(panda, hits[1:4])
        fewer = few.hits < found.hits
        assert (few.most_misfit[:6] >= found.most_misfit[:6]).all() and fewer.any()
        assert found.most_misfit[3] == pytest.approx(1.1 + 3.0 * np.sqrt(2 / 270), abs=0.08)


def test_a_joint_that_no_hit_excites_keeps_what_was_assumed(panda, arms):
    """The contact point lies on the last joint's axis."""
    _, _, found = arms[0]
    assert found.hits[6] == 0 and np.isnan(found.scale[:, 6]).all()
    np.testing.assert_array_equal(found.bounds[:, 0, 6], panda.joint_ranges.stiffness[:, 6])
    assert found.values[:, 6].tolist() == [1.0, 1.0, 1.0]


def test_what_lies_outside_of_the_assumed_range_is_said_to(panda, arms):
    hits, scale, _ = arms[0]
    low, high = 1.5 * scale[0, 5], 2.5 * scale[0, 5]
    stiffness = np.repeat([[low], [high]], 7, axis=1)
    wrong = replace(panda, joint_ranges=replace(panda.joint_ranges, stiffness=stiffness))
    found = identify_joints(wrong, hits)
    assert found.contradicted[0, 5] and found.high[0, 5] < low
    assert not identify_joints(panda, hits).contradicted[0, 5]


def test_positions_of_the_motors_tell_no_stiffness(panda, arms):
    """An arm whose encoders are before the spring looks like one of infinite stiffness."""
    hits, scale, _ = arms[0]
    stiffness = panda.joint_stiffness * scale[0]
    motors = [replace(hit, position=hit.position + hit.torque / stiffness) for hit in hits]
    found = identify_joints(panda, motors)
    assert found.hits[:6].min() > 1
    assert not found.known[0].any()
    assert not found.explained[3:6].any()


@pytest.mark.parametrize(("gain", "lag"), [(0.75, 1.0), (1.3, 1.0), (1.0, 0.6), (1.0, 1.7)])
def test_another_torque_loop_does_not_shift_the_stiffness_unnoticed(panda, monkeypatch, gain, lag):
    """Its gain makes another B_theta; one at 1 kHz instead of 4 lags 1.7 times as long."""
    random = np.random.default_rng([7, 5])
    arm, scale = drawn(panda, random)
    other = replace(arm, apparent_motor_inertia=gain * arm.apparent_motor_inertia)
    hits = recorded(panda, other, random)
    monkeypatch.setattr(joint_fit, "FILTER_HZ", lag * joint_fit.FILTER_HZ)  # what is thought of it
    found = identify_joints(panda, hits)
    known = found.known[0]
    assert known.sum() >= 4
    assert ((found.low[0] <= scale[0]) & (scale[0] <= found.high[0]))[known].all()


def test_a_driven_arm_is_not_explained(panda, arms):
    """A torque of 3 N.m that the motors get 15 ms after contact, unknown to the fit."""
    hits, _, _ = arms[0]
    inertia = panda.reflected_motor_inertia
    driven = []
    for hit in hits:
        late = np.maximum(hit.time - 0.015, 0.0)[:, None]
        driven.append(replace(hit, position=hit.position + 1.5 * late**2 / inertia))
    found = identify_joints(panda, driven)
    assert not found.known[:, 3:6].any()
    assert (found.misfit[3:6] > found.most_misfit[3:6]).all()


def test_hits_that_are_cut_off_sparse_or_uneven_are_left_out(panda, arms):
    hits, _, _ = arms[0]
    columns = ("time", "position", "velocity", "torque")
    short, sparse, holes = (
        [replace(h, **{name: cut(getattr(h, name)) for name in columns}) for h in hits]
        for cut in (lambda x: x[:60], lambda x: x[::2], lambda x: np.delete(x, 40, axis=0))
    )
    unknown = [replace(h, torque=np.full_like(h.torque, np.nan)) for h in hits]
    for some in (short, sparse, holes, unknown, []):
        found = identify_joints(panda, some)
        assert not found.hits.any() and not found.known.any()


def test_a_robot_of_unknown_stiffness_is_refused(panda):
    with pytest.raises(PredictionError, match="joint_stiffness"):
        identify_joints(replace(panda, joint_stiffness=np.full(7, np.nan)), [])


def test_the_entries_make_the_identified_robot(panda, arms, tmp_path, project_root):
    _, _, found = arms[0]
    folder = project_root / "impact_robots"
    own = yaml.safe_load((folder / "panda.yaml").read_text())
    own["urdf"] = str(folder / own["urdf"])
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(own | yaml.safe_load(joint_entries_text(panda, found))))
    read, made = load_robot(path), identified_robot(panda, found)
    state = ArmDynamics(panda)(panda.stance, np.zeros(7))
    for one, other in zip(elastic_arm(read, state), elastic_arm(made, state), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3)
    np.testing.assert_allclose(
        elastic_arm(read, state).damping_time,
        panda.joint_damping / panda.joint_stiffness,
        rtol=1e-3,
    )
    for name in ("stiffness", "damping", "motor_inertia"):
        ends = [getattr(each.joint_ranges, name) for each in (read, made)]
        np.testing.assert_allclose(*ends, rtol=1e-3)
    middle = made.joint_stiffness * made.joint_ranges.stiffness
    np.testing.assert_allclose(middle / panda.joint_stiffness, found.bounds[:, 0], rtol=1e-12)


def test_integrals_of_a_sine_are_those_of_the_textbook():
    w, t = 2 * np.pi * 40.0, 1e-3 * np.arange(61)
    motion = motor_motion(61, 1e-3)
    sine = np.sin(w * t)
    np.testing.assert_allclose(motion.once @ sine, (1 - np.cos(w * t)) / w, atol=2e-3 / w)
    np.testing.assert_allclose(motion.twice @ sine, t / w - np.sin(w * t) / w**2, rtol=1e-3)


def test_the_loop_answers_late_by_its_filter_and_half_its_period():
    t = 1e-3 * np.arange(61)
    share = 1.0 - np.exp(-2.0 * np.pi * 300.0 * TICK)
    late = TICK * (1.0 - share) / share + 0.5 * TICK
    motion, end = motor_motion(61, 1e-3), t[-1]
    found = (motion.filtered_twice @ t)[-1]
    assert found == pytest.approx(end**3 / 6.0 - late * end**2 / 2.0, abs=5e-8)
    assert found == pytest.approx((motion.twice @ t)[-1] - late * (motion.once @ t)[-1], abs=5e-8)
