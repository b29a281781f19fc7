# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which link was hit, by the joint torques; exact impulses, noise, and simulated hits."""

import contextlib

import numpy as np
import pytest
from scipy.stats import chi2
from tiny_robot import tiny_robot

from impact_detector.attribution.generalized_impulse import (
    GeneralizedImpulse,
    first_usable,
    generalized_impulse,
)
from impact_detector.attribution.localization import (
    SIGNIFICANCE,
    Location,
    contact_link,
    limit,
    locate,
)
from impact_detector.exceptions import EstimateError
from impact_robots import ArmDynamics, ContactPoint

Q = np.array([0.3, -0.5, 0.2, -1.9, 0.3, 2.2, -0.4])
LINKS = [f"panda_link{i}" for i in range(1, 8)]
COVARIANCE = np.diag([1e-3, 1e-3, 1e-3, 1e-3, 5e-4, 3e-4, 2e-4]) ** 2
PUSH = np.array([0.6, -0.5, 0.7])


def felt(panda, frame, offset, push=PUSH, noise=None):
    """The generalized impulse of a push on a point of a link, in the plain robot's state."""
    state = ArmDynamics(panda).state(Q, np.zeros(7))
    jump = state.at(frame, offset).J[:3].T @ push
    if noise is not None:
        jump = jump + noise.multivariate_normal(np.zeros(7), COVARIANCE)
    return GeneralizedImpulse(jump, COVARIANCE, state.at())


@pytest.mark.parametrize("link", LINKS)
def test_the_link_is_the_one_whose_joint_is_the_last_to_feel_it(panda, link):
    found = locate(panda, felt(panda, link, (0.06, 0.05, 0.07), noise=np.random.default_rng(1)))
    assert (found.link, found.contact) == (link, "")
    assert (found.direction is not None) == (link in LINKS[5:])


@pytest.mark.parametrize("link", LINKS[5:])
def test_behind_six_joints_the_direction_is_known_without_the_point(panda, link):
    found = locate(panda, felt(panda, link, (0.06, 0.05, 0.07)))
    np.testing.assert_allclose(found.direction, PUSH / np.linalg.norm(PUSH), atol=1e-5)


def test_a_push_at_the_contact_point_is_said_to_be_there(panda):
    found = locate(panda, felt(panda, panda.contact_frame, None, noise=np.random.default_rng(2)))
    assert (found.link, found.contact) == ("panda_link7", panda.contact_frame)
    np.testing.assert_allclose(found.direction, PUSH / np.linalg.norm(PUSH), atol=0.02)


def test_noise_alone_is_on_no_link(panda):
    random, nothing = np.random.default_rng(3), np.zeros(3)
    hits = [
        locate(panda, felt(panda, LINKS[3], (0.1, 0.0, 0.0), nothing, random)) for _ in range(500)
    ]
    assert sum(found != Location() for found in hits) <= 3  # 500 x 7 x SIGNIFICANCE = 0.35
    assert SIGNIFICANCE == 1e-4


def test_a_push_through_the_last_axis_names_a_link_nearer_to_the_base(panda):
    on_the_axis = (0.0, 0.0, 0.0)
    assert locate(panda, felt(panda, "panda_link7", on_the_axis)).link == "panda_link6"


def test_a_weak_push_has_no_direction(panda):
    found = locate(panda, felt(panda, panda.contact_frame, None, 3e-3 * PUSH))
    assert found.direction is None


def test_one_joint_is_enough_to_name_its_link(tmp_path):
    robot = tiny_robot(tmp_path)
    state = ArmDynamics(robot)([0.0], [0.0])
    impulse = GeneralizedImpulse(np.array([0.5]), np.array([[1e-4]]), state)
    assert locate(robot, impulse) == Location("link")
    assert contact_link(robot) == "link"


@pytest.mark.parametrize("degrees", range(1, 8))
def test_noise_is_below_the_quantile_of_chi_squared(degrees):
    assert limit(degrees) == chi2.ppf(1.0 - SIGNIFICANCE, degrees)


# --- the generalized impulse --------------------------------------------------------------------


def motion(panda, push, samples=80, at=60, frame="panda_link5", offset=(0.0, 0.06, -0.1)):
    """A free arm without gravity torque error whose velocity jumps by M^-1 J^T push."""
    dynamics = ArmDynamics(panda)
    t = np.arange(samples) * 1e-3
    q, dq, tau = np.empty((samples, 7)), np.empty((samples, 7)), np.empty((samples, 7))
    position, velocity = Q.copy(), np.array([0.1, -0.2, 0.1, 0.2, -0.1, 0.2, 0.3])
    for k in range(samples):
        state = dynamics.state(position, velocity).at(frame, offset)
        if k == at:
            velocity = velocity + np.linalg.solve(state.M, state.J[:3].T @ push)
            state = dynamics.state(position, velocity).at(frame, offset)
        q[k], dq[k], tau[k] = position, velocity, state.h  # no acceleration
        position = position + velocity * 1e-3
    return t, q, dq, tau


def test_the_jump_is_what_the_contact_gave_to_each_joint(panda):
    t, q, dq, tau = motion(panda, PUSH)
    found = generalized_impulse(panda, t, q, dq, tau, 0.061)
    state = ArmDynamics(panda).state(q[60], dq[59])
    given = state.at("panda_link5", (0.0, 0.06, -0.1)).J[:3].T @ PUSH
    np.testing.assert_allclose(found.jump, given, atol=2e-3 * np.abs(given).max())
    assert np.linalg.eigvalsh(found.covariance).min() > 0
    assert locate(panda, found).link == "panda_link5"


@pytest.mark.parametrize(
    ("until", "first"), [(1.0, 30), (0.034, 30), (0.03, 21), (0.02, 10), (0.005, 0)]
)
def test_samples_count_from_the_last_gap_on(until, first):
    """The first sample after a gap counts, one without a torque does not."""
    t, tau = np.arange(40) * 1e-3, np.zeros((40, 2))
    tau[20, 1] = np.nan
    t[10:] += 4e-3  # gaps of 5 ms, from 9 and 33 ms on
    t[30:] += 4e-3
    assert first_usable(t, tau, until) == first


def test_without_a_contact_the_jump_is_within_its_noise(panda):
    random = np.random.default_rng(5)
    t, q, dq, tau = motion(panda, np.zeros(3))
    sizes = []
    for _ in range(40):
        noisy = [x + random.normal(0, s, x.shape) for x, s in ((q, 1e-5), (dq, 4e-3), (tau, 0.08))]
        found = generalized_impulse(panda, t, *noisy, 0.061)
        sizes.append(found.jump @ np.linalg.solve(found.covariance, found.jump))
    assert 5.0 < np.mean(sizes) < 9.0  # chi^2 of 7: 7 +- 0.6


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t, tau: (t[50:], tau[50:]), "got 5 and 25"),
        (lambda t, tau: (t, np.full_like(tau, np.nan)), "got 0 and 0"),
        (lambda t, tau: (t + 0.01 * (t > 0.05), tau), "got 0 and 29"),
    ],
)
def test_what_is_missing_is_said(panda, change, said):
    t, q, dq, tau = motion(panda, PUSH)
    t, tau = change(t, tau)
    with pytest.raises(EstimateError, match=said):
        generalized_impulse(panda, t, q[-len(t) :], dq[-len(t) :], tau, 0.061)


# --- simulated hits -----------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["panda_link3", "panda_link6", "panda_tool_contact"])
def test_simulated_hits_are_located(place):
    pytest.importorskip("mujoco")
    from link_hit import TOOL, link_hit

    hits = [hit for seed in range(3) if (hit := link_hit(place, seed)).detections]
    assert len(hits) >= 2
    for hit in hits:
        early, late = hit.early.location, hit.late.location
        assert early.link[:-1] == "panda_link" and early.link <= hit.link
        assert late.link == hit.link
        assert bool(late.contact) == (place == TOOL)
        if place != "panda_link3":
            push = hit.impulse / np.linalg.norm(hit.impulse)
            assert np.degrees(np.arccos(late.direction @ push)) < 4.0


def test_a_surface_can_be_met_at_an_angle_and_a_shallow_hit_pushes_less():
    pytest.importorskip("mujoco")
    from link_hit import TOOL, link_hit

    steep, shallow = (link_hit(TOOL, 0, angle=np.radians(angle)) for angle in (60.0, 80.0))
    ratio = np.cos(np.radians(80.0)) / np.cos(np.radians(60.0))
    assert shallow.speed == pytest.approx(ratio * steep.speed)
    assert np.linalg.norm(shallow.impulse) < np.linalg.norm(steep.impulse)
    (found,) = steep.detections
    assert 0.0 < found.detection_time * 1e-9 - steep.touch < 3e-3


# --- noise and motion of a real arm -------------------------------------------------------------


def columns(rows):
    """Time since the first row, q, dq and tau."""
    return rows[:, 0] - rows[0, 0], rows[:, 1:8], rows[:, 8:15], rows[:, 15:22]


def test_in_the_real_arms_free_motion_a_link_is_rarely_named(panda, free_motion):
    named = []
    for at in range(300, len(free_motion) - 30, 50):
        t, *rest = columns(free_motion[at - 260 : at + 21])
        with contextlib.suppress(EstimateError):  # the recording has gaps
            named.append(locate(panda, generalized_impulse(panda, t, *rest, t[260])).link != "")
    assert len(named) > 150 and np.mean(named) < 0.12  # white noise alone would name two thirds


@pytest.mark.parametrize("place", ["panda_link3", "panda_link6", "panda_tool_contact"])
def test_hits_on_top_of_the_real_arms_motion_and_noise_are_located(panda, free_motion, place):
    """The difference that a simulated contact makes at that state, added to the recording."""
    pytest.importorskip("mujoco")
    from link_hit import PLACES, TOOL

    from impact_predictor.contact_force.laws import Viscoelastic
    from impact_sim.arm.passive_impact import passive_impact

    hitter, hits, right = ContactPoint(place, PLACES[place]), 0, 0
    for at in range(700, 9600, 430):
        rows = free_motion[at - 300 : at + 40].copy()
        q, dq = rows[300, 1:8], rows[300, 8:15]
        velocity = ArmDynamics(panda).state(q, dq).at(*hitter).velocity
        if np.linalg.norm(velocity) < 0.2 or np.diff(rows[:, 0]).max() > 3e-3:
            continue
        runs = [
            passive_impact(
                panda, q, dq, -velocity, Viscoelastic(*figures), after_contact=0.04, contact=hitter
            )
            for figures in ((1.2e5, 8e6), (1e-6, 1e-6))
        ]
        for name, first in (("q", 1), ("dq", 8), ("tau", 15)):
            with_contact, without = (getattr(run, name)[:40] for run in runs)
            rows[300:, first : first + 7] += with_contact - without
        t, *rest = columns(rows[:325])
        found = locate(panda, generalized_impulse(panda, t, *rest, t[302]))
        hits += 1
        right += (found.link, bool(found.contact)) == (contact_link(panda, place), place == TOOL)
    assert hits >= 5 and right >= 0.8 * hits
