# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Touches that were noticed late, walls that were exchanged, approaches that are not straight."""

from dataclasses import replace

import numpy as np
import pytest
from learned_hits import WALL, known_point, struck, used

from impact_predictor.exceptions import NotApproachingError
from impact_predictor.learning.alignment import aligned
from impact_predictor.learning.knowledge import learn, nothing_known
from impact_predictor.learning.learning_box import learning_box
from impact_predictor.learning.next_speed import PROVEN, next_speed, speed_of_known
from impact_predictor.learning.wall_change import Learned, learn_hit, speed_after
from impact_robots.description.joint_ranges import KNOWN_JOINTS

STIFFNESS, EXPONENT = 0, 3


@pytest.fixture(scope="module")
def box(panda):
    return learning_box(replace(panda, joint_ranges=KNOWN_JOINTS), WALL)


def linear(box, stiffness):
    """The middle of a box, but for a stiffness, and linear."""
    found = box.figures(np.zeros(box.size))
    found[STIFFNESS], found[EXPONENT] = np.log(stiffness), 1.0
    return found


@pytest.mark.parametrize("stiffness", [3e4, 1e6])
@pytest.mark.parametrize("late", [-1.5e-3, 0.0, 4e-3])
def test_a_touch_is_found_however_late_it_was_noticed(box, stiffness, late):
    hit = struck(box, linear(box, stiffness), 0.15, 5)  # up to 1 ms off by itself
    off = replace(hit, time=hit.time - late)
    assert np.abs(aligned(box, off).time - hit.time).max() < 2.1e-3
    known = learn(nothing_known(box), [aligned(box, off)])
    assert not known.alarm
    assert np.exp(box.figures(known.mean)[STIFFNESS]) == pytest.approx(stiffness, rel=0.3)


def test_a_harder_wall_is_noticed_and_learned_anew_no_faster_than_proven(box):
    soft, hard = linear(box, 5e4), linear(box, 1e6)
    point, learned = known_point(box.robot), Learned(nothing_known(box))
    for seed in (1, 2):
        learned = learn_hit(learned, struck(box, soft, 0.2, seed))
        assert not learned.changed
    learned = learn_hit(learned, struck(box, hard, 0.2, 3))
    assert learned.changed and len(learned.known.windows) == 1
    assert not learned.known.alarm
    last, speed = learned.known.windows[-1], speed_after(learned, point)
    assert last.used > 1.0
    assert speed.reason == PROVEN
    assert speed.speed <= last.speed / last.used
    assert used(box, hard, speed.speed) <= 1.0
    learned = learn_hit(learned, struck(box, hard, speed.speed, 4))
    assert not learned.changed and len(learned.known.windows) == 2
    assert 0.8 < used(box, hard, speed_after(learned, point).speed) <= 1.0


def test_a_softer_wall_is_noticed_and_waited_for(box):
    learned = learn_hit(Learned(nothing_known(box)), struck(box, linear(box, 1e6), 0.06, 1))
    learned = learn_hit(learned, struck(box, linear(box, 5e4), 0.06, 2))
    assert learned.changed
    point = known_point(box.robot)
    alone = next_speed(learned.known, point)
    assert speed_after(learned, point).speed <= learned.known.windows[-1].speed < alone.speed


def test_a_known_wall_allows_just_what_its_load_does(box):
    point, hertz = known_point(box.robot), linear(box, 1e5)
    hertz[EXPONENT] = 1.5
    for figures in (linear(box, 1e5), hertz):
        speed = speed_of_known(box, point, figures)
        assert used(box, figures, speed) == pytest.approx(1.0, abs=0.03)


def test_an_oblique_approach_counts_its_friction(box):
    point, figures = known_point(box.robot), linear(box, 1e6)
    along = -box.surface.normal
    straight = speed_of_known(box, point, figures)
    assert speed_of_known(box, point, figures, 3.0 * along) == pytest.approx(straight)
    sideways = along + np.array([0.0, 0.36, 0.0])
    assert abs(speed_of_known(box, point, figures, sideways) / straight - 1.0) > 0.01
    start = next_speed(nothing_known(box), point, direction=sideways)
    assert start.speed < speed_of_known(box, point, figures, sideways)
    with pytest.raises(NotApproachingError):
        next_speed(nothing_known(box), point, direction=-along)
