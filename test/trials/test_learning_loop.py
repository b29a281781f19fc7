# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hit, learn, hit faster, in the closed loop of the suite's controller."""

from dataclasses import replace

import numpy as np
import pytest

from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.learning.alignment import aligned
from impact_predictor.learning.knowledge import learn, nothing_known
from impact_predictor.learning.learning_box import learning_box
from impact_predictor.learning.next_speed import START
from impact_qp.learning.rehearsal import highest_achieved, rehearse
from impact_qp.learning.wall_approach import WallApproach, by_run_up
from impact_robots import Surface, load_robot
from impact_robots.dynamics import ArmDynamics
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.driver.simulation import Simulation
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.scenarios import load_scenario
from impact_trials.in_process.learning_loop import learning_steps
from impact_trials.in_process.wall_hit import wall_hit
from impact_trials.trial import detector_session
from studies.joint_loads.load_poses import draw_poses

UNKNOWN = {"friction": (0.0, 0.5), "restitution": (0.02, 0.6), "stiffness": (1e4, 1e7)}


@pytest.fixture(scope="module")
def approach(scenario):
    """To the demo's wall, of which next to nothing is announced."""
    robot = load_robot("panda")
    surface = Surface(None, scenario.normal, **UNKNOWN)
    point = ArmDynamics(robot)(np.array(scenario.q_impact), np.zeros(robot.dof))
    return WallApproach(robot, surface, scenario.start(robot), point, scenario.run_up)


@pytest.fixture(scope="module")
def steps(scenario, approach):
    """Two hits: 2 s."""
    robot = approach.robot

    def strike(number, speed):
        surface = Surface(approach.point.position, scenario.normal, 0.2)
        plant = LoadedPlant(robot, CompliantWall(surface, viscoelastic(1.2e5, 0.3, speed)))
        simulation = Simulation(robot, seed=100 + number, plant=plant)
        return wall_hit(approach, speed, simulation, detector_session(scenario, robot))

    return list(learning_steps(learning_box(robot, approach.surface), [approach] * 2, strike))


def test_it_begins_gently_and_goes_on_faster(steps):
    first, second = steps
    assert first.safe.reason == START
    for step in steps:
        assert step.hit.truth.load <= 1.0
        assert not step.learned.changed
    assert second.hit.truth.speed > 1.3 * first.hit.truth.speed


def test_the_recording_is_what_the_joints_felt(steps):
    for step in steps:
        assert step.learned.known.windows[-1].used == pytest.approx(step.hit.truth.load, rel=0.1)
        assert step.hit.detected and abs(step.hit.truth.late) < 1.5e-3
        assert step.hit.time[-1] > 0.015


def test_where_it_will_arrive_is_where_it_hits(approach, steps):
    for step in steps:
        place = approach.arrives(step.asked)
        assert np.abs(place.position - approach.point.position).max() < 2e-3
        assert np.abs(place.q - step.hit.truth.point.q).max() < 3e-3
    way = np.array([np.cos(0.35), np.sin(0.35), 0.0])
    aside = replace(approach, direction=way).arrives(0.2).position - approach.point.position
    assert aside == pytest.approx([0.0, 0.1 * np.tan(0.35), 0.0], abs=2e-3)


def test_it_comes_as_fast_as_it_is_asked_to(steps):
    for step in steps:
        assert step.hit.truth.speed == pytest.approx(step.asked, rel=0.03)


def test_no_speed_is_asked_for_that_the_run_up_does_not_allow(approach):
    speed = by_run_up(0.1, 4.0)
    assert speed**2 / (2.0 * 4.0) + 0.1 * speed == pytest.approx(0.1)
    assert by_run_up(0.4, 4.0) > 1.5 * speed
    assert approach.fastest == by_run_up(approach.run_up, approach.ramp)  # its joints are slower


def test_what_the_command_did_before_the_touch_is_no_part_of_the_hit(scenario, approach):
    """At this pose the controller changes its mind 20 ms before contact."""
    robot, speed, wall = approach.robot, 0.31, viscoelastic(4e6, 0.45, 0.31)
    pose = draw_poses(robot, 9, 1, 0.15)[8]
    way = WallApproach(robot, approach.surface, pose.start, pose.point, 0.15)
    plant = LoadedPlant(
        robot, CompliantWall(Surface(pose.point.position, scenario.normal, 0.3), wall)
    )
    simulation = Simulation(robot, seed=5, plant=plant)
    hit = wall_hit(way, speed, simulation, detector_session(scenario, robot))
    box = learning_box(robot, approach.surface)
    alone = replace(hit, command=None)
    given, without = (learn(nothing_known(box), [aligned(box, each)]) for each in (hit, alone))
    assert not given.alarm
    assert without.misfit[0] > 2.0 * given.misfit[0]


def test_an_arm_that_came_too_fast_is_asked_to_be_slower(approach, steps):
    """By as much as it was too fast: the first hit comes with the speed of the second."""
    box, fast = learning_box(approach.robot, approach.surface), steps[1].hit
    first, second = learning_steps(box, [approach] * 2, lambda number, speed: fast)
    assert first.asked == first.safe.speed < 0.8 * fast.truth.speed
    meant = min(second.safe.speed, approach.fastest)
    assert second.asked == pytest.approx(meant * first.asked / fast.truth.speed, rel=0.02)


@pytest.fixture(scope="module")
def at_limits():
    """A pose at which joints reach their highest speeds, and how the arm hits when asked to."""
    robot = load_robot("panda")
    pose = draw_poses(robot, 12, 0, 0.15)[8]
    surface = Surface(None, np.array([-1.0, 0.0, 0.0]), **UNKNOWN)
    approach = WallApproach(robot, surface, pose.start, pose.point, 0.15)

    def hit(speed):
        wall = Surface(pose.point.position, surface.normal, 0.2)
        plant = LoadedPlant(robot, CompliantWall(wall, viscoelastic(2.5e4, 0.3, speed)))
        session = detector_session(load_scenario("qp_panda_demo"), robot)
        return wall_hit(approach, speed, Simulation(robot, seed=0, plant=plant), session)

    return approach, hit


def test_an_arm_whose_joints_are_at_their_speeds_does_not_overshoot(at_limits):
    """It came at 0.98 m/s instead of 0.77: torques clipped one by one let joints drive others."""
    approach, hit = at_limits
    asked = by_run_up(approach.run_up, approach.ramp)
    fast = hit(asked)
    before = fast.velocity[fast.time < -0.005]
    assert np.abs(before / approach.robot.limits.velocity).max() < 1.03
    assert 0.5 < fast.truth.speed < 0.9 * asked


def test_no_speed_is_asked_for_that_the_joints_do_not_allow(at_limits):
    """What the rehearsal says is what the arm keeps, with its joints at their limits."""
    approach, hit = at_limits
    assert approach.fastest < 0.7 * by_run_up(approach.run_up, approach.ramp)
    kept = hit(approach.fastest)
    assert kept.truth.speed == pytest.approx(approach.fastest, rel=0.03)
    assert np.abs(approach.arrives(kept.truth.speed).q - kept.truth.point.q).max() < 0.01
    before = kept.velocity[kept.time < -0.005]
    assert 0.95 < np.abs(before / approach.robot.limits.velocity).max() < 1.03


def test_an_arm_that_does_not_get_there_keeps_no_speed(at_limits):
    approach, _ = at_limits
    normal = approach.surface.normal
    level = float(normal @ approach.point.position) - 2.0
    found = rehearse(approach.controller(0.3), approach.start, normal, level)
    assert found.point is None
    assert highest_achieved(lambda speed: 0.0, 0.8) == 0.0
    assert highest_achieved(lambda speed: min(speed, 0.3), 0.8) == pytest.approx(0.3, rel=0.03)
