# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Walls and joints learned from hits whose truth is known: never too fast, soon nearly as fast."""

from dataclasses import replace

import numpy as np
import pytest
from learned_hits import WALL, drawn, known_point, place, struck, used

from impact_predictor.learning.hit_residual import contact_time, modelled
from impact_predictor.learning.hit_window import AFTER, LONGEST, hit_window
from impact_predictor.learning.knowledge import RESERVE, Knowledge, learn, nothing_known
from impact_predictor.learning.learning_box import FIGURES, learning_box
from impact_predictor.learning.next_speed import (
    BELOW,
    DEPTH,
    DRAWS,
    LEARNED,
    PROVEN,
    SPREAD,
    START,
    STEPS,
    next_speed,
)
from impact_robots import ArmDynamics, Surface
from impact_robots.description.joint_ranges import KNOWN_JOINTS

STIFFNESS, EXPONENT, FIRST_TILT = 0, 3, 4
LINEAR = {"exponent": (1.0, 1.0)}


@pytest.fixture(scope="module")
def known_arm(panda):
    return replace(panda, joint_ranges=KNOWN_JOINTS)


@pytest.fixture(scope="module")
def runs(panda, known_arm):
    """Box, truth, speeds, and what was known at the end: four arms unknown, eight known."""
    return [run(robot, seed) for robot, seeds in arms(panda, known_arm) for seed in seeds]


def arms(panda, known_arm):
    return (panda, range(4)), (known_arm, range(4, 12))


def run(robot, seed, hits=2):
    box = learning_box(robot, WALL, **LINEAR)
    truth, known, speeds = drawn(box, [11, seed]), nothing_known(box), []
    for number in range(hits):
        speeds.append(next_speed(known, known_point(robot)))
        known = learn(known, [struck(box, truth, speeds[-1].speed, [12, seed, number])])
    speeds.append(next_speed(known, known_point(robot)))
    return box, truth, speeds, known


def middle(box, **figures):
    """The middle of a box, but for some of its figures."""
    found = box.figures(np.zeros(box.size))
    for name, value in figures.items():
        found[{"stiffness": STIFFNESS, "exponent": EXPONENT, "tilt": FIRST_TILT}[name]] = value
    return found


def test_no_speed_is_above_what_the_truth_allows(runs):
    shares = np.array([[used(box, truth, each.speed) for each in s] for box, truth, s, _ in runs])
    assert shares.shape == (12, 3)
    assert shares.max() <= 1.0
    assert np.median(shares[:, 0]) < 0.8
    assert np.median(shares[:, 2]) > 0.85
    assert shares[:, 2].min() > 0.4  # soft ones: how hard they are deeper was not seen


def test_it_begins_with_the_whole_box_and_goes_in_steps(runs):
    for _, _, (first, second, third), known in runs:
        assert first.reason == START and first.speed == first.start
        assert second.reason in (LEARNED, DEPTH, BELOW)
        last = known.windows[0].speed, known.windows[1].speed
        assert last == pytest.approx((first.speed, second.speed), rel=0.03)
        assert second.speed <= max(second.start, 1.5 * last[0]) + 1e-12
        assert third.speed <= third.learned
        assert f"{third.speed:.3f} m/s keeps {third.limit}" in third.promise


def test_intervals_hold_the_truth_and_noise_explains_the_rest(runs):
    off, misfits = [], []
    for box, truth, _, known in runs:
        sigma = np.sqrt(np.diag(known.covariance))
        off.extend(np.abs(known.mean - place(box, truth)) / sigma)
        misfits.extend(known.misfit)
        assert not known.alarm
    assert len(off) == 12 * 3 + 4 * 21
    assert np.mean(np.array(off) < 2.0) > 0.93
    assert np.mean(np.array(off) < 3.0) > 0.98
    assert 0.5 < np.median(misfits) < 1.1


def test_stiffness_and_restitution_are_recovered(runs):
    errors = np.array([np.abs(known.mean - place(box, truth))[:3] for box, truth, _, known in runs])
    assert np.median(errors, axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=0.06)
    assert errors[:, 0].max() < 0.2


def test_narrowed_ranges_hold_the_truth_and_are_narrow(runs):
    for box, truth, _, known in runs:
        new = known.narrowed
        wall = slice(0, FIGURES)
        inside = (new.low - 1e-12 <= truth) & (truth <= new.high + 1e-12)
        assert inside[wall].all() and inside.mean() > 0.9
        assert new.wall.stiffness[1] / new.wall.stiffness[0] < 30.0  # announced: 1000
        assert (new.arm.joint_ranges.stiffness[1] <= box.arm.joint_ranges.stiffness[1]).all()


def test_a_wall_that_became_twice_as_hard_gives_an_alarm(known_arm):
    box = learning_box(known_arm, WALL, **LINEAR)
    soft, hard = (middle(box, stiffness=np.log(k)) for k in (1e5, 2e5))
    known = learn(nothing_known(box), [struck(box, soft, 0.1, 1), struck(box, soft, 0.1, 2)])
    assert not known.alarm
    exchanged = learn(known, [struck(box, hard, 0.1, 3)])
    assert exchanged.alarm and exchanged.misfit.argmax() == 2
    speed = next_speed(exchanged, known_point(known_arm))
    assert speed.reason == PROVEN
    assert speed.speed <= exchanged.windows[-1].speed
    assert exchanged.narrowed is exchanged.box


def test_after_an_alarm_what_the_last_hit_used_counts(known_arm):
    box = learning_box(known_arm, WALL, **LINEAR)
    soft, hard = (middle(box, stiffness=np.log(k)) for k in (3e4, 3e6))
    known = learn(nothing_known(box), [struck(box, soft, 0.2, 1), struck(box, hard, 0.2, 2)])
    last = known.windows[-1]
    assert known.alarm and last.used > 1.0
    assert last.used == pytest.approx(used(box, hard, last.speed), rel=0.1)
    assert next_speed(known, known_point(known_arm)).speed <= last.speed / last.used


def test_no_speed_is_more_than_half_faster_where_it_goes_deeper(known_arm):
    box = learning_box(known_arm, WALL, **LINEAR)
    soft = middle(box, stiffness=np.log(3e4))
    known = learn(nothing_known(box), [struck(box, soft, 0.08, 1)])
    speed = next_speed(known, known_point(known_arm))
    assert speed.reason == DEPTH
    assert speed.start < speed.speed < speed.learned
    assert speed.speed == pytest.approx(1.5 * known.windows[-1].speed)


def test_where_a_hit_was_as_deep_before_a_step_may_be_three_times_the_last(known_arm):
    box = learning_box(known_arm, WALL, **LINEAR)
    soft, point = middle(box, stiffness=np.log(3e4)), known_point(known_arm)
    hits = [struck(box, soft, speed, 1) for speed in (0.2, 0.05)]
    speed = next_speed(learn(nothing_known(box), hits), point)
    assert speed.reason == STEPS and speed.speed == pytest.approx(3.0 * 0.05, rel=0.03)
    hits = [struck(box, soft, speed, 1) for speed in (0.1, 0.05)]
    speed = next_speed(learn(nothing_known(box), hits), point)
    assert speed.reason == DEPTH and speed.speed == pytest.approx(0.1, rel=0.1)  # and no deeper


def test_what_the_last_hit_measured_counts_in_proportion(known_arm):
    """A model may explain all of a hit but the one peak that decides."""
    box = learning_box(known_arm, WALL, **LINEAR)
    known = learn(nothing_known(box), [struck(box, middle(box), 0.1, 1)])
    (window,) = known.windows
    free = next_speed(known, known_point(known_arm)).speed
    worse = replace(known, windows=(window._replace(used=0.99),))
    capped = next_speed(worse, known_point(known_arm)).speed
    assert capped == pytest.approx(window.speed / (RESERVE * 0.99)) and capped < free


def test_where_the_arm_really_hit_counts_too(runs):
    """Beside the configuration of the last hit, where more would be allowed."""
    box, _, speeds, known = runs[-1]
    here, dynamics = known_point(box.robot), ArmDynamics(box.robot)
    turned = 0.25 * np.eye(7)[0]
    beside, away = (dynamics(here.q + k * turned, np.zeros(7)) for k in (1.0, 3.0))
    nowhere = replace(known, windows=(known.windows[-1]._replace(point=away),))
    alone = next_speed(nowhere, beside)
    assert alone.learned > 1.02 * speeds[-1].learned
    at_last = next_speed(known, known.windows[-1].point)
    assert next_speed(known, beside).learned == pytest.approx(at_last.learned)


def test_another_wall_brings_back_the_start_and_keeps_the_joints(runs):
    box, _, speeds, known = runs[0]
    other = known.narrowed.of_another_wall()
    wall, joints = slice(0, FIGURES), slice(FIGURES, None)
    np.testing.assert_array_equal(other.low[wall], box.low[wall])
    np.testing.assert_array_equal(other.low[joints], known.narrowed.low[joints])
    speed = next_speed(nothing_known(other), known_point(box.robot))
    assert speed.reason == START
    assert speeds[0].speed <= speed.speed < speeds[2].speed


def test_a_hertzian_wall_is_not_linear_and_its_exponent_is_learned(known_arm):
    linear, any_law = (learning_box(known_arm, WALL, exponent=(1.0, top)) for top in (1.0, 1.5))
    hertz = middle(any_law, stiffness=np.log(1e5), exponent=1.5)
    hits = [struck(any_law, hertz, speed, seed) for seed, speed in enumerate((0.05, 0.3))]
    assert learn(nothing_known(linear), hits).alarm
    known = learn(nothing_known(any_law), hits)
    assert not known.alarm
    assert any_law.figures(known.mean)[EXPONENT] == pytest.approx(1.5, abs=0.05)
    speed = next_speed(known, known_point(known_arm))
    assert 0.8 < used(any_law, hertz, speed.speed) <= 1.0


def test_a_turned_normal_is_learned(known_arm):
    smooth = Surface(None, WALL.normal, 0.0, 0.3, WALL.stiffness)
    box = learning_box(known_arm, smooth, ("stiffness", "normal"), tilt=0.1, **LINEAR)
    truth = middle(box, stiffness=np.log(1e5), tilt=0.07)
    known = learn(nothing_known(box), [struck(box, truth, 0.1, 1)])
    assert box.figures(known.mean)[FIRST_TILT] == pytest.approx(0.07, abs=0.01)
    assert known.narrowed.wall.normal == pytest.approx(box.case(truth).rotation[:, 2], abs=0.015)


def test_commanded_torques_are_part_of_the_model(known_arm):
    box = learning_box(known_arm, WALL, **LINEAR)
    truth = middle(box, stiffness=np.log(1e5))

    def pushed(since):
        return np.where(since > 0.003, 3.0, 0.0)[:, None] * np.ones(7)

    hit = struck(box, truth, 0.05, 1, command=pushed)
    assert not learn(nothing_known(box), [hit]).alarm
    assert learn(nothing_known(box), [replace(hit, command=None)]).alarm


def test_what_is_not_learned_counts_with_all_of_its_range(panda):
    box = learning_box(panda, WALL, ("stiffness", "restitution"), **LINEAR)
    draws = nothing_known(box).draws(100, 1.5)
    np.testing.assert_array_equal(draws[:, 2:].min(axis=0), box.low[2:])
    np.testing.assert_array_equal(draws[:, 2:].max(axis=0), box.high[2:])


def test_what_remains_of_a_gentle_hit_is_noise(known_arm):
    """Its free motion goes on by a polynomial of noisy samples, off alike in all that follow."""
    box = learning_box(known_arm, WALL, **LINEAR)
    truth, left = middle(box, stiffness=np.log(3e4)), []
    for seed in range(20):
        window = hit_window(box.robot, box.surface, struck(box, truth, 0.02, seed))
        left.append(contact_time(window, modelled(box, window, place(box, truth)))[1])
        left[-1] /= window.change.size
    assert np.mean(left) == pytest.approx(0.95, abs=0.1)
    assert np.max(left) < 1.3


def test_a_window_lasts_until_the_highest_load_is_past(known_arm):
    box = learning_box(known_arm, WALL, **LINEAR)
    truth = middle(box, stiffness=np.log(1e6))

    def pushed(since):
        return np.where(since > 0.014, 40.0, 0.0)[:, None] * np.eye(7)[5]

    ends = [
        hit_window(box.robot, box.surface, struck(box, truth, 0.05, 1, command=each)).time[-1]
        for each in (None, pushed)
    ]
    assert ends[0] == pytest.approx(AFTER, abs=1e-3)
    assert AFTER + 2e-3 < ends[1] <= LONGEST


def test_draws_do_not_part_at_the_end_of_a_range_what_hits_hold_together(known_arm):
    """No law is softer than a linear one; the wall is no harder for that."""
    box = learning_box(known_arm, WALL, ("stiffness", "exponent"))
    covariance = np.array([[0.04, -0.0398], [-0.0398, 0.04]])
    drawn = Knowledge(box, np.array([0.0, -1.0]), covariance).draws(500, 1.0)
    x = np.array([place(box, each) for each in drawn])
    assert x.min() >= -1.0
    assert np.abs(x.sum(axis=1) + 1.0).max() < 0.1
    assert np.mean(x[:, 1] == -1.0) == pytest.approx(0.5, abs=0.07)


def test_reserve_and_estimate_add_their_squares_and_the_reserve_grows_with_speed(known_arm):
    box = learning_box(known_arm, WALL, **LINEAR)
    truth = middle(box, stiffness=np.log(1e5))
    known = learn(nothing_known(box), [struck(box, truth, 0.05, 1)])
    at, at_speed = known.windows[-1].point, known.windows[-1].speed
    learned = next_speed(known, at).learned
    loads = [used(box, each, learned, at) for each in known.draws(DRAWS, SPREAD)]
    middle_load, most = loads[0], max(loads)
    faster = max(1.0, learned / at_speed)
    needed = middle_load + np.hypot(
        most - middle_load, (2.0 * faster - 1.0) * (RESERVE - 1.0) * most
    )
    assert needed == pytest.approx(1.0, abs=0.01)
    assert most > 1.02 * middle_load
    assert faster > 1.5  # a hit at that speed would allow more


def test_a_touch_that_was_detected_three_milliseconds_late_is_found(known_arm):
    """Its command begins to change a millisecond after it, so the time of contact matters."""
    box = learning_box(known_arm, WALL, **LINEAR)
    truth = middle(box, stiffness=np.log(2e4))

    def pushed(since):
        return -3.0 * np.clip((since - 1e-3) / 5e-3, 0.0, 1.0)[:, None] * np.ones(7)

    hit = struck(box, truth, 0.3, 1, command=pushed)
    known, late = (
        learn(nothing_known(box), [replace(hit, time=hit.time - by)]) for by in (0.0, 3e-3)
    )
    assert not late.alarm
    assert late.misfit == pytest.approx(known.misfit, abs=0.1)
    assert late.windows[0].time[0] != hit.time[0] - 3e-3
    assert late.mean == pytest.approx(known.mean, abs=0.05)
