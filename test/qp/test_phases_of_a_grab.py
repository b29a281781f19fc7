# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The phases of a grab by themselves: palms that are where they are wanted, forces as given."""

from dataclasses import replace

import numpy as np
import pytest

from impact_qp.body.pair import Pair, minimum_jerk
from impact_qp.body.phases import ADMITTANCE, PHASES, beginning, next_state
from impact_sim.humanoid.grab_file import load_grab

LOADED = load_grab("qp_hrp4_grab")
TASK = replace(LOADED, box_masses=LOADED.box_masses[:1])
PERIOD = 0.005
STIFFNESS = 5e3  # of the boxes here, of each palm [N/m]


def forces(state, faces):
    """On palms that press a box whose faces are so far from the middle, (2,) [m]."""
    depth = np.maximum(faces - state.pair.apart, 0.0)
    return STIFFNESS * depth[:, None] * state.pair.normals


def run(task=TASK, aside=0.0, cap=np.inf, box=True, longest=20.0):
    """States of a grab, whose box stands ``aside`` [m] to the left."""
    state, states = beginning(task), []
    for k in range(round(longest / PERIOD)):
        states.append((k * PERIOD, state))
        if state.phase == "rest":
            return states
        if state.phase not in ("approach", "clamp"):  # between two palms that press it is free
            aside = 0.5 * float(state.pair.apart[0] - state.pair.apart[1])
        faces = task.half_width + np.array([aside, -aside])
        felt = forces(state, faces) if box else np.zeros((2, 3))
        state = next_state(task, state, k * PERIOD, PERIOD, felt, cap)
    raise AssertionError(f"no rest after {longest} s, in {state.phase}")


def test_phases_follow_each_other_in_their_order():
    order = []
    for _, state in run():
        if state.phase not in order:
            order.append(state.phase)
    assert tuple(order) == PHASES
    assert run()[-1][1].failure == ""


def test_a_second_box_is_grabbed_like_the_first():
    boxes = [
        state.box for _, state in run(replace(TASK, box_masses=2 * TASK.box_masses), longest=40.0)
    ]
    assert sorted(set(boxes)) == [0, 1]
    assert boxes == sorted(boxes)


@pytest.mark.parametrize(("cap", "expected"), [(np.inf, TASK.reference_speed), (0.1, 0.1)])
def test_palms_approach_at_the_set_speed_or_at_what_is_allowed(cap, expected):
    speeds = np.array([state.speed for _, state in run(cap=cap) if state.phase == "approach"])
    assert speeds.max() == pytest.approx(expected)
    assert np.diff(speeds, axis=0).max() <= TASK.reference_ramp * PERIOD + 1e-12


def test_each_palm_stops_where_it_felt_the_box():
    before = [state for _, state in run(aside=0.015) if state.phase == "approach"]
    left, right = (np.array([state.pair.apart[k] for state in before]) for k in (0, 1))
    assert len(np.unique(left[-10:])) == 1
    assert len(np.unique(right[-10:])) == 10
    assert left[-1] == pytest.approx(TASK.half_width + 0.015, abs=0.01)


def test_the_clamp_waits_for_the_end_of_the_impact():
    states = run()
    times = {phase: next(t for t, s in states if s.phase == phase) for phase in ("clamp", "grip")}
    late = times["grip"] - times["clamp"]
    assert TASK.clamp_delay - 1e-9 <= late <= TASK.clamp_delay + PERIOD + 1e-9
    waiting = [state.pair.apart for _, state in states if state.phase == "clamp"]
    assert np.ptp(waiting, axis=0).max() == 0.0


def test_the_grip_presses_as_hard_as_it_is_told():
    assert ADMITTANCE * STIFFNESS * PERIOD < 0.1
    last = [state for _, state in run() if state.phase == "lift"][-1]
    pressed = last.pair.pressed(forces(last, np.full(2, TASK.half_width)))
    np.testing.assert_allclose(pressed, TASK.grip_force, rtol=0.02)


def test_a_box_that_stood_aside_is_brought_to_the_middle():
    states = [state for _, state in run(aside=0.015) if state.phase in ("grip", "turn")]
    sides = [abs(float(np.diff(state.pair.apart)[0])) for state in states]
    assert sides[0] > 0.02
    assert sides[-1] < 0.25 * sides[0]


def test_without_a_box_the_palms_stop_short_of_each_other():
    state = run(box=False)[-1][1]
    assert (state.phase, state.failure) == ("rest", "no box")
    assert state.pair.apart.min() > 0.5 * TASK.half_width


def test_a_box_that_gives_way_is_not_lifted():
    state = next(state for _, state in run() if state.phase == "grip")
    for k in range(400):
        state = next_state(TASK, state, 10.0 + k * PERIOD, PERIOD, np.zeros((2, 3)), np.inf)
    assert (state.phase, state.failure) == ("rest", "no grip")


@pytest.mark.parametrize("phase", ["lift", "turn", "pull", "toss"])
@pytest.mark.parametrize("palms", [[0.0, 0.0], [1.0, 0.0]])
def test_a_box_that_is_lost_ends_the_grab_within_a_twentieth_of_a_second(phase, palms):
    began, state = next((t, s) for t, s in run() if s.phase == phase)
    before, k = state, 0
    while state.phase == phase:
        k += 1
        pressed = TASK.grip_force * np.array(palms)[:, None] * state.pair.normals
        state = next_state(TASK, state, began + k * PERIOD, PERIOD, pressed, np.inf)
    assert (state.phase, state.failure) == ("rest", "box lost")
    assert k * PERIOD <= 0.05 + 2 * PERIOD
    assert np.abs(state.pair.apart - before.pair.apart).max() < 0.005
    later = next_state(TASK, state, began + 1.0, PERIOD, np.zeros((2, 3)), np.inf)
    np.testing.assert_array_equal(later.pair.positions, state.pair.positions)


def test_palms_that_come_too_near_to_each_other_carry_no_box():
    """Whatever their sensors say."""
    state = next(state for _, state in run() if state.phase == "lift")
    near = state.pair._replace(apart=np.full(2, TASK.half_width - 0.051))
    pressed = TASK.grip_force * state.pair.normals
    after = next_state(TASK, replace(state, pair=near), state.since, PERIOD, pressed, np.inf)
    assert (after.phase, after.failure) == ("rest", "box lost")


def test_the_toss_is_as_fast_as_it_is_told_and_to_the_left():
    states = run()
    radii = np.array([state.pair.radius for _, state in states])
    assert np.diff(radii).max() / PERIOD == pytest.approx(TASK.toss_speed, rel=0.02)
    thrown = next(state for _, state in states if state.phase == "toss").pair
    assert thrown.middle[1] > 0.1
    np.testing.assert_allclose(thrown.middle[:2] / thrown.radius, thrown.rotation[:2, 0])


def test_the_pair_moves_without_jumps():
    pairs = [state.pair for _, state in run()]
    steps = np.diff([pair.positions for pair in pairs], axis=0)
    assert np.linalg.norm(steps, axis=2).max() < 1.0 * PERIOD


def test_palms_face_each_other():
    pair = Pair(0.4, 0.9, 0.5, np.array([0.2, 0.1]))
    left, right = pair.positions
    np.testing.assert_allclose(pair.normals[0], -pair.normals[1])
    assert np.linalg.norm(left - right) == pytest.approx(0.3)
    y = {name: pose.rotation[:, 1] for name, pose in pair.poses.items()}
    np.testing.assert_allclose(y["left_palm"], pair.normals[0])


def test_a_motion_from_rest_to_rest_begins_and_ends_at_rest():
    shares = np.array([minimum_jerk(s) for s in np.linspace(-0.2, 1.2, 1401)])
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    rates = np.diff(shares) / 0.001
    assert rates.min() >= -1e-12
    assert rates.max() == pytest.approx(1.875, rel=1e-3)
