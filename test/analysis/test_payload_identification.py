# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A payload is found from joint torques of free motion, apart from what looks like one."""

import numpy as np
import pinocchio as pin
import pytest

from impact_analysis.analyze.comparing.payload_identification import identify_payload
from impact_robots.description.payload import carrying

CENTRE = (0.03, -0.02, 0.05)


def _windows(robot, postures, *, bias=0.0, moving=0.0):
    """Return windows of a robot in drawn postures, at rest or moving one way in each."""
    random = np.random.default_rng(3)
    low, high = robot.limits.position_lower, robot.limits.position_upper
    data, rows = robot.model.createData(), []
    for _ in range(postures):
        q = 0.5 * (low + high) + 0.3 * random.uniform(-1.0, 1.0, robot.dof) * (high - low)
        dq, ddq = moving * random.uniform(-1.0, 1.0, (2, robot.dof))
        tau = pin.rnea(robot.model, data, q, dq, ddq) + bias * robot.limits.torque
        rows.append([q, dq, ddq, tau + 0.5 * np.sign(dq) * (moving > 0.0)])
    return np.array(rows)


@pytest.mark.parametrize(("postures", "moving"), [(4, 0.0), (6, 0.3)])
def test_mass_and_centre_are_found_at_rest_and_moving(panda, postures, moving):
    found = identify_payload(panda, _windows(carrying(panda, 0.8, CENTRE), postures, moving=moving))
    assert found.low < 0.8 < found.high
    assert found.is_another
    assert found.mass == pytest.approx(0.8, abs=0.12)
    assert np.all(np.abs(found.centre - CENTRE) < found.centre_half)
    assert found.postures == postures


def test_a_sensor_bias_is_no_payload_but_widens_nothing_that_postures_tell(panda):
    empty = [identify_payload(panda, _windows(panda, k, bias=0.01)) for k in (1, 8)]
    assert not any(each.is_another for each in empty)
    assert empty[1].high - empty[1].low < 0.7 * (empty[0].high - empty[0].low)


def test_what_was_declared_and_is_there_is_no_other_one(panda):
    declared = carrying(panda, (0.6, 1.0))
    assert not identify_payload(declared, _windows(carrying(panda, 0.8), 3)).is_another
    assert identify_payload(declared, _windows(panda, 3)).is_another
    assert identify_payload(declared, _windows(panda, 3)).high < 0.6


def test_torques_without_gravity_or_missing_tell_nothing(panda):
    windows = _windows(panda, 3)
    windows[:, 3] = 0.0
    assert identify_payload(panda, windows) is None
    windows[:, 3] = np.nan
    assert identify_payload(panda, windows) is None
    assert identify_payload(panda, windows[:0]) is None


def test_repeating_one_posture_narrows_nothing(panda):
    windows = _windows(panda, 1)
    once, often = (identify_payload(panda, np.repeat(windows, k, axis=0)) for k in (1, 9))
    assert once.postures == often.postures == 1
    assert often.high - often.low == pytest.approx(once.high - once.low, rel=1e-6)
