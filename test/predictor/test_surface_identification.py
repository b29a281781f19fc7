# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A surface from the force of a flexible arm's hit: ranges contain the plant's values."""

import numpy as np
import pytest
from coasting_hit import coasting_hit

from impact_predictor.identification.surface_identification import identify_surface
from impact_predictor.joint_load.load_case import viscoelastic
from impact_robots import Surface

Q = np.array([0.3, -0.6, 0.2, -2.2, 0.5, 2.0, 0.3])
SPEED = 0.15
NORMAL = np.array([-1.0, 0.0, 0.0])


def hit(panda, dynamics, stiffness, restitution, friction=0.2):
    """What the force sensor says of a hit, and the point before it."""
    law = viscoelastic(stiffness, restitution, SPEED)
    found = coasting_hit(panda, Q, Surface(None, NORMAL, friction), SPEED, law, after=0.03)
    before = np.flatnonzero(found.time < 0.0)[-1]
    force = found.force @ NORMAL
    touch = found.force_time[np.flatnonzero(force > 3.0)[0]]
    dq = found.velocity[before - 10 : before].mean(axis=0)
    return dynamics(found.position[before], dq), found.force_time - touch + 2e-5, force


@pytest.mark.parametrize(("stiffness", "restitution"), [(1e5, 0.4), (4e5, 0.2), (3e6, 0.3)])
def test_the_ranges_hold_the_truth(panda, panda_dynamics, stiffness, restitution):
    point, t, force = hit(panda, panda_dynamics, stiffness, restitution)
    found = identify_surface(panda, point, NORMAL, 0.2, t, force)
    low, high = found.stiffness
    assert low <= stiffness <= high < 40.0 * low
    low, high = found.restitution
    assert low <= restitution <= high < low + 0.6


def test_a_harder_surface_is_found_harder(panda, panda_dynamics):
    figures = []
    for stiffness in (1e5, 3e6):
        point, t, force = hit(panda, panda_dynamics, stiffness, 0.3)
        figures.append(identify_surface(panda, point, NORMAL, 0.2, t, force))
    assert figures[0].stiffness[1] < figures[1].stiffness[0]


def test_what_no_surface_explains_is_not_identified(panda, panda_dynamics):
    point, t, force = hit(panda, panda_dynamics, 4e5, 0.2)
    late = np.where(t > 0.0, force[::-1], 0.0)
    assert identify_surface(panda, point, NORMAL, 0.2, t, 50.0 * force) is None
    assert identify_surface(panda, point, NORMAL, 0.2, t, late) is None


def test_sparse_short_or_no_forces_tell_nothing(panda, panda_dynamics):
    point, t, force = hit(panda, panda_dynamics, 4e5, 0.2)
    for chosen in (slice(None, None, 25), t < 0.01, t > 0.001):
        assert identify_surface(panda, point, NORMAL, 0.2, t[chosen], force[chosen]) is None
    assert identify_surface(panda, point, NORMAL, 0.2, t, np.zeros_like(force)) is None
    assert identify_surface(panda, point, NORMAL, 0.2, t[:1], force[:1]) is None
