# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Was it meant: announcements in time, and impulses against the announced set."""

import numpy as np
import pytest
from tiny_robot import tiny_robot

from impact_detector.attribution.expectation import (
    DIRECTION,
    MASS_MARGIN,
    PLACE,
    SIZE,
    TIME_TOLERANCE,
    Announcement,
    Announcements,
    unexpected_because,
)
from impact_detector.attribution.generalized_impulse import GeneralizedImpulse
from impact_detector.exceptions import DetectorError
from impact_predictor.inertia.inverse_inertia import crb
from impact_robots import ArmDynamics, Surface, contact_rotation

MS = 1_000_000
Q = np.array([0.43, -0.61, 0.18, -2.16, 0.04, 3.13, -0.73])  # iim_cfg_1
NORMAL = (-1.0, 0.0, 0.0)
COVARIANCE = 1e-3**2 * np.eye(7)
SURFACE = Surface(None, NORMAL, (0.1, 0.3), (0.0, 0.2))


@pytest.fixture(scope="module")
def approaching(panda):
    """The arm, its tool approaching the wall at 0.15 m/s."""
    dynamics = ArmDynamics(panda)
    J = dynamics(Q, np.zeros(7)).J[:3]
    return dynamics(Q, np.linalg.pinv(J) @ (-0.15 * np.array(NORMAL)))


def impulse(state, in_contact_axes, size=1.0):
    """What the joints feel of a push at the tool whose normal part is a fraction of the largest."""
    rotation = contact_rotation(NORMAL)
    push = np.array(in_contact_axes) / (crb(state, rotation)[2] @ in_contact_axes)
    push *= size * MASS_MARGIN * (1 + SURFACE.restitution[1]) * 0.15
    return GeneralizedImpulse(state.J[:3].T @ rotation @ push, COVARIANCE, state)


@pytest.mark.parametrize("size", [0.1, 0.5, 0.98])
@pytest.mark.parametrize("push", [(0, 0, 1), (0.29, 0, 1), (-0.2, 0.2, 1)])
def test_an_impulse_within_the_set_is_expected(approaching, push, size):
    assert unexpected_because(SURFACE, impulse(approaching, push, size)) == ""


@pytest.mark.parametrize("push", [(0.5, 0, 1), (0, -0.6, 1), (1, 1, 0.5)])
def test_beyond_the_friction_cone_it_is_the_direction(approaching, push):
    assert unexpected_because(SURFACE, impulse(approaching, push, 0.5)) == DIRECTION


def test_towards_the_surface_it_is_the_direction(approaching):
    assert unexpected_because(SURFACE, impulse(approaching, (0, 0, 1), -0.5)) == DIRECTION


def test_more_than_the_arm_could_give_is_the_size(approaching):
    assert unexpected_because(SURFACE, impulse(approaching, (0, 0, 1), 1.2)) == SIZE


def test_at_another_point_it_is_the_place(approaching):
    elsewhere = approaching.robot_state.at("panda_link4", (0.0, 0.1, 0.0))
    jump = elsewhere.J[:3].T @ np.array([-0.5, 0.1, 0.1])
    assert unexpected_because(SURFACE, GeneralizedImpulse(jump, COVARIANCE, approaching)) == PLACE


def test_an_arm_that_moves_away_was_hit(panda, approaching):
    away = ArmDynamics(panda)(Q, -approaching.dq)
    assert unexpected_because(SURFACE, impulse(away, (0, 0, 1), 0.5)) == DIRECTION


def test_without_friction_only_the_normal_is_expected(approaching):
    smooth = Surface(None, NORMAL)
    assert unexpected_because(smooth, impulse(approaching, (0, 0, 1), 0.5)) == ""
    assert unexpected_because(smooth, impulse(approaching, (0.3, 0, 1), 0.5)) == DIRECTION


def test_at_a_singular_pose_there_is_an_answer(approaching):
    flat = approaching.J.copy()
    flat[1] = 0.0  # as if nothing could move sideways
    state = approaching._replace(J=flat)
    assert unexpected_because(SURFACE, impulse(state, (0, 0, 1), 0.5)) == ""
    assert unexpected_because(SURFACE, impulse(state, (0, 0, 1), -0.5)) == DIRECTION


def test_one_joint_is_judged_by_direction_and_size(tmp_path):
    """An impulse at any point explains it, and its base holds the composite body."""
    robot = tiny_robot(tmp_path, mass=2.0, reflected=3.0)
    motors, dynamics = robot.motor_inertias["M+B_rho"], ArmDynamics(robot)
    near, away = (dynamics(np.zeros(1), np.array([speed])) for speed in (0.15, -0.15))
    largest = MASS_MARGIN * (1 + SURFACE.restitution[1]) * 0.15 * (2.0 + 3.0)  # [N.s]
    for state, size, known, reason in (
        (near, 0.5, motors, ""),
        (near, 0.98, motors, ""),
        (near, 1.2, motors, SIZE),
        (near, 1.2, None, ""),
        (near, -0.5, motors, DIRECTION),
        (away, 0.5, motors, DIRECTION),
    ):
        jump = size * largest * state.J[:3].T @ np.array(NORMAL)
        found = GeneralizedImpulse(jump, 1e-3**2 * np.eye(1), state)
        assert unexpected_because(SURFACE, found, known) == reason


# --- time ---------------------------------------------------------------------------------------


def test_nothing_is_known_until_somebody_announces():
    said = Announcements()
    assert not said.known(5 * MS) and said.at(5 * MS) is None
    said.add(Announcement(100 * MS))
    assert not said.known(100 * MS - TIME_TOLERANCE - 1)
    assert said.known(100 * MS) and said.at(100 * MS) is None


def test_a_window_has_a_tolerance_and_ends_with_the_next_announcement():
    said, tolerance = Announcements(), TIME_TOLERANCE
    meant = Announcement(100 * MS, SURFACE, start=120 * MS)
    said.add(meant)
    assert said.at(120 * MS - tolerance) is meant and said.at(120 * MS - tolerance - 1) is None
    assert said.at(10_000 * MS) is meant
    said.add(Announcement(300 * MS))
    assert said.at(300 * MS + tolerance) is meant and said.at(300 * MS + tolerance + 1) is None
    bounded = Announcement(400 * MS, SURFACE, start=450 * MS, end=460 * MS)
    said.add(bounded)
    assert said.at(455 * MS) is bounded and said.at(460 * MS + tolerance + 1) is None


def test_time_that_jumps_back_takes_what_was_said_with_it():
    said = Announcements()
    said.add(Announcement(100 * MS, SURFACE))
    said.restart(50 * MS)
    assert not said.known(200 * MS)
    said.add(Announcement(80 * MS, SURFACE))
    said.add(Announcement(60 * MS))  # replaces what comes after it
    assert said.at(90 * MS) is None and said.known(90 * MS)


def test_the_oldest_announcements_are_forgotten():
    said = Announcements()
    for k in range(100):
        said.add(Announcement(k * MS, SURFACE, start=k * MS, end=k * MS))
    assert said.at(99 * MS).time == 99 * MS and said.at(60 * MS) is None


def test_a_window_ends_after_its_start_unless_nothing_is_meant():
    with pytest.raises(DetectorError, match="expected a window that ends after its start"):
        Announcement(0, SURFACE, start=2, end=1)
    assert not Announcement(0, SURFACE, start=1, end=2).withdrawn
    assert Announcement(0, start=2, end=1).withdrawn


def test_the_largest_friction_and_restitution_count(approaching):
    """What is no worse than announced at the upper ends of the ranges was meant."""
    narrow = Surface(None, NORMAL, 0.1, 0.0)
    push = impulse(approaching, (0.29, 0, 1), 0.98)
    assert unexpected_because(SURFACE, push) == ""
    assert unexpected_because(narrow, push) == DIRECTION
    straight = impulse(approaching, (0, 0, 1), 0.98)
    assert unexpected_because(SURFACE, straight) == ""
    assert unexpected_because(narrow, straight) == SIZE


# --- simulated hits -----------------------------------------------------------------------------


def test_simulated_hits_are_told_apart():
    pytest.importorskip("mujoco")
    from link_hit import ANNOUNCED, NOBODY, NOTHING, TILTED, TOOL, link_hit

    def judged(place, seed, case):
        late = link_hit(place, seed, case).late
        return late.expected, late.reason

    for seed in (0, 1):
        assert judged(TOOL, seed, ANNOUNCED) == (True, "")
        assert judged("panda_link4", seed, ANNOUNCED) == (False, PLACE)
        assert judged(TOOL, seed, TILTED) == (False, DIRECTION)
    assert judged(TOOL, 0, NOTHING) == (False, "time")
    assert judged(TOOL, 0, NOBODY) == (None, "")
