# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A compiled point's motion is that of pinocchio."""

import numpy as np
import pytest
from packed_states import packed

from impact_robots import ArmDynamics, load_robot

BASE = "panda_link0"
FRAMES = (None, BASE, "panda_link4", "panda_link8")


@pytest.mark.parametrize("frame", FRAMES)
def test_it_is_that_of_pinocchio(frame):
    panda, random = load_robot("panda"), np.random.default_rng(0)
    plain, compiled = ArmDynamics(panda), ArmDynamics(panda, compiled=True)
    for _ in range(20):
        q = random.uniform(panda.limits.position_lower, panda.limits.position_upper)
        dq = random.uniform(-1.0, 1.0, 7) * panda.limits.velocity
        expected, got = (each.state(q, dq).at(frame) for each in (plain, compiled))
        assert got.frame == expected.frame
        for one, other in zip(got[2:], expected[2:], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
            assert one.flags.c_contiguous
    assert np.abs(expected.drift).max() > 0.1 or frame == BASE


def test_a_point_stays_what_it_is():
    panda = load_robot("panda")
    dynamics = ArmDynamics(panda, compiled=True)
    first = dynamics(panda.stance, np.ones(7))
    kept = [each.copy() for each in first[2:]]
    dynamics(panda.stance + 0.1, np.zeros(7))
    for one, other in zip(first[2:], kept, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_packed_state_is_the_plain_one():
    panda, random = load_robot("panda"), np.random.default_rng(0)
    dynamics, pack = ArmDynamics(panda, compiled=True), ArmDynamics(panda, compiled=True).packer()
    for _ in range(20):
        q = random.uniform(panda.limits.position_lower, panda.limits.position_upper)
        dq = random.uniform(-1.0, 1.0, 7) * panda.limits.velocity
        state, expected = pack(q, dq), dynamics(q, dq)
        found = state.point
        for one, other in ((found[2:], expected[2:]), (found[0][:9], expected[0][:9])):
            for each, plain in zip(one, other, strict=True):
                np.testing.assert_array_equal(each, plain)
        for name in ("position", "twist", "q", "dq", "M", "h", "g"):
            np.testing.assert_array_equal(getattr(state, name), getattr(expected, name))
        np.testing.assert_array_equal(packed(expected).block, state.block)
        direction = random.standard_normal(3)
        along = direction @ expected.position, direction @ expected.velocity
        np.testing.assert_allclose(state.along(direction), along, rtol=1e-12, atol=1e-14)
        other = found.robot_state.at("panda_link4")
        np.testing.assert_array_equal(other.J, expected.robot_state.at("panda_link4").J)


def test_a_packed_state_opposes_torques_and_stays_what_it_is():
    panda = load_robot("panda")
    pack, torque = ArmDynamics(panda, compiled=True).packer(), np.linspace(-1.0, 1.0, 7)
    first = pack(panda.stance, np.ones(7))
    before, loaded = first.block.copy(), first.opposing(torque)
    pack(panda.stance + 0.1, np.zeros(7))
    np.testing.assert_array_equal(first.block, before)
    np.testing.assert_array_equal(loaded.point.h, first.point.h - torque)
    for each, plain in zip(loaded.point[2:], first.point[2:], strict=True):
        np.testing.assert_array_equal(each, plain)
    np.testing.assert_array_equal(loaded.point.M, first.point.M)
