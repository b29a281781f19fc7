# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What stands before HRP-4."""

import numpy as np
import pytest
from hrp4_on_its_feet import hrp4

from impact_robots import ArmDynamics
from impact_sim.exceptions import ScenarioError
from impact_sim.humanoid.grab_file import grab_names, grab_of, grab_text, load_grab
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.plant import HumanoidPlant
from impact_sim.scenario_choice import find

BOXES = (1.08, 0.38)  # kg, as published


@pytest.mark.parametrize("name", grab_names())
def test_the_robot_stands_before_a_box_that_stands(name):
    scenario = load_grab(name)
    plant = HumanoidPlant(scenario.layout(hrp4()))
    plant.reset(scenario.start(hrp4()))
    before = plant.box().position
    plant.advance(4000)
    np.testing.assert_allclose(plant.box().position, before, atol=1.5e-3)
    assert np.linalg.norm(plant.box().velocity) < 5e-3
    assert plant.balance.margin > 0.1
    assert not plant.palm_forces.any()


@pytest.mark.parametrize("name", grab_names())
def test_palms_lie_flat_on_the_box_at_the_impact(name):
    scenario = load_grab(name)
    q = scenario.grabbing(hrp4())
    state = ArmDynamics(hrp4(), "all").state(q, np.zeros(hrp4().nv))
    for palm, side in (("left_palm", 1.0), ("right_palm", -1.0)):
        point = state.at(palm)
        expected = scenario.box_position + np.array([0.0, side * scenario.half_width, 0.0])
        np.testing.assert_allclose(point.position, expected, atol=1e-6)
        np.testing.assert_allclose(point.rotation[:, 1], [0.0, 1.0, 0.0], atol=1e-6)
    limits = hrp4().limits
    assert (q[7:] >= limits.position_lower).all()
    assert (q[7:] <= limits.position_upper).all()


def test_the_boxes_are_the_papers():
    assert load_grab("qp_hrp4_grab").box_masses == BOXES
    assert load_grab("qp_hrp4_grab").reference_speed == 0.25


def test_a_file_that_is_like_one_has_a_title_of_its_own(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("like: qp_hrp4_grab_heavy\nreference_speed: 0.2\n")
    assert find(path, GrabScenario).title == "qp_hrp4_grab_heavy with its own reference_speed"


def test_a_scenario_written_to_a_file_is_the_same(tmp_path):
    path, entries = tmp_path / "mine.yaml", {"like": "qp_hrp4_grab_aside", "friction": 0.5}
    scenario = grab_of("mine", {"title": "", **entries, "announced": {"friction": 0.7}}, "here")
    path.write_text(grab_text(scenario))
    assert find(path, GrabScenario) == scenario
    assert (scenario.friction, scenario.task.friction) == (0.5, 0.7)


def test_what_varies_comes_from_the_seed_and_stays_within_its_range():
    entries = {"like": "qp_hrp4_grab", "variation": {"box": [0.01, 0.02, 0.0], "yaw": 0.1}}
    scenario = grab_of("drawn", entries, "here")
    drawn = [scenario.drawn(seed) for seed in range(30)]
    shifts = np.array([at - scenario.box_position for at, _ in drawn])
    turns = np.array([yaw for _, yaw in drawn])
    np.testing.assert_array_equal(scenario.drawn(3)[0], drawn[3][0])
    assert (np.abs(shifts) <= [0.01, 0.02, 0.0]).all()
    assert np.abs(shifts[:, 1]).max() > 0.01
    assert 0.05 < np.abs(turns).max() <= 0.1


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"like": "nobody"}, "here: like: expected one of qp_hrp4_grab, .*, got 'nobody'"),
        ({"wings": 2.0}, "here: expected entries of name, .*, got 'wings'"),
        ({"lift": "high"}, "here: lift: expected a finite number, got 'high'"),
        ({"run_up": 0.0}, "here: run_up: expected a finite number above 0 .m., got 0"),
        ({"friction_range": [0.8, 0.2]}, "here: friction: expected low, high with 0 <= low <= hi"),
        ({"restitution": [0.0, 1.5]}, "here: restitution: expected low, high with 0 <= low <= h"),
        ({"box_masses": []}, "here: box_masses: expected at least one"),
        ({"impact_limits": "some"}, "here: impact_limits: expected one of unaware, nominal, "),
    ],
)
def test_wrong_entries_are_told_in_one_line(entries, message):
    with pytest.raises(ScenarioError, match=message) as raised:
        grab_of("mine", {"title": "", **entries}, "here")
    assert "\n" not in str(raised.value)


def test_an_unknown_scenario_lists_the_choices():
    with pytest.raises(ScenarioError, match=r"scenario: expected one of qp_hrp4_grab, .*'qp'"):
        load_grab("qp")


def test_a_posture_of_unknown_joints_is_refused():
    entries = {"title": "", "posture": {"TAIL": 0.1}}
    with pytest.raises(ScenarioError, match="posture: expected joints of hrp4, got 'TAIL'"):
        grab_of("mine", entries, "here").solver(hrp4())
