# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The best strike: place, cone and mount are kept, no worse than the start; ratings bound plans."""

from dataclasses import replace

import numpy as np
import pytest

from impact_predictor.strike.quick_rating import QuickRating
from impact_predictor.strike.strike_plan import plan_strike
from impact_qp.exceptions import ControlError
from impact_qp.strike import best_strike as search
from impact_qp.strike.best_strike import best_strike
from impact_robots.tools.target import HardStop, Nail, Target, Wish
from impact_robots.tools.tool import Tool

Q = np.array([0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0])  # rad
CLUB = Tool((0.0, 0.0, 0.12), (0.0, 0.0, 1.0), (0.3, 0.3), off_centre=0.003)
TARGET = Target(Nail((300.0, 300.0), (1e6, 1e6)), HardStop((1e5, 1e6), (0.3, 0.3)), (0.0, 0.2))


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for name, value in {"DRAWN": 200, "RATED": 8, "CLIMBED": 1, "STEPS": 10, "PLANNED": 1}.items():
        monkeypatch.setattr(search, name, value)


def test_the_best_pose_strikes_at_the_same_place_harder(panda):
    reports = []
    tool = replace(CLUB, mount=0.04)
    found = best_strike(
        panda,
        tool,
        replace(TARGET, cone=0.3, wish=Wish("work")),
        Q,
        joints="nominal",
        report=lambda fraction, note: reports.append(fraction),
    )
    start = plan_strike(panda, CLUB, TARGET, Q, joints="nominal")
    before, after = (each.striker.point(0.3) for each in (start, found.plan))
    assert after.position == pytest.approx(before.position, abs=1e-6)
    assert found.plan.striker.direction @ start.striker.direction >= np.cos(0.3) - 1e-6
    across = np.linalg.norm(np.subtract(found.plan.striker.tool.head, CLUB.head)[:2])
    assert across <= 0.04 + 1e-9 and found.plan.striker.tool.head[2] == 0.12
    assert found.plan.safe and found.plan.highest > 1.2 * start.highest
    assert start.highest <= found.start_rating.speed
    assert sorted(reports) == reports and reports[0] >= 0.0 and reports[-1] <= 1.0


def test_ratings_bound_the_plans(panda):
    rate = QuickRating(panda, CLUB, TARGET, joints="nominal")
    for turn in (0.0, 0.8, 1.6):  # of the flange
        q = np.append(Q[:-1], Q[-1] + turn)
        plan, rating = plan_strike(panda, CLUB, TARGET, q, joints="nominal"), rate(q)
        refined = rate.refined(q, rating)
        assert plan.highest <= 1.004 * refined.speed  # of coarse steps, see strike_loads.py
        assert refined.speed <= rating.speed < 2.0 * plan.highest
        assert rate(q, 1.01 * rating.value) is None


def test_a_start_outside_the_joints_is_refused(panda):
    with pytest.raises(ControlError, match="q: expected positions within the limits of"):
        best_strike(panda, CLUB, TARGET, Q + 3.0)
