# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The box of a cell obeys closed forms: rest, sliding, its contact's oscillation, tipping."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from cells import CATFOOD, ONE, PUSH, away, push_cell

from impact_robots.cell import RobotCell
from impact_sim.cell.cell_plant import CONTACT_STEP, CellPlant
from impact_sim.cell.layout import BoxObject, CellLayout, PairContact, Support

G = 9.81
OBJECTS = (CATFOOD, BoxObject((0.3, 0.2, 0.1), 0.6, (0.55, -0.05, 0.25)))
FAR = away(PUSH, (0.0, -1.0, 0.0), 0.1)


def set_box_velocity(plant, velocity):
    plant.data.qvel[-6:-3] = velocity
    mujoco.mj_forward(plant.model, plant.data)


@pytest.mark.parametrize("box", OBJECTS)
def test_a_box_at_rest_stays_and_weighs_what_it_weighs(box):
    plant = push_cell(box)
    plant.reset([FAR])
    start = plant.box.position
    plant.advance_free(0.2)
    np.testing.assert_allclose(plant.box.position, start, atol=1e-9)
    np.testing.assert_allclose(plant.support_force, [0.0, 0.0, -box.mass * G], atol=1e-6)


@pytest.mark.parametrize("box", OBJECTS)
@pytest.mark.parametrize("friction", [0.1, 0.3])
def test_a_sliding_box_decelerates_by_mu_g_until_it_stands(box, friction):
    plant = push_cell(box, support_contact=PairContact(friction))
    plant.reset([FAR])
    set_box_velocity(plant, [-0.3, 0.4, 0.0])
    plant.advance_free(0.05)
    first = plant.box.velocity
    plant.advance_free(0.05)
    lost = np.linalg.norm(first) - np.linalg.norm(plant.box.velocity)
    assert lost == pytest.approx(friction * G * 0.05, rel=1e-4)
    plant.advance_free(0.5 / (friction * G) + 0.2)
    assert np.linalg.norm(plant.box.velocity) < 1e-6


def test_a_box_on_its_spring_has_the_given_frequency_and_damping():
    contact = PairContact(0.3, frequency=100.0, damping_ratio=0.1)
    plant = push_cell(support_contact=contact)
    plant.reset([FAR])
    rest = plant.box.position[2]
    set_box_velocity(plant, [0.0, 0.0, -0.01])
    heights = []
    for _ in range(1000):
        plant.advance_contact()
        heights.append(plant.box.position[2] - rest)
    t = CONTACT_STEP * np.arange(1, 1001)
    decay, ringing = 10.0, 100.0 * np.sqrt(1.0 - 0.1**2)
    expected = -0.01 / ringing * np.exp(-decay * t) * np.sin(ringing * t)
    np.testing.assert_allclose(heights, expected, atol=0.01 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["support", "support_left", "box"])
def test_an_arms_springs_are_those_of_its_plate_whatever_its_name(name):
    named = RobotCell(tuple(each._replace(name=name) for each in ONE.robots))
    layout = CellLayout(
        named, CATFOOD, Support(0.2, half=(0.09, 0.06)), support_contact=PairContact(0.3, 400.0)
    )
    usual = CellPlant(replace(layout, cell=ONE)).model
    np.testing.assert_array_equal(CellPlant(layout).model.pair_solref, usual.pair_solref)
    assert len(np.unique(usual.pair_solref[:, 0])) > 1


def test_friction_never_leaves_its_cone():
    plant = push_cell(plate_contact=PairContact(0.2))
    q, dq = away(PUSH, (0.0, -1.0, 0.0), 0.002), np.zeros(7)
    dq[0], dq[3] = -0.8, 0.5  # strikes and rubs
    plant.reset([q], [dq])
    ratios = []
    for _ in range(800):
        plant.advance_contact()
        x, y, z = plant.arms[0].plate_force
        if y > 10.0:
            ratios.append(np.hypot(x, z) / y)
    assert max(ratios) == pytest.approx(0.2, abs=2e-3)


def test_a_box_that_stands_beyond_its_pedestal_tips():
    angles = []
    for middle in (0.03, 0.12):  # of the box, beside the pedestal's; its half edge is .06
        box = replace(CATFOOD, position=(0.55 + middle, -0.03, 0.3))
        support = Support(0.2, half=(0.06, 0.06), centre=(0.55, -0.03))
        plant = CellPlant(CellLayout(ONE, box=box, support=support))
        plant.reset([FAR])
        plant.advance_free(0.2)
        angles.append(np.arccos(plant.box.rotation[2, 2]))
    assert angles[0] < 0.01
    assert angles[1] > 0.1
