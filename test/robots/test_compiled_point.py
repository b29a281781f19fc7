# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A compiled point's motion is that of pinocchio."""

import numpy as np
import pytest

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
