# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Bounds on the speed at which both palms of HRP-4 may arrive at a box."""

import numpy as np
import pytest
from hrp4_grab import grab_posture, palm_arrivals

from impact_qp import ControlError
from impact_qp.limits import Contact, RobustImpactLimit
from impact_qp.whole_body import (
    READINGS,
    Arrival,
    CentroidalBounds,
    arrival_speed,
    arriving_impulses,
    several_impact_rows,
)
from impact_robots import ArmDynamics, RobotError, load_robot

SPECIFIED = {  # bounds of humanoid.md [m/s]
    0.15: {"robust": 0.268, "existential": 0.720, "nominal": 0.429},
    0.20: {"robust": 0.228, "existential": 0.649, "nominal": 0.395},
    0.26: {"robust": 0.183, "existential": 0.611, "nominal": 0.353},
}


@pytest.mark.parametrize("half_width", SPECIFIED)
@pytest.mark.parametrize("reading", READINGS)
def test_bounds_of_both_palms_are_those_of_the_specification(hrp4, half_width, reading):
    q = grab_posture(hrp4, half_width)
    bound = arrival_speed(hrp4, q, palm_arrivals(half_width), reading)
    assert bound.speed == pytest.approx(SPECIFIED[half_width][reading], rel=0.02)
    if reading != "existential":
        assert bound.name == "L_WRIST_R impulsive torque"


def test_no_drawn_pair_of_impulses_breaks_a_row_at_the_robust_bound(hrp4):
    q, arrivals = grab_posture(hrp4, 0.2), palm_arrivals(0.2)
    speed = arrival_speed(hrp4, q, arrivals).speed
    state = ArmDynamics(hrp4, "all").state(q, np.zeros(hrp4.nv))
    impulses = arriving_impulses(hrp4, state, arrivals)
    rows = several_impact_rows(hrp4, state, impulses)
    random, largest = np.random.default_rng(3), 0.0
    for _ in range(500):
        total = np.zeros(len(rows.limits))
        for D, each in zip(rows.D, impulses, strict=True):
            slope, turn = 0.79 * random.uniform() ** 0.2, random.uniform(0.0, 2 * np.pi)
            along = np.array([slope * np.cos(turn), slope * np.sin(turn), 1.0])
            size = random.choice([0.0, 1.0]) * random.uniform(1.0, 1.3) / (each.W[2] @ along)
            total += D @ (speed * size * along)
        largest = max(largest, float((total / rows.limits).max()))
    assert 0.8 < largest <= 1.0


def test_two_arrivals_are_never_safer_than_one(hrp4):
    q, arrivals = grab_posture(hrp4, 0.15), palm_arrivals(0.15)
    alone = [arrival_speed(hrp4, q, [each]).speed for each in arrivals]
    assert arrival_speed(hrp4, q, arrivals).speed <= min(alone) + 1e-12


def test_what_both_palms_push_bears_the_sum(hrp4):
    q, arrivals = grab_posture(hrp4, 0.2), palm_arrivals(0.2)
    bounds = CentroidalBounds(np.array([[1.0, 0.0, 0.0]]), np.array([1e-3]), np.full(3, 9.0))
    together = arrival_speed(hrp4, q, arrivals, centroidal=bounds)
    alone = [arrival_speed(hrp4, q, [each], centroidal=bounds).speed for each in arrivals]
    assert together.name == "com velocity after 1"
    assert 1 / together.speed == pytest.approx(sum(1 / each for each in alone), rel=1e-6)


def test_the_com_of_a_grab_is_in_no_danger(hrp4):
    q = grab_posture(hrp4, 0.2)
    directions = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    falls = CentroidalBounds(directions, np.full(4, 0.25))
    assert arrival_speed(hrp4, q, palm_arrivals(0.2), centroidal=falls) == arrival_speed(
        hrp4, q, palm_arrivals(0.2)
    )


def test_an_arm_with_one_contact_has_the_bound_that_it_has_alone():
    panda = load_robot("panda")
    q = np.array([0.23, 0, 0.53, -1.11, -0.59, 2.77, -2.62])
    contact = Contact(np.zeros(3), (-1, 0, 0), 0.279, (0.0, 0.3))
    state = ArmDynamics(panda)(q, np.zeros(7))
    alone = RobustImpactLimit(panda, contact, margin=0.0).speed_bound(state)
    found = arrival_speed(panda, q, [Arrival(panda.contact_frame, contact)])
    assert found.name == alone.name
    assert found.speed == pytest.approx(alone.speed, rel=1e-9)


def test_what_cannot_be_rated_is_refused(hrp4):
    q = grab_posture(hrp4, 0.2)
    with pytest.raises(ControlError, match="reading: expected one of robust, nominal"):
        arrival_speed(hrp4, q, palm_arrivals(0.2), "kind")
    with pytest.raises(ControlError, match="arrivals: expected at least one, got none"):
        arrival_speed(hrp4, q, [])
    cassie = load_robot("cassie")
    floor = Arrival(cassie.contacts[0].name, Contact(np.zeros(3), (0, 0, 1)))
    with pytest.raises(RobotError, match="'impulsive_torque', 'velocity' are missing"):
        arrival_speed(cassie, cassie.positions(np.zeros(16)), [floor])
