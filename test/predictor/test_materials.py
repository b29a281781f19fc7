# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Materials: their stiffness is that of simulated Hertzian impacts, and orders them."""

from itertools import pairwise

import pytest
import yaml

from impact_predictor import PredictionError, simulate_contact
from impact_predictor.contact_force.laws import HuntCrossley, hertz_stiffness
from impact_predictor.joint_load.materials import (
    MASS,
    MATERIALS,
    SPEED,
    TOOL_RADIUS,
    secant_stiffness,
)
from impact_robots import OutOfRangeError, Surface


@pytest.mark.parametrize(("mass", "speed"), [(1.0, 0.02), (5.0, 1.0), (2.3, 0.2)])
def test_the_secant_is_peak_force_over_depth_of_an_elastic_sphere(mass, speed):
    hertz = hertz_stiffness(TOOL_RADIUS, 200e9, 0.3, 10e9, 0.3)
    motion = simulate_contact(HuntCrossley(hertz, 0.0), mass, speed)
    simulated = motion.force.max() / motion.penetration.max()
    assert secant_stiffness(hertz, mass, speed) == pytest.approx(simulated, rel=1e-3)


@pytest.mark.parametrize("material", MATERIALS.values(), ids=lambda material: material.name)
def test_every_contact_between_the_ends_is_inside(material):
    low, high = material.stiffness()
    modulus, poisson = (sum(ends) / 2.0 for ends in material.elasticity)
    hertz = hertz_stiffness(TOOL_RADIUS, 200e9, 0.29, modulus, poisson)
    for mass in MASS:
        for speed in SPEED:
            assert low < secant_stiffness(hertz, mass, speed) < high
    surface = Surface(None, [0, 0, 1], material.friction, material.restitution, (low, high))
    assert surface.stiffness == (low, high)


def test_harder_materials_are_stiffer_at_both_ends():
    ranges = [MATERIALS[name].stiffness() for name in ("rubber", "wood", "aluminium", "steel")]
    for soft, hard in pairwise(ranges):
        assert soft[0] < hard[0]
        assert soft[1] < hard[1]


def test_a_larger_sphere_is_stiffer():
    steel = MATERIALS["steel"]
    assert steel.stiffness(4.0 * TOOL_RADIUS)[0] == pytest.approx(4.0**0.4 * steel.stiffness()[0])


@pytest.mark.parametrize("robot", ["panda", "fr3"])
def test_the_radius_is_that_of_the_robots_tool(project_root, robot):
    entries = yaml.safe_load((project_root / f"impact_robots/{robot}.yaml").read_text())
    assert entries["tool"]["radius"] == TOOL_RADIUS


def test_impossible_figures_are_refused():
    with pytest.raises(OutOfRangeError, match="radius"):
        MATERIALS["steel"].stiffness(0.0)
    with pytest.raises(OutOfRangeError, match="mass"):
        secant_stiffness(1e10, 0.0, 0.1)
    with pytest.raises(PredictionError, match="material: expected one of rubber, wood, alu"):
        MATERIALS.named("jelly")
