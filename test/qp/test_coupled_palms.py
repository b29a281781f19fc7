# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""HRP-4's palms press on one another through the box: their sets, bounds and rows."""

from dataclasses import replace

import numpy as np
import pytest
from hrp4_grab import palm_arrivals

from impact_qp.body.palms import coupled_palms
from impact_qp.body.palms.coupled_palms import coupled
from impact_qp.whole_body import WorstCaseArrivalsLimit, arrival_speed
from impact_robots import ArmDynamics, load_robot
from impact_robots.task.find import find_palm_task

# bound with corners, and with palms' speeds +-5 %: spec/palms.md, "Speeds" [m/s]
SPECIFIED = {
    (0.15, 1.08): (0.225, 0.217),
    (0.15, 0.38): (0.228, 0.219),
    (0.20, 1.08): (0.206, 0.199),
    (0.20, 0.38): (0.208, 0.200),
    (0.26, 1.08): (0.180, 0.174),
    (0.26, 0.38): (0.182, 0.175),
}


@pytest.fixture(scope="module")
def hrp4():
    return load_robot("hrp4")


def grab(half_width, mass):
    task = find_palm_task("qp_hrp4_grab")
    return replace(task, half_width=half_width, box_masses=(mass,))


@pytest.mark.parametrize("box", SPECIFIED)
def test_bounds_are_those_of_the_specification(hrp4, box, monkeypatch):
    task = grab(*box)
    q, alone = task.grabbing(hrp4), palm_arrivals(box[0])
    for spread, wanted in zip((0.0, 0.05), SPECIFIED[box], strict=True):
        monkeypatch.setattr(coupled_palms, "SPREAD", spread)
        found = arrival_speed(hrp4, q, coupled(hrp4, task, alone)).speed
        assert found == pytest.approx(wanted, rel=0.015)


def test_the_published_set_is_never_made_smaller(hrp4):
    for box in SPECIFIED:
        found = coupled(hrp4, grab(*box), palm_arrivals(box[0]))
        assert all(each.coupling >= 1.0 for each in found)


def test_the_controllers_row_and_the_plan_have_the_same_bound(hrp4):
    task = grab(0.15, 1.08)
    q, alone = task.grabbing(hrp4), palm_arrivals(0.15)
    arrivals = coupled(hrp4, task, alone)
    state = ArmDynamics(hrp4, "all").state(q, np.zeros(hrp4.nv))
    limit = WorstCaseArrivalsLimit(hrp4, margin=0.0)
    limit.arrivals, n = arrivals, len(limit.names)
    limit.fill(state, np.zeros((n, hrp4.nv)), np.zeros((n, 0)), np.zeros(n))
    planned = arrival_speed(hrp4, q, arrivals)
    assert limit.bound.speed == pytest.approx(planned.speed, rel=1e-9)
    ratio = arrival_speed(hrp4, q, alone).speed / planned.speed
    assert ratio == pytest.approx(max(each.coupling for each in arrivals), rel=0.02)
