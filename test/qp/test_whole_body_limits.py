# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Further limits of a whole robot: other readings of the impact, support, momentum."""

import numpy as np
import pytest
from hrp4_grab import palm_arrivals
from standing_hrp4 import Ideal

from impact_qp.compiled.arrival_rows import binding_rows
from impact_qp.whole_body import (
    AngularMomentumLimit,
    AngularMomentumTask,
    CentroidalBounds,
    ComVelocityLimit,
    PalmApproach,
    SupportLimit,
    WholeBodyTargets,
    WorstCaseArrivalsLimit,
    arrival_speed,
)


class Leaning:
    """The centre of mass is to go somewhere; palms stay as other phases say."""

    def __init__(self, phases, com):
        self.phases, self.com = phases, np.array(com)

    def targets(self, time, palms, palm_forces):
        said = self.phases.targets(1.0, palms, palm_forces)
        return WholeBodyTargets(said.palms, com=self.com)


@pytest.mark.parametrize("reading", ["nominal", "existential"])
def test_palms_arrive_at_the_bound_of_the_reading(hrp4, reading):
    ideal = Ideal(hrp4, impact_limits=reading)
    speeds = ideal.hit(PalmApproach(ideal.arrivals, 2.0, ramp=40.0))
    bound = arrival_speed(hrp4, ideal.controller.reference[0], ideal.arrivals, reading).speed
    assert 0.93 < speeds.min() / bound <= speeds.max() / bound < 1.02


def test_rows_allow_what_the_worst_impulses_of_every_subset_allow():
    random = np.random.default_rng(5)
    for k in (1, 2, 3):
        for _ in range(50):
            loads = random.uniform(0.0, 1.0, (6, k)) * (random.uniform(size=(6, k)) < 0.7)
            most = random.uniform(0.1, 1.0, 6)
            rows = binding_rows(loads, most)
            for speeds in random.uniform(-1.0, 2.0, (100, k)):
                safe = (loads @ np.maximum(speeds, 0.0) <= most).all()
                assert (rows[:, :-1] @ speeds <= rows[:, -1] + 1e-9).all() == safe


def test_more_rows_than_there_is_room_for_are_implied_by_few(hrp4):
    directions = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.linspace(0.0, 1.0, 30)])
    ideal = Ideal(hrp4)
    limit = WorstCaseArrivalsLimit(
        hrp4, centroidal=CentroidalBounds(directions, np.linspace(1.0, 1.1, 30) * 1e-3)
    )
    limit.arrivals = tuple(palm_arrivals(0.2))
    rows = limit.rows(ideal.state)
    assert limit.used == 2
    for a, palm in enumerate(("left_palm", "right_palm")):
        assert rows.h[a] == pytest.approx(limit.bound.speed, abs=1e-9), palm


def test_friction_without_end_admits_no_approach(hrp4):
    ideal, limit = Ideal(hrp4), WorstCaseArrivalsLimit(hrp4)
    limit.arrivals = tuple(palm_arrivals(0.2, friction=50.0))
    rows = limit.rows(ideal.state)
    assert limit.used == 2
    np.testing.assert_allclose(rows.h[:2], 0.0, atol=1e-12)
    assert limit.bound.speed == 0.0


def test_a_com_that_is_sent_off_its_soles_stays_over_them(hrp4):
    free = Ideal(hrp4)
    corners = [
        free.state.at(sole, p).position
        for sole in ("left_sole", "right_sole")
        for p in hrp4.contacts[2].points
    ]
    _, com = free.state.whole()
    limit = SupportLimit(np.array(corners), 0.05, margin=0.03)
    held = Ideal(hrp4, limits=[limit])
    for ideal, inside in ((free, False), (held, True)):
        ideal.controller.phases = Leaning(ideal.controller.phases, com + np.array([0.14, 0.0, 0.0]))
        worst = -np.inf
        for _ in range(160):
            assert ideal.step().solved
            point = limit.capture_point(ideal.state)
            worst = max(worst, float((limit.normals @ point - limit.reach).max()))
        assert (worst < 1e-3) == inside


def test_the_com_is_no_faster_than_its_limit(hrp4):
    _, com = Ideal(hrp4).state.whole()
    limit = ComVelocityLimit(np.array([[1.0, 0.0, 0.0]]), np.array([0.02]), 0.02)
    for limits, most in (((), 0.3), ((limit,), 0.0205)):
        ideal = Ideal(hrp4, limits=limits)
        ideal.controller.phases = Leaning(ideal.controller.phases, com + np.array([0.05, 0.0, 0.0]))
        speeds = []
        for _ in range(60):
            assert ideal.step().solved
            state = ideal.state
            speeds.append((state.momentum()[0][0] @ state.dq) / state.whole()[0])
        assert max(speeds) < most
        assert (max(speeds) > 0.05) == (not limits)


def test_angular_momentum_is_limited_and_damped(hrp4):
    _, com = Ideal(hrp4).state.whole()
    found = {}
    for name, options in {
        "free": {},
        "limit": {"limits": [AngularMomentumLimit(np.full(3, 0.04), 0.02)]},
        "task": {"tasks": [AngularMomentumTask(damping=20.0, weight=100.0)]},
    }.items():
        ideal = Ideal(hrp4, **options)
        ideal.controller.phases = Leaning(
            ideal.controller.phases, com + np.array([0.06, 0.0, -0.03])
        )
        found[name] = 0.0
        for _ in range(60):
            assert ideal.step().solved
            state = ideal.state
            found[name] = max(found[name], np.abs(state.momentum()[0][3:] @ state.dq).max())
    assert found["limit"] < 0.045 < 0.5 * found["free"]
    assert found["task"] < 0.5 * found["free"]
