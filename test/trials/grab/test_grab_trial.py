# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""HRP-4 grabs a box, lifts it and tosses it, with noise and delay."""

from dataclasses import replace

import numpy as np
import pytest
from stance_follower import StanceFollower

from impact_qp.whole_body.controller import AWARENESS
from impact_robots.task.palm_task import LIMITS_OF_GRABS
from impact_sim.humanoid.grab_file import load_grab
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.scenario_choice import find
from impact_trials.grab.grab_trial import GrabTrial, grab_trial
from studies.humanoid_grabs.troubles import FORWARD, TROUBLES, PhasePush, troubled_trial

ONE = replace(load_grab("qp_hrp4_grab"), box_masses=(1.08,))


@pytest.fixture(scope="module")
def grabbed():
    return grab_trial(ONE, seed=1)


def test_it_stands_to_the_end_and_every_program_is_solved(grabbed):
    assert not grabbed.fell
    assert (grabbed.failure, grabbed.phase, grabbed.unsolved) == ("", "rest", 0)


def test_palms_arrive_at_the_robust_bound_of_palms_that_press_on_one_another(grabbed):
    for palm in grabbed.boxes[0].palms:
        assert palm.bound < 0.22 < ONE.reference_speed
        assert 0.95 < palm.speed / palm.bound < 1.01


def test_the_box_is_noticed_lifted_and_tossed(grabbed):
    (box,) = grabbed.boxes
    assert len(box.palms) == 2
    assert all(0.0 < palm.latency < 0.01 for palm in box.palms)
    assert box.lifted > 0.09
    assert box.distance > 0.8
    assert box.margin > 0.05


def test_impulses_are_no_worse_than_announced(grabbed):
    for palm in grabbed.boxes[0].palms:
        assert palm.is_announced
        assert 0.6 < palm.of_bound < 1.0
        assert 0.0 < palm.wrist_load < 1.0


def test_a_plain_controller_of_positions_grabs_too():
    found = GrabTrial(ONE, controller=StanceFollower).run()
    assert (found.fell, found.phase, found.failure) == (False, "rest", "")
    assert found.boxes[0].lifted > 0.09


def test_another_humanoid_grabs_by_its_yaml_alone(project_root):
    """Unitree's G1: a YAML, a URDF and a task, no line of code."""
    found = grab_trial(find(project_root / "examples" / "g1" / "carton_world.yaml", GrabScenario))
    assert (found.fell, found.failure, found.phase, found.unsolved) == (False, "", "rest", 0)
    (box,) = found.boxes
    assert box.lifted > 0.05 and box.slipped < 0.03 and box.margin > 0.02
    assert len(box.palms) == 2
    for palm in box.palms:
        assert palm.is_announced and palm.wrist_load < 1.0


def test_the_same_seed_gives_the_same_trial():
    def short(seed):
        trial = GrabTrial(ONE, seed=seed)
        seen = trial.begin()
        for _ in range(40):
            seen = trial.cycle(seen)
        return np.append(trial.plant.q, trial.plant.box().position)

    np.testing.assert_array_equal(short(3), short(3))
    assert np.abs(short(3) - short(4)).max() > 1e-6


def test_a_push_acts_from_the_phases_beginning_for_as_long_as_it_says():
    pushed = []

    def noted(plant, phase, elapsed):
        PhasePush(60.0, FORWARD, duration=0.1)(plant, phase, elapsed)
        pushed.append(plant.data.xfrc_applied[1, 0])

    trial = GrabTrial(ONE, controller=StanceFollower, disturb=noted)
    seen = trial.begin()
    for _ in range(30):
        seen = trial.cycle(seen)
    assert pushed == 20 * [60.0] + 10 * [0.0]


def test_troubles_are_scenarios_that_there_can_be():
    for trouble in TROUBLES.values():
        trial = troubled_trial(trouble)
        assert np.isfinite(trial.stage.start).all()


def test_limits_of_scenarios_are_those_of_the_controller():
    assert set(LIMITS_OF_GRABS) == set(AWARENESS)
