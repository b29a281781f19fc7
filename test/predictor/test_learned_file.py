# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What was learned comes back from its YAML; what is wrong in it, or in a hit, is said."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from learned_hits import NORMAL, WALL, struck

from impact_predictor import PredictionError
from impact_predictor.exceptions import NotApproachingError
from impact_predictor.learning.hit_window import hit_window
from impact_predictor.learning.knowledge import learn, nothing_known
from impact_predictor.learning.learned_file import joints_text, wall_text, with_joints, with_wall
from impact_predictor.learning.learning_box import learning_box
from impact_robots import Surface, load_robot


@pytest.fixture(scope="module")
def box(panda):
    return learning_box(panda, WALL, exponent=(1.0, 1.5), tilt=0.1)


@pytest.fixture(scope="module")
def learned(box):
    """A box inside, as after some hits."""
    width = box.high - box.low
    return box.narrowed(box.low + 0.2 * width, box.high - 0.3 * width)


@pytest.fixture(scope="module")
def hit(box):
    return struck(box, box.figures(np.zeros(box.size)), 0.1, 1)


def test_wall_and_joints_come_back_each_from_its_own_text(box, learned):
    wall, joints = with_wall(box, wall_text(learned)), with_joints(box, joints_text(learned))
    for name in ("low", "high"):
        ends, all_ends = getattr(learned, name), getattr(box, name)
        np.testing.assert_allclose(getattr(wall, name)[:6], ends[:6], rtol=1e-12)
        np.testing.assert_array_equal(getattr(wall, name)[6:], all_ends[6:])
        np.testing.assert_array_equal(getattr(joints, name)[:6], all_ends[:6])
        np.testing.assert_allclose(getattr(joints, name)[6:], ends[6:], rtol=1e-12)
    np.testing.assert_allclose(with_wall(box, wall_text(box)).high, box.high, rtol=1e-12)


def test_the_joints_are_entries_of_the_robots_yaml(learned, tmp_path, project_root):
    folder = project_root / "impact_robots"
    own = yaml.safe_load((folder / "panda.yaml").read_text())
    own["urdf"] = str(folder / own["urdf"])
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(own | yaml.safe_load(joints_text(learned))))
    read = load_robot(path).joint_ranges
    for name in ("stiffness", "damping", "motor_inertia"):
        np.testing.assert_allclose(
            getattr(read, name), getattr(learned.arm.joint_ranges, name), rtol=1e-12
        )


def test_ranges_of_wall_and_arm_are_those_of_the_box(box, panda):
    linear = learning_box(panda, Surface(None, NORMAL, 0.2, (0.1, 0.3)), exponent=(1.0, 1.0))
    assert linear.wall.stiffness == (pytest.approx(1e4), np.inf)
    low, high = linear.low.copy(), linear.high.copy()
    high[0] = np.log(1e6)
    narrow = linear.narrowed(low, high).wall
    assert narrow.stiffness == pytest.approx((1e4, 1e6))
    assert narrow.friction == (0.2, 0.2) and narrow.restitution == (0.1, 0.3)
    assert narrow.normal == pytest.approx(NORMAL)
    assert box.wall.stiffness == WALL.stiffness


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("friction", "mu", "expected the keys stiffness, restitution, friction, exponent, tilt_1"),
        (
            "exponent: [1",
            "exponent: [0.9, 1",
            "exponent: expected [low, high] with low <= high, got",
        ),
        ("exponent: [1", "exponent: [0", "exponent: expected inside 1 to 1.5 as announced, got 0"),
        ("stiffness: [", "stiffness: [-", "stiffness: expected above 0, got"),
        ("stiffness: [", "stiffness: [9999", "stiffness: expected [low, high] with low <= high"),
        ("# A wall", "[", "learned ranges: not YAML: while parsing"),
    ],
)
def test_a_text_that_is_wrong_is_refused_in_one_line(box, learned, old, new, message):
    text = wall_text(learned)
    assert text.count(old) == 1
    with pytest.raises(PredictionError, match=r"^[^\n]*$") as error:
        with_wall(box, text.replace(old, new))
    assert message in str(error.value)


def test_joints_of_another_arm_are_refused(box, learned):
    entries = yaml.safe_load(joints_text(learned))
    entries["joint_damping_range"] = [[1.0] * 6, [1.1] * 6]
    with pytest.raises(PredictionError, match=r"joint_damping_range: expected .* 7 numbers each"):
        with_joints(box, yaml.safe_dump(entries))
    entries["joint_damping_range"] = [[0.4] * 7, [1.1] * 7]
    with pytest.raises(PredictionError, match=r"joint_damping_range of joint 1: .* 0.5 to 1.5"):
        with_joints(box, yaml.safe_dump(entries))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unknowns": ("mass",)}, "unknowns: expected some of joints, .*, got 'mass'"),
        ({"exponent": (1.5, 1.0)}, "exponent: expected 1 <= low <= high <= 2"),
        ({"tilt": 0.5}, "tilt: expected 0 to 0.3 rad, got 0.5"),
        ({"tilt": float("nan")}, "tilt: expected 0 to 0.3 rad, got nan"),
    ],
)
def test_a_box_of_wrong_figures_is_refused(panda, options, message):
    with pytest.raises(PredictionError, match=message):
        learning_box(panda, WALL, **options)


def test_hits_that_tell_nothing_are_refused(panda, box, hit):
    def cut(chosen):
        names = ("time", "position", "velocity", "torque")
        return replace(hit, **{name: getattr(hit, name)[chosen] for name in names})

    bad = replace(hit, torque=np.where(hit.time[:, None] > 0.0, np.nan, hit.torque))
    for wrong, message in (
        (bad, "expected finite torque"),
        (replace(hit, position=hit.position[:, :6]), r"position of shape \(85, 7\), got"),
        (cut(hit.time < 0.01), "until 0.015 s after contact"),
        (cut(hit.time > -0.012), "12 samples before"),
        (cut(np.abs(hit.time - 0.005) > 0.0012), "at most 0.0021 s apart"),
        (cut(slice(None, None, -1)), "rising times"),
    ):
        with pytest.raises(PredictionError, match=message):
            hit_window(panda, WALL, wrong)
    with pytest.raises(NotApproachingError):
        hit_window(panda, Surface(None, -NORMAL), hit)


def test_learning_needs_something_unknown(panda, hit):
    nothing = nothing_known(learning_box(panda, Surface(None, NORMAL, 0.1, 0.2, 1e5), ()))
    with pytest.raises(PredictionError, match="at least one unknown with a range"):
        learn(nothing, [hit])
    assert learn(nothing, []) is nothing
