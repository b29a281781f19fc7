# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The detector of lost velocity: its statistic is a projection, and its bias is removed."""

from math import isnan

import numpy as np
import pytest

from impact_detector import DetectorError, JointSample
from impact_detector.detectors.velocity_error import VelocityErrorDetector
from impact_detector.parameters import DetectorParameters, session_for
from impact_robots import ArmDynamics, RobotError
from impact_ros.parameters import from_values

NORMAL = (0.0, 1.0, 0.0)
MILLISECOND = 1_000_000


def sample(robot, k, lost, bias=0.0):
    """A state whose contact point lacks ``lost`` (3,) [m/s], and a bias in y besides."""
    J = ArmDynamics(robot)(robot.stance, np.zeros(7)).J
    wanted = np.full(7, 0.1)
    lacking = np.append(np.add(lost, [0.0, bias, 0.0]), np.zeros(3))
    dq = wanted - np.linalg.pinv(J) @ lacking
    return JointSample(k * MILLISECOND, robot.stance, dq, None, None, wanted)


@pytest.mark.parametrize(
    ("normal", "expected"), [(NORMAL, 0.03), ((0.0, -2.0, 0.0), 0.03), ((), 0.13)]
)
def test_the_statistic_is_what_is_lost_along_the_normal(panda, normal, expected):
    detector = VelocityErrorDetector(panda, 1.0, normal=normal, bias_samples=0)
    status = detector.update(sample(panda, 0, (0.08, 0.03, -0.02)))
    assert status.statistic == pytest.approx(expected)


def test_a_lasting_lag_is_no_impact_and_a_loss_beyond_it_is(panda):
    detector = VelocityErrorDetector(panda, 0.04, normal=NORMAL)
    statuses = [detector.update(sample(panda, k, np.zeros(3), bias=0.1)) for k in range(60)]
    assert [status.ready for status in statuses] == [False] * 50 + [True] * 10
    assert max(status.statistic for status in statuses[50:]) < 1e-9
    light = detector.update(sample(panda, 60, (0.0, 0.039, 0.0), bias=0.1))
    hit = detector.update(sample(panda, 61, (0.5, 0.042, 0.5), bias=0.1))
    assert light.detection is None and hit.detection.detector == "velocity_error"


def test_without_desired_velocity_it_knows_nothing(panda):
    detector = VelocityErrorDetector(panda, bias_samples=0)
    state = JointSample(0, panda.stance, np.zeros(7), None, np.zeros(7))
    assert isnan(detector.update(state).statistic)


def test_the_session_pairs_states_with_the_velocity_that_answered_the_one_before(panda):
    values = {
        "detectors": ["velocity_error"],
        "lockstep": True,
        "contact_normal": list(NORMAL),
        "bias_samples": 0,
    }
    session = session_for(from_values(DetectorParameters, values), panda)
    J = ArmDynamics(panda)(panda.stance, np.zeros(7)).J[:3]
    answers = [np.zeros(7), np.full(7, 0.2), np.full(7, 0.3)]
    found = []
    for k, answer in enumerate(answers):
        state = JointSample(k * MILLISECOND, panda.stance, np.zeros(7), np.zeros(7))
        outcome = session.add_state(state)
        found += [status.statistic for status in outcome.statuses]
        session.add_reference(k * MILLISECOND, None, answer)
    assert isnan(found[0])  # nothing was desired before
    assert found[1:] == pytest.approx([0.0, abs((J @ answers[1])[1])])


def test_wrong_settings_are_refused(panda):
    with pytest.raises(DetectorError, match="threshold"):
        VelocityErrorDetector(panda, 0.0)
    with pytest.raises(RobotError, match="normal: expected"):
        VelocityErrorDetector(panda, normal=(0.0, 0.0, 0.0))
