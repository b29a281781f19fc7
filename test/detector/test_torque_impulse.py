# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impulse and end of a contact from joint torques and motion, for contacts of 2 to 60 ms."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from struck_arm import POSE, Hit, Record, simulate
from tiny_robot import tiny_robot

from impact_detector import EstimateError
from impact_detector.estimators.torque_impulse import EndlessContact, torque_impulse
from impact_predictor.prediction.model_error import QUANTILE
from impact_robots import load_robot

UP = np.array([0.0, 0.0, 1.0])
FRICTION = 0.25
STIFFNESSES = (1e7, 1.6e6, 4e5, 1e5, 4.4e4, 1.2e4)  # contacts of 2, 5, 11, 21, 32 and 62 ms [N/m]
TURNED = POSE + 0.1 * np.array([0.0, 1.0, 0.0, 1.0, 1.0, -1.0, 0.0])
HITS = {
    "down the stance": Hit(velocity=(0.2, 0.0, -0.25), damping=2.0, friction=FRICTION),
    "across, turned": Hit(
        velocity=(0.2, 0.1, -0.25), pose=TURNED, damping=2.0, friction=FRICTION, seed=1
    ),
}


@cache
def recorded(name: str, stiffness: float, after: str = "coast", sensor: str = "link") -> Record:
    return simulate(replace(HITS[name], stiffness=stiffness, after=after, sensor=sensor))


def weigh(record: Record, **options):
    robot = load_robot("panda")
    return torque_impulse(robot, record.t, record.q, record.dq, record.tau, record.touch, **options)


def duration(record: Record) -> float:
    """Return how long the first contact lasted [s]."""
    pushing = record.force_t[record.force[:, 2] > 3.0]
    pushing = pushing[pushing > record.touch - 1e-3]
    ends = np.append(np.flatnonzero(np.diff(pushing) > 2e-3), len(pushing) - 1)
    return float(pushing[ends[0]] - record.touch)


@pytest.mark.parametrize("name", HITS)
@pytest.mark.parametrize("stiffness", STIFFNESSES)
def test_contacts_of_2_to_60_ms_are_weighed_and_end_when_they_do(name, stiffness):
    record = recorded(name, stiffness)
    found, true = weigh(record), duration(record)
    assert abs(found.duration - true) < max(1.5e-3, 0.15 * true)
    half = QUANTILE * np.sqrt(UP @ found.covariance @ UP)
    error = abs(found.impulse[2] - record.impulse[2])
    assert error < half and error < 0.03 * record.impulse[2] and half < 0.07 * record.impulse[2]
    ratio = np.hypot(*found.impulse[:2]) / found.impulse[2]
    assert ratio == pytest.approx(FRICTION, abs=0.01)


@pytest.mark.parametrize("name", HITS)
@pytest.mark.parametrize(
    ("stiffness", "after"), [(4e3, "coast"), (1.1e4, "on"), (4.4e4, "on"), (1e5, "on")]
)
def test_a_contact_longer_than_the_window_has_no_impulse(name, stiffness, after):
    with pytest.raises(EndlessContact, match="longer than the window"):
        weigh(recorded(name, stiffness, after))


def test_a_shorter_window_is_too_short_for_a_long_contact():
    record = recorded("down the stance", 1.2e4)
    with pytest.raises(EndlessContact):
        weigh(record, window=0.06)


def test_torques_before_the_motors_inertia_give_no_impulse():
    with pytest.raises(EstimateError, match="no impulse at the contact point"):
        weigh(recorded("down the stance", 4e5, sensor="motor"))


def test_one_joint_does_not_give_the_impulse_along_three_axes(tmp_path):
    t = np.arange(-0.25, 0.15, 1e-3)
    noise = 1e-3 * np.random.default_rng(1).standard_normal((len(t), 1))
    dq = np.where(t < 0.0, -0.2, 0.1)[:, None] + noise
    q = 1e-3 * np.cumsum(dq, axis=0)
    with pytest.raises(EstimateError, match="torque impulse: singular pose, condition inf"):
        torque_impulse(tiny_robot(tmp_path), t, q, dq, 0.0 * dq + noise, 0.0)
