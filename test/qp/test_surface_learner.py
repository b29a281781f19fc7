# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A surface learned hit by hit, without ROS: what is recorded, planned, and when it is enough."""

from dataclasses import replace

import numpy as np
import pytest
from learned_hits import NORMAL, POSE, WALL, drawn, known_point, struck, used

from impact_predictor.learning.knowledge import Ceiling
from impact_predictor.learning.learning_box import learning_box
from impact_predictor.learning.next_speed import SafeSpeed
from impact_predictor.learning.wall_change import LearnedHit
from impact_qp.exceptions import ControlError
from impact_qp.learning import surface_learner
from impact_qp.learning.hit_record import AFTER, BEFORE, HitRecorder
from impact_qp.learning.surface_learner import SurfaceLearner
from impact_qp.learning.wall_approach import arrival, by_run_up
from impact_robots import Surface
from impact_robots.exceptions import RobotError

MS = 1_000_000  # [ns]


@pytest.fixture(scope="module")
def box(panda):
    wall = known_point(panda).position - 0.1 * NORMAL
    surface = Surface(wall, NORMAL, WALL.friction, WALL.restitution, WALL.stiffness)
    return learning_box(panda, surface)


@pytest.fixture
def learner(box):
    """Who begins at POSE, 0.1 m before the surface."""
    return SurfaceLearner(box, 3, 1.0, 4.0)


def recorded(panda, stamps, *, touch=None, commands=True):
    """A recorder that heard states of these stamps [ms]; every number says which."""
    recorder = HitRecorder(panda)
    for stamp in stamps:
        recorder.add_state(stamp * MS, *(np.full(7, stamp + 1e-3 * k) for k in range(3)))
        if commands:
            recorder.add_command(stamp * MS, np.full(7, -float(stamp)))
        if stamp == touch:
            recorder.add_event(stamp * MS, stamp * MS - MS // 2)
    return recorder


def test_a_record_is_cut_about_the_touch(panda):
    hit = recorded(panda, range(1, 900), touch=500).hit()
    assert hit.time[0] == pytest.approx(-BEFORE, abs=1e-3)
    assert hit.time[-1] == pytest.approx(AFTER, abs=1e-3)
    assert np.all(np.diff(hit.time) > 0.9e-3)
    stamps = 500.0 - 0.5 + 1e3 * hit.time
    for column, offset in ((hit.position, 0.0), (hit.velocity, 1e-3), (hit.torque, 2e-3)):
        assert column == pytest.approx(np.repeat(stamps[:, None] + offset, 7, axis=1))
    assert hit.command == pytest.approx(-np.repeat(stamps[:, None], 7, axis=1))


def test_what_comes_long_after_the_touch_pushes_nothing_out(panda):
    early, late = (recorded(panda, range(1, end), touch=500).hit() for end in (560, 5000))
    assert np.array_equal(early.time, late.time)
    assert np.array_equal(early.command, late.command)


def test_an_event_that_is_heard_two_seconds_late_is_of_its_states(panda):
    recorder = recorded(panda, range(1, 2600))
    recorder.add_event(500 * MS, 500 * MS - MS // 2)
    expected = recorded(panda, range(1, 900), touch=500).hit()
    assert np.array_equal(recorder.hit().time, expected.time)


def test_without_commands_there_are_none(panda):
    assert recorded(panda, range(1, 900), touch=500, commands=False).hit().command is None


def test_a_command_that_was_lost_is_the_one_before(panda):
    recorder = recorded(panda, range(1, 540), touch=500)
    del recorder._commands[490 * MS]
    recorder.add_state(600 * MS, *np.ones((3, 7)))
    hit = recorder.hit()
    place = int(np.argmin(np.abs(hit.time + 9.5e-3)))
    assert hit.command[place, 0] == -489.0


@pytest.mark.parametrize("touch", [None, 520])
def test_a_record_without_a_touch_or_its_end_is_none(panda, touch):
    with pytest.raises(ControlError, match=r"expected states up to 0.042 s after"):
        recorded(panda, range(1, 550), touch=touch).hit()


def test_an_event_of_before_is_not_of_this_hit(panda):
    recorder = recorded(panda, range(1, 300))
    recorder.begin()
    recorder.add_event(200 * MS, 199 * MS)
    assert not recorder.detected
    recorder.add_event(400 * MS, 0)  # whose touch is not known
    assert recorder.detected and recorder._contact == 400 * MS


@pytest.mark.parametrize(
    ("detected", "touch"),
    [(290, 50), (290, 295)],
    ids=["touch long before", "touch after its detection"],
)
def test_an_event_whose_stamps_do_not_belong_together_counts_for_nothing(panda, detected, touch):
    recorder = recorded(panda, range(1, 300))
    recorder.add_event(detected * MS, touch * MS)
    assert not recorder.detected


def test_a_hit_whose_commands_fell_silent_is_none(panda):
    recorder = recorded(panda, range(1, 900), touch=500)
    for stamp in range(420, 540):
        recorder._commands.pop(stamp * MS, None)
    with pytest.raises(ControlError, match=r"at most 0\.05 s apart, got none for 0\.1"):
        recorder.hit()


def test_what_is_not_finite_is_refused(panda):
    recorder = HitRecorder(panda)
    bad = np.full(7, np.nan)
    with pytest.raises(ControlError, match="finite positions"):
        recorder.add_state(MS, np.zeros(7), np.zeros(7), bad)
    with pytest.raises(ControlError, match="7 finite torques"):
        recorder.add_command(MS, bad)
    with pytest.raises(ControlError, match="7 finite torques"):
        recorder.add_command(MS, np.zeros(6))
    assert recorder.position is None


def test_the_first_hit_is_the_one_that_the_box_allows(learner, box):
    hit = learner.next_hit(POSE)
    assert (hit.number, hit.safe.reason) == (1, "start")
    assert hit.gap == pytest.approx(0.1)
    assert hit.speed == hit.safe.speed < by_run_up(0.1, 4.0)


def test_no_hit_is_faster_than_wanted_or_than_the_run_up_allows(box):
    assert SurfaceLearner(box, 3, 0.03, 4.0).next_hit(POSE).speed == 0.03
    slow = SurfaceLearner(box, 3, 1.0, 0.02).next_hit(POSE)
    assert slow.speed == pytest.approx(by_run_up(0.1, 0.02)) and slow.speed < slow.safe.speed


def test_behind_the_surface_or_too_near_there_is_no_hit(learner, box):
    q = arrival(box.robot, POSE, -0.11 * NORMAL).q
    with pytest.raises(ControlError, match="behind the surface"):
        learner.next_hit(q)
    near = arrival(box.robot, POSE, -0.09999 * NORMAL).q
    with pytest.raises(ControlError, match=r"got 0\.0001 m/s on 0\.000 m"):
        learner.next_hit(near)


def test_an_arm_that_has_drifted_out_of_reach_is_told_of(learner, box, monkeypatch):
    def beyond(*_):
        raise RobotError("inverse kinematics: no solution 0.100 m away")

    drifted = POSE + np.array([0.0, 0.0, -0.25, 0.0, 0.1, 0.0, 0.0])
    monkeypatch.setattr(surface_learner, "arrival", beyond)
    with pytest.raises(ControlError, match=r"no solution 0\.100 m away$"):
        learner.next_hit(POSE)
    learner.hits.append(LearnedHit(0.1, 0.3, 0.5, False))
    line = r"away; panda_joint3 is 0\.25 rad from where it was before the first hit: move the arm"
    with pytest.raises(ControlError, match=line):
        learner.next_hit(drifted)


def hit_of(learner, box, speed, seed=0, scale=1.0):
    """Learn from a hit at a speed of a wall in the box's middle."""
    figures = 0.5 * (box.low + box.high)
    hit = struck(box, figures, speed, seed)
    return learner.learn(hit if scale == 1.0 else scaled(hit, scale))


def scaled(hit, scale):
    """A hit whose torques changed more."""
    from dataclasses import replace

    quiet = hit.torque[:30].mean(axis=0)
    return replace(hit, torque=quiet + scale * (hit.torque - quiet))


def test_hits_that_are_as_meant_go_on_to_their_number(learner, box):
    q = POSE
    for number in range(3):
        assert not learner.done
        speed = min(learner.next_hit(q).speed, 0.15)
        hit = hit_of(learner, box, speed, number)
        assert learner.problem == "" and hit.load <= 1.0
        assert hit.speed == pytest.approx(speed, rel=0.05)
    assert learner.done


def test_a_hit_that_was_faster_than_asked_for_is_the_last(box):
    learner = SurfaceLearner(box, 3, 0.05, 4.0)
    learner.next_hit(POSE)
    hit_of(learner, box, 0.06)
    assert (
        learner.problem.startswith("hit 1 came at 0.06") and "instead of 0.050" in learner.problem
    )


def test_after_a_hit_that_was_a_little_too_fast_all_others_are_asked_to_be_slower(box):
    """By as much; the same rule as of `./impact learn`."""
    learner = SurfaceLearner(box, 3, 0.05, 4.0)
    assert learner.next_hit(POSE).speed == 0.05
    found = hit_of(learner, box, 0.055)
    assert learner.problem == "" and found.speed == pytest.approx(0.055, rel=0.03)
    assert learner.next_hit(POSE).speed == pytest.approx(0.05 * 0.05 / found.speed)


def test_a_hit_that_used_more_than_a_limit_is_the_last(box):
    learner = SurfaceLearner(box, 3, 1.0, 4.0)
    learner.next_hit(POSE)
    hit = hit_of(learner, box, 0.1, scale=20.0)
    assert hit.load > 1.0 and learner.problem.startswith("hit 1 used ")


def test_the_second_hit_that_used_more_than_was_promised_is_the_last(learner, box):
    used = []
    for number, promised in enumerate((0.05, 1.0, 0.05)):
        assert learner.problem == ""
        speed = min(learner.next_hit(POSE).speed, 0.07)
        learner._planner._promised = promised
        used.append(hit_of(learner, box, speed, number).load)
    first, last = (f"used {used[k]:.2f} of a limit instead of 0.05" for k in (0, 2))
    assert learner.problem == f"hit 1 {first} and hit 3 {last}"
    with pytest.raises(ControlError, match="and hit 3 used"):
        learner.next_hit(POSE)


def test_what_is_promised_is_what_the_learned_speed_would_use_in_proportion():
    steps = SafeSpeed(0.1, "half faster than the last", "joint", 0.05, 0.4)
    assert steps.promised == pytest.approx(0.25)
    assert steps._replace(reason="start").promised == 1.0  # of everything that was announced
    assert steps._replace(speed=0.4, reason="learned").promised == 1.0


def test_ceilings_of_goals_before_hold_for_the_next_one(box):
    free = SurfaceLearner(box, 3, 1.0, 4.0).next_hit(POSE)
    ceiling = Ceiling(POSE + 0.1, 0.6 * free.speed)
    held = SurfaceLearner(box, 3, 1.0, 4.0, (ceiling,))
    hit = held.next_hit(POSE)
    assert (hit.speed, hit.safe.reason) == (ceiling.speed, "ceiling")
    hit_of(held, box, hit.speed)
    assert held.learned.known.ceilings == (ceiling,)


def test_the_controller_is_told_what_was_learned_of_the_surface(learner, box):
    assert learner.next_hit(POSE).surface is box.surface  # nothing so far
    hit_of(learner, box, 0.1)
    found = learner.next_hit(POSE).surface
    assert found.stiffness[1] / found.stiffness[0] < 30.0  # announced: 1000
    assert box.surface.stiffness[0] <= found.stiffness[0] <= found.stiffness[1]


def test_a_detection_without_contact_is_no_learned_surface(box):
    """One hit is asked for, and its record is free motion."""
    once = SurfaceLearner(box, 1, 1.0, 4.0)
    speed = once.next_hit(POSE).speed
    hit = struck(box, drawn(box, 3), speed, 0)
    still = hit.torque[:30].mean(axis=0)
    noise = hit.torque - np.where(hit.time[:, None] < -2e-3, 0.0, hit.torque - still)
    free = hit.velocity[:30].mean(axis=0) + 0.0 * hit.velocity
    once.learn(replace(hit, torque=noise, velocity=free))
    assert once.done and once.hits[0].contradicted
    assert once.problem == "the model explains no hit of 1: was it one of this surface?"


def test_the_load_of_a_hit_that_something_else_ended_is_remembered(learner, box):
    speed = learner.next_hit(POSE).speed
    hardest = box.high.copy()
    fast = speed / used(box, hardest, speed)  # uses a whole limit
    learner.remember(struck(box, hardest, fast, 0))
    known = learner.learned.known
    assert not learner.hits and not known.windows
    assert known.ceilings[0].speed < 1.1 * fast
    assert SurfaceLearner(box, 3, 1.0, 4.0, known.ceilings).next_hit(POSE).safe.speed <= fast


def test_two_contradictions_in_a_row_are_the_end(learner, box):
    figures = [np.array(0.5 * (box.low + box.high)) for _ in range(3)]
    for wall, place in zip(figures, (0.05, 0.9, 0.05), strict=True):
        wall[0] = box.low[0] + place * (box.high[0] - box.low[0])
    learner.next_hit(POSE)
    for number, wall in enumerate(figures):
        assert learner.problem == "", number
        learner._planner.asked = 0.1
        learner.learn(struck(box, wall, 0.1 if number != 1 else 0.05, number))
    assert [each.contradicted for each in learner.hits] == [False, True, True]
    assert learner.problem == "hit 3 contradicts hit 2, which contradicted those before"
