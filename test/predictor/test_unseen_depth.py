# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What hits have not seen of a wall, what they nearly broke, and sensors that show too little."""

from dataclasses import replace

import numpy as np
import pytest
from learned_hits import NORMAL, POSE, WALL, known_point, struck, used

from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.learning.hit_window import hit_window
from impact_predictor.learning.knowledge import (
    CLOSE,
    RESERVE,
    ceiling_of,
    learn,
    lowest,
    nothing_known,
)
from impact_predictor.learning.learning_box import learning_box
from impact_predictor.learning.next_speed import BELOW, CEILING, next_speed
from impact_predictor.learning.unseen_depth import OVER, hardest, pressed, speed_to, unseen_speed
from impact_predictor.learning.wall_change import Learned, learn_hit, speed_after
from impact_predictor.learning.wall_interval import announced
from impact_robots import ArmDynamics, Surface
from impact_robots.description.joint_ranges import KNOWN_JOINTS

LINEAR = {"exponent": (1.0, 1.0)}
LOW = 0.87  # gain of torque sensors


@pytest.fixture(scope="module")
def box(panda):
    return learning_box(replace(panda, joint_ranges=KNOWN_JOINTS), WALL, **LINEAR)


def of(box, stiffness):
    """The middle of a box, but for the stiffness."""
    figures = box.figures(np.zeros(box.size))
    figures[0] = np.log(stiffness)
    return figures


def deep(box, figures, speed):
    """How deep the model's hit goes."""
    point = known_point(box.robot)
    arm = elastic_arm(box.robot, point.robot_state)
    return pressed(box, arm, np.array(point.J[:3]), figures, -speed * NORMAL)


@pytest.mark.parametrize(("stiffness", "speed"), [(2e4, 0.1), (2e4, 0.3), (2e5, 0.1)])
def test_the_depth_of_a_hit_is_read_from_its_joints(box, stiffness, speed):
    wall = of(box, stiffness)
    known = learn(nothing_known(box), [struck(box, wall, speed, 3)])
    assert known.depth == pytest.approx(deep(box, wall, speed)[0], rel=0.1)


def test_the_depth_grows_with_the_speed_as_the_law_says(box):
    linear = of(box, 5e4)
    hertz = np.where(np.arange(len(linear)) == 3, 1.5, linear)
    for wall, exponent in ((linear, 1.0), (hertz, 1.5)):
        depths = [deep(box, wall, speed)[0] for speed in (0.1, 0.2)]
        assert speed_to(depths[1], depths[0], 0.1, exponent) == pytest.approx(0.2, rel=0.03)


def test_below_what_was_seen_the_hardest_wall_that_was_announced_counts(box):
    """What the skin takes and what is left for the core add up to 1.2 of a limit."""
    soft = of(box, 2e4)[None]
    (hard,) = hardest(box, soft)
    assert np.exp(hard[0]) == pytest.approx(WALL.stiffness[1])
    point = known_point(box.robot)

    def share(figures, speed):
        return np.array([used(box, figures, speed, point)])

    alone = 1.0 / used(box, hard, 1.0, point)
    speeds = [unseen_speed(share, soft, hard[None], through) for through in (0.03, 0.06, 0.1)]
    assert speeds[0] < speeds[1] < speeds[2]
    for through, speed in zip((0.03, 0.06, 0.1), speeds, strict=True):
        below = np.sqrt(max(0.0, speed**2 - through**2))
        assert speed >= alone
        sum_ = used(box, soft[0], through, point) + used(box, hard, below, point)
        assert sum_ == pytest.approx(OVER, rel=0.02) or speed == pytest.approx(alone)


def test_a_wall_that_was_announced_as_soft_throughout_needs_no_such_care(box):
    soft = of(box, 3e4)
    known = learn(nothing_known(box), [struck(box, soft, 0.2, seed) for seed in (1, 2)])
    point = known_point(box.robot)
    assert next_speed(known, point).reason == BELOW
    wall = Surface(None, NORMAL, WALL.friction, WALL.restitution, (1e4, 3.2e4))
    mild = learning_box(box.robot, wall, **LINEAR)
    told = learn(nothing_known(mild), [struck(mild, soft, 0.2, seed) for seed in (1, 2)])
    assert next_speed(told, point).speed > 1.1 * next_speed(known, point).speed


def test_a_hit_that_came_near_a_limit_is_a_ceiling_whatever_is_believed_later(box):
    point, hard, soft = known_point(box.robot), of(box, 3e6), of(box, 2e4)
    speed = 0.97 / used(box, hard, 1.0)
    learned = learn_hit(Learned(nothing_known(box)), struck(box, hard, speed, 1))
    (ceiling,) = learned.known.ceilings
    assert ceiling.speed == pytest.approx(speed / (RESERVE * 0.97), rel=0.03)
    for seed in range(2, 6):  # now it is soft, and everything says that it may be hit faster
        learned = learn_hit(learned, struck(box, soft, 0.9 * ceiling.speed, seed))
    safe = speed_after(learned, point)
    assert (safe.speed, safe.reason) == (ceiling.speed, CEILING)
    assert "a load close to it" in safe.promise
    lifted = learned._replace(known=learned.known.lifted)
    assert speed_after(lifted, point).speed > 1.2 * ceiling.speed


def test_a_ceiling_holds_at_its_place_alone():
    assert ceiling_of(POSE, 0.2, CLOSE - 0.01) is None
    ceiling = ceiling_of(POSE, 0.2, 0.92)
    assert ceiling.speed == 0.2  # its own speed
    assert ceiling_of(POSE, 0.2, 2.0).speed == pytest.approx(0.1 / RESERVE)
    beside = POSE + 0.1
    assert lowest([ceiling], beside) == 0.2
    assert lowest([ceiling], POSE + 0.4) == np.inf


def low(hit, gain=LOW):
    """A hit as sensors show it that are low."""
    return replace(hit, torque=gain * hit.torque)


def test_sensors_that_show_too_little_of_gravity_are_corrected_by_it(box):
    true = struck(box, of(box, 3e5), 0.1, 1)
    right, wrong = (hit_window(box.robot, WALL, hit) for hit in (true, low(true)))
    assert right.gain == 1.0 and wrong.gain == pytest.approx(LOW, abs=0.01)
    assert wrong.used == pytest.approx(right.used, rel=0.02)


def test_sensors_that_show_hardly_any_gravity_are_another_arms(box):
    with pytest.raises(PredictionError, match=r"at least 0\.6 of the arm's gravity .* got 0\.30"):
        hit_window(box.robot, WALL, low(struck(box, of(box, 3e5), 0.1, 1), 0.3))


def test_what_sensors_may_hide_makes_the_next_hit_slower_by_as_much(box):
    """Gravity tells one factor for all joints; what it leaves open has to be announced."""
    point, stated = known_point(box.robot), replace(box, torque_gain=0.85)
    hits = [struck(box, of(box, 1e6), 0.1, seed) for seed in (1, 2)]
    sure, unsure = (next_speed(learn(nothing_known(each), hits), point) for each in (box, stated))
    assert unsure.learned == pytest.approx(0.85 * sure.learned, rel=0.01)
    close = struck(box, of(box, 1e6), 0.88 / used(box, of(box, 1e6), 1.0), 3)
    with_, without = (learn(nothing_known(each), [close]).ceilings for each in (stated, box))
    assert not without and len(with_) == 1
    with pytest.raises(PredictionError, match=r"torque_gain: expected 0\.5 to 1, got 0\.3"):
        learning_box(box.robot, WALL, torque_gain=0.3)


def test_the_learned_surface_holds_the_wall_and_is_inside_what_was_announced(box):
    point, wall = known_point(box.robot), of(box, 3e5)
    assert announced(nothing_known(box), point, 0.1) is box.surface
    known = learn(nothing_known(box), [struck(box, wall, 0.1, seed) for seed in (1, 2)])
    found = announced(known, point, 0.15)
    for name, true in (("stiffness", 3e5), ("restitution", wall[1]), ("friction", wall[2])):
        (low_, high), (least, most) = getattr(found, name), getattr(box.surface, name)
        assert least <= low_ <= true <= high <= most
    assert found.stiffness[1] / found.stiffness[0] < 4.0


def test_a_hertzian_wall_counts_as_linear_ones_that_are_softer_and_harder_than_it(panda):
    box = learning_box(replace(panda, joint_ranges=KNOWN_JOINTS), WALL)
    wall = of(box, 3e5)
    wall[3] = 1.5
    known = learn(nothing_known(box), [struck(box, wall, 0.1, seed) for seed in (1, 2)])
    found = announced(known, ArmDynamics(box.robot)(POSE, np.zeros(7)), 0.1)
    secant = 3e5 * np.sqrt(deep(box, wall, 0.1)[0] / 1e-4)
    assert found.stiffness[0] <= 0.8 * secant and found.stiffness[1] >= 1.5 * secant
