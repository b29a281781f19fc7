# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is in the scene at one time is geometry and physics; no browser is needed to say so."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial import Delaunay

from impact_robots import ArmDynamics
from impact_sim import load_scenario
from impact_view.scene.impulse_shapes import round_scale
from impact_view.scene.instant import Timeline
from impact_view.scene.pace import AFTER, BEFORE, SLOW, advance, rate
from impact_view.scene.panel import curves, legend

NORMAL = np.array([-1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def touch(record):
    return record.time[record.contact_starts[0]]


def test_the_arm_is_where_its_joints_say(timeline, record, panda):
    instant, q = timeline.at(0.2), record.q[200]
    data = panda.model.createData()
    pin.framesForwardKinematics(panda.model, data, q)
    assert instant.frames == pytest.approx(np.array([each.homogeneous for each in data.oMf]))
    assert instant.contact == pytest.approx(ArmDynamics(panda).position(q))


def test_the_wall_is_where_the_arm_touches_it(timeline, panda, touch):
    assert timeline.wall.normal == pytest.approx(NORMAL)
    point = load_scenario("qp_panda_demo").surface_point(panda)
    assert NORMAL @ (timeline.wall.point - point) == pytest.approx(0.0, abs=1e-3)
    assert NORMAL @ (timeline.at(touch).contact - point) == pytest.approx(0.0, abs=1e-3)


def test_the_force_is_drawn_to_its_scale_and_only_in_contact(timeline, record, touch):
    force = timeline.at(touch + 0.003).force
    k = record.index(touch + 0.003)
    assert force == pytest.approx(record.force[k] * timeline.force_scale)
    assert NORMAL @ force > 0.0
    assert timeline.at(0.2).force is None and timeline.at(touch + 0.2).force is None
    assert 0.2 < np.linalg.norm(record.force, axis=1).max() * timeline.force_scale <= 0.5


def test_the_measured_impulse_ends_within_the_announced_ones(timeline, touch):
    instant = timeline.at(touch + 0.05)
    hull = Delaunay(instant.solid.vertices)
    assert hull.find_simplex(instant.impulse) >= 0
    assert hull.find_simplex(1.5 * instant.impulse) < 0
    assert instant.solid_at == pytest.approx(timeline.at(touch - 0.001).contact)


def test_impulses_push_off_the_wall_and_grow_with_the_speed(timeline, touch, record):
    before = timeline.at(touch - 0.05)
    assert (before.solid.vertices @ NORMAL >= -1e-12).all()
    largest = [
        np.linalg.norm(timeline.at(touch - t).solid.vertices, axis=1).max() for t in (0, 0.05)
    ]
    speeds = [timeline.speed[record.index(touch - t)] for t in (0.001, 0.05)]
    assert largest[0] / largest[1] == pytest.approx(speeds[0] / speeds[1], rel=0.05)


def test_before_an_announcement_and_long_after_the_hit_there_are_no_impulses(timeline, record):
    for time in (0.0, record.duration):
        instant = timeline.at(time)
        assert instant.solid is None and instant.impulse is None


def test_words_say_phase_speed_bound_and_detection(timeline, touch):
    approach, contact = timeline.at(touch - 0.01).lines, timeline.at(touch + 0.005).lines
    assert approach[1] == "phase approach"
    assert approach[2].startswith("speed 0.11") and "of 0.1" in approach[2]
    assert "impact detected: fused at panda_link7, expected" in contact
    assert any(line.startswith("force ") for line in contact)


def test_the_legend_says_every_scale(timeline):
    text = "\n".join(legend(timeline))
    assert f"0.1 m is {0.1 / timeline.force_scale:g} N\n" in text
    assert f"0.1 m is {0.1 / timeline.impulse_scale:g} N.s" in text
    assert "**joint_load**" in text


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"mode": ()}, "no status of a controller was recorded"),
        ({"limits": "existential"}, "the controller reports none under existential"),
        ({"limits": "robust"}, "the controller reported none"),
    ],
)
def test_a_bound_that_is_not_there_says_why(timeline, record, changes, why):
    unbounded = replace(record, speed_bound=np.full(len(record), np.nan), **changes)
    scales = {"force_scale": timeline.force_scale, "impulse_scale": timeline.impulse_scale}
    shown = SimpleNamespace(record=unbounded, wall=timeline.wall, **scales)
    assert f"no bound is drawn: {why}" in legend(shown)


def test_the_curves_are_speed_and_bound(timeline, record):
    found = curves(timeline)
    assert [*found] == ["time", "speed", "bound"]
    assert len(found["time"]) == len(record)  # short enough for all of them
    assert np.array_equal(found["speed"], -record.normal_speed)
    assert np.array_equal(found["bound"], record.speed_bound, equal_nan=True)


def test_a_bound_that_is_infinite_for_some_time_leaves_the_range_finite(record, panda):
    half = np.where(np.arange(len(record)) < len(record) // 2, 0.3, np.inf)
    bound = curves(Timeline(replace(record, speed_bound=half), panda))["bound"]
    assert np.nanmax(bound) == np.nanmin(bound) == 0.3
    assert np.array_equal(np.isfinite(bound), np.isfinite(half))


def test_what_is_not_there_is_in_neither_plot_nor_legend(record, panda):
    nothing = np.full(len(record), np.nan)
    bare = Timeline(replace(record, speed_bound=nothing, force=0.0 * record.force), panda)
    assert [*curves(bare)] == ["time", "speed"]
    text = "\n".join(legend(bare))
    assert "red:" not in text and "orange" not in text and "blue:" in text


@pytest.mark.parametrize(
    ("largest", "length", "scale"),
    [(480.0, 0.5, 1e-3), (0.7, 0.5, 0.5), (5.0, 0.5, 0.1), (0.0, 0.5, 0.5)],
)
def test_scales_are_round_and_small_enough(largest, length, scale):
    assert round_scale(largest, length) == pytest.approx(scale)


def test_time_goes_slowly_at_contacts_and_never_jumps_over_one():
    touches = np.array([1.0])
    assert rate(0.5, touches, 0.25) == 0.25
    assert rate(1.0 - BEFORE, touches, 0.25) == rate(1.0 + AFTER / 2, touches, 1.0) == SLOW
    assert rate(1.0 + AFTER, touches, 1.0) == 1.0
    assert advance(0.5, 60.0, touches, 1.0) == pytest.approx(1.0 - BEFORE)
    assert advance(1.0, 0.1, touches, 1.0) == pytest.approx(1.0 + 0.1 * SLOW)
    assert advance(0.5, 0.1, np.zeros(0), 1.0) == pytest.approx(0.6)
