# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Limits bind where they should, and never make the arm freeze."""

from itertools import pairwise

import numpy as np
import pytest

from impact_predictor.exceptions import UnboundedSetError
from impact_predictor.inertia.inverse_inertia import crb, generalized_momentum
from impact_predictor.sets.feasible_sets import friction_pyramid, unit_impulses
from impact_predictor.sets.speed_bound import existential_speed_bound, robust_speed_bound
from impact_qp import ControlError, solve
from impact_qp.limits import (
    Contact,
    ExistentialImpactLimit,
    JointLimit,
    NominalImpactLimit,
    PostImpactBound,
    RobustImpactLimit,
    TorqueLimit,
    impact_rows,
    velocity_jump,
)
from impact_qp.program.build import build
from impact_qp.tasks import PostureTask
from impact_robots import ArmDynamics, OutOfRangeError

DT = 1e-3


def test_the_joint_box_is_never_empty(panda, random_states):
    limit = JointLimit(panda, DT)
    for state in random_states(300, speed=3.0):
        limit.previous = 100.0 * state.dq
        lower, upper = limit.box(state.robot_state)
        assert np.all(lower <= upper)
        assert np.all(np.abs([lower, upper]) <= panda.limits.acceleration)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_joint_driven_at_its_end_stops_before_it(panda, direction):
    limit, dynamics = JointLimit(panda, DT), ArmDynamics(panda)
    q, dq = panda.stance.copy(), np.zeros(7)
    for _ in range(8000):
        lower, upper = limit.box(dynamics.state(q, dq))
        ddq = upper if direction > 0 else lower
        limit.previous = ddq
        q, dq = q + dq * DT + 0.5 * ddq * DT**2, dq + ddq * DT
        assert np.all(np.abs(dq) <= panda.limits.velocity + 1e-9)
    limits = panda.limits
    assert np.all(q <= limits.position_upper + 1e-6)
    assert np.all(q >= limits.position_lower - 1e-6)
    ends = limits.position_upper if direction > 0 else limits.position_lower
    np.testing.assert_allclose(q, ends, atol=2e-3)


def test_torque_and_its_rate_bind(panda, at_impact):
    limit, task = TorqueLimit(panda, DT), PostureTask(7, stiffness=1e4)
    task.reference = at_impact.q + 1.0
    inertia = at_impact.M + np.diag(panda.apparent_motor_inertia)

    def torque():
        return inertia @ solve(build(at_impact.robot_state, [task], [limit])).x + at_impact.h

    assert np.abs(torque() / panda.limits.torque).max() == pytest.approx(1.0)
    limit.previous = np.zeros(7)
    change = torque() - at_impact.g
    assert np.abs(change).max() == pytest.approx(0.99)  # 990 N.m/s over 1 ms


def test_robust_is_the_published_closed_form(panda, contact, at_impact, derived_data):
    import yaml

    text = (derived_data / "scenarios.yaml").read_text()
    expected = yaml.safe_load(text)["scenarios"]["qp_panda_demo"]["expected"]
    for circumscribed, key in ((False, "robust_inscribed"), (True, "robust_circumscribed")):
        limit = RobustImpactLimit(panda, contact, margin=0.0, circumscribed=circumscribed)
        bound = limit.speed_bound(at_impact)
        assert bound.speed == pytest.approx(expected[key], abs=5e-5)
        assert bound.name == "panda_joint6 impulsive torque"


def test_the_one_row_is_the_full_vertex_form(panda, contact, random_states):
    """A program with one row a vertex and bound has the same solution as the one-row program."""
    limit = RobustImpactLimit(panda, contact)
    task = PostureTask(7, stiffness=400.0)
    binding = 0
    for state in random_states(300, seed=1):
        task.reference = state.q + np.linalg.pinv(contact.rotation[:, 2:].T @ state.J[:3])[:, 0]
        task.reference = 2.0 * state.q - task.reference  # towards the surface
        small = build(state.robot_state, [task], [limit])
        full = _vertex_form(panda, contact, limit, state, task)
        x = solve(small).x
        np.testing.assert_allclose(x, solve(full).x, atol=1e-6 * (1.0 + np.abs(x).max()))
        binding += bool(solve(small).active)
    assert binding > 30


def _vertex_form(panda, contact, limit, state, task):
    rows, bounds, _ = impact_rows(panda, contact, state)
    W, friction = crb(state, contact.rotation), contact.friction[1]
    impulses = unit_impulses(W, friction, contact.restitution, 8, circumscribed=True)
    coefficients = np.maximum(0.0, rows @ impulses)  # the zero impulse is admissible too
    gradient, offset = limit.approach(state)
    used = coefficients > 1e-12
    scale = coefficients[used]
    G = -np.outer(scale, gradient)
    h = np.broadcast_to(0.99 * bounds[:, None], coefficients.shape)[used] + scale * offset
    free = build(state.robot_state, [task], [])
    return type(free)(free.H, free.c, G / scale[:, None], h / scale, ("vertex",) * len(h))


def test_retreating_is_always_allowed(panda, contact, random_states):
    for state in random_states(300, seed=2):
        row = RobustImpactLimit(panda, contact).rows(state.robot_state)
        retreat = np.linalg.pinv(-row.G)[:, 0] * 1e3
        assert np.all(row.G @ retreat <= row.h)


@pytest.mark.parametrize("interface", ["velocity", "position"])
def test_a_servos_impulses_are_those_of_the_arm_with_its_motors_too(
    panda, contact, random_states, interface
):
    """The bound is the lower one of both sets, as the predictor computes them."""
    options = {"margin": 0.0}
    limit = RobustImpactLimit.for_interface(interface, panda, contact, **options)
    of_torque = RobustImpactLimit.for_interface("torque", panda, contact, **options)
    lower = 0
    for state in random_states(50, seed=3):
        rows, bounds, _ = impact_rows(panda, contact, state)
        W, R = crb(state, contact.rotation), contact.rotation
        G = generalized_momentum(state, R, panda.reflected_motor_inertia)
        K = friction_pyramid(contact.friction[1], 8, circumscribed=True)
        response = np.minimum(W[2] @ K, G[2] @ K)
        if response.min() <= 0.0:
            continue
        impulses = (1.0 + contact.restitution[1]) * K / response
        speed, _ = robust_speed_bound(rows, bounds, impulses)
        found = limit.speed_bound(state).speed
        assert found == pytest.approx(speed, rel=1e-9)
        assert found <= of_torque.speed_bound(state).speed * (1.0 + 1e-12)
        lower += found < 0.99 * of_torque.speed_bound(state).speed
        np.testing.assert_allclose(contact.rotation.T @ limit.unit_impulses(state), impulses)
    assert lower > 5
    again = limit.against(contact)
    assert again.speed_bound(state).speed == limit.speed_bound(state).speed


def test_robust_agrees_with_the_predictors_bound(panda, contact, at_impact):
    W = crb(at_impact, contact.rotation)
    rows, bounds, _ = impact_rows(panda, contact, at_impact)
    impulses = unit_impulses(W, contact.friction[1], contact.restitution, 8, circumscribed=True)
    speed, _ = robust_speed_bound(rows, bounds, impulses)
    limit = RobustImpactLimit(panda, contact, margin=0.0)
    assert limit.speed_bound(at_impact).speed == pytest.approx(speed)


def test_existential_lets_the_arm_just_as_fast_as_its_linear_programme(panda, contact, at_impact):
    limit = ExistentialImpactLimit(panda, contact, gate=0.0)
    W = crb(at_impact, contact.rotation)
    K = friction_pyramid(contact.friction[0], 8)
    rows, bounds, _ = impact_rows(panda, contact, at_impact)
    bound = existential_speed_bound(W, K, rows, bounds, contact.restitution)
    J_n = contact.rotation[:, 2] @ at_impact.J[:3]
    task = PostureTask(7, stiffness=1.0, weight=1.0)
    task.reference = at_impact.q - 1e3 * J_n  # as fast towards the surface as may be
    state = ArmDynamics(panda)(at_impact.q, -1e-6 * J_n)
    x = solve(build(state.robot_state, [task], [limit])).x[:7]
    gradient, offset = limit.approach(state)
    assert -(gradient @ x + offset) == pytest.approx(bound, rel=1e-3)


def test_existential_has_no_effect_while_the_arm_retreats(panda, contact, at_impact):
    J_n = contact.rotation[:, 2] @ at_impact.J[:3]
    retreating = ArmDynamics(panda)(at_impact.q, 0.1 * J_n)
    rows = ExistentialImpactLimit(panda, contact).rows(retreating.robot_state)
    assert not rows.G.any() and not rows.E.any() and np.all(rows.h > 0.0)


def test_nominal_is_less_careful_than_robust(panda, contact, random_states):
    for state in random_states(50, seed=3):
        robust = RobustImpactLimit(panda, contact, margin=0.0).speed_bound(state).speed
        nominal = NominalImpactLimit(panda, contact).speed_bound(state).speed
        assert robust <= nominal * (1.0 + 1e-9)


@pytest.mark.parametrize(
    ("kind", "end"), [(RobustImpactLimit, 1), (NominalImpactLimit, 1), (ExistentialImpactLimit, 0)]
)
def test_the_bound_of_a_range_of_friction_is_the_lowest_of_all_in_it(
    panda, contact, random_states, kind, end
):
    """Of the most friction for every impulse, of the least for some: never of one in between."""
    from dataclasses import replace

    def bound(state, friction):
        return kind(panda, replace(contact, friction=friction)).speed_bound(state).speed

    random, differ = np.random.default_rng(8), 0
    for state in random_states(30, seed=8, speed=0.0):
        low, high = sorted(random.uniform(0.0, 0.5, 2))
        of_range = bound(state, (low, high))
        inside = [bound(state, (mu, mu)) for mu in np.linspace(low, high, 5)]
        assert of_range == pytest.approx(inside[-end], rel=1e-9)
        assert of_range <= min(inside) * (1.0 + 1e-6)
        differ += max(inside) > 1.01 * of_range
    assert differ > 10 or kind is NominalImpactLimit  # which has no friction


@pytest.mark.parametrize("name", ["peak_factor", "impact_duration"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_pulse_of_force_that_is_none_is_refused(name, value):
    with pytest.raises(OutOfRangeError, match=f"{name}: expected a finite number above 0"):
        Contact(np.zeros(3), [-1, 0, 0], **{name: value})


@pytest.mark.parametrize("point", [None, [0.0, 0.0], [0.0, np.nan, 0.0]])
def test_a_contact_is_somewhere(point):
    with pytest.raises(OutOfRangeError, match=r"point: expected finite numbers of shape \(3,\)"):
        Contact(point, [-1, 0, 0])


def test_friction_without_bound_stops_the_arm(panda, contact, at_impact):
    from dataclasses import replace

    slippery = replace(contact, friction=(0.0, 9.0))
    bound = RobustImpactLimit(panda, slippery).speed_bound(at_impact)
    assert (bound.speed, bound.name) == (0.0, "unbounded impulses")


def test_more_speed_needs_stronger_joints(panda, contact, at_impact):
    """The bound is proportional to the torque limit that sets it."""
    from dataclasses import replace

    limits = replace(panda.limits, impulsive_torque=2.0 * panda.limits.impulsive_torque)
    strong = replace(panda, limits=limits)
    weak = RobustImpactLimit(panda, contact).speed_bound(at_impact).speed
    assert RobustImpactLimit(strong, contact).speed_bound(at_impact).speed == pytest.approx(
        2.0 * weak
    )


def test_the_short_cut_of_the_speed_bound_is_exact(panda, random_states):
    """Where velocities are far from their limits only torques are compared."""
    random, short = np.random.default_rng(6), 0
    states = [*random_states(200, seed=6, speed=0.5), *random_states(400, seed=7, speed=0.9999)]
    for k, state in enumerate(states):
        normal = random.normal(size=3)
        contact = Contact(np.zeros(3), normal, random.uniform(0.0, 0.3), (0.0, 0.3))
        limit = RobustImpactLimit(panda, contact, margin=0.02 * (k % 2))
        rows, most, names = limit.effects(state)
        W = crb(state, contact.rotation)
        try:
            vertices = unit_impulses(W, contact.friction[1], (0.0, 0.3), 8, circumscribed=True)
        except UnboundedSetError:
            assert limit.speed_bound(state).speed == 0.0
            continue
        worst = np.maximum(0.0, (rows @ vertices).max(axis=1))
        speeds = np.where(worst > 0.0, most / np.where(worst > 0.0, worst, 1.0), np.inf)
        found = limit.speed_bound(state)
        assert found.speed == pytest.approx(speeds.min(), rel=1e-9)
        assert found.name == names[int(np.argmin(speeds))]
        short += "torque" in found.name
    assert 200 < short < 590


def test_the_published_velocity_map_misses_the_momentum_balance(panda, contact, at_impact):
    impulse = np.array([0.1, 0.0, 1.0])
    own = velocity_jump(panda, contact, at_impact)
    J = contact.rotation.T @ at_impact.J[:3]
    balance = (at_impact.M + np.diag(panda.apparent_motor_inertia)) @ own @ impulse
    np.testing.assert_allclose(balance, J.T @ impulse, atol=1e-12)
    published = velocity_jump(panda, contact, at_impact, "minimum_norm") @ impulse
    np.testing.assert_allclose(J @ published, crb(at_impact, contact.rotation) @ impulse, atol=1e-9)
    balance = (at_impact.M + np.diag(panda.apparent_motor_inertia)) @ published
    assert np.linalg.norm(balance - J.T @ impulse) > 0.1 * np.linalg.norm(J.T @ impulse)
    with pytest.raises(ControlError, match="velocity map: expected one of momentum"):
        RobustImpactLimit(panda, contact, velocity_map="guess")


def test_any_linear_functional_of_the_state_after_the_impact_can_be_bounded(panda, contact):
    """The contact point must not come back faster than 0.01 m/s."""
    normal = contact.rotation[:, 2]

    def rebound(state):
        return normal[None, :] @ state.J[:3], np.array([0.01])

    q = np.array([0.43, -0.61, 0.18, -2.16, 0.04, 3.13, -0.73])
    state = ArmDynamics(panda)(q, np.zeros(7))
    bound = PostImpactBound(("rebound",), rebound)
    limit = RobustImpactLimit(panda, contact, margin=0.0, bounds=(bound,))
    found = limit.speed_bound(state)
    free = RobustImpactLimit(panda, contact, margin=0.0).speed_bound(state)
    assert found.name == "rebound" and found.speed < free.speed
    impulses = contact.rotation.T @ limit.unit_impulses(state) * found.speed
    after = normal @ state.J[:3] @ velocity_jump(panda, contact, state) @ impulses
    assert after.max() == pytest.approx(0.01)


@pytest.mark.parametrize("solver", ["quadprog", "daqp"])
def test_both_solvers_find_the_same_acceleration(panda, contact, random_states, solver):
    limit, task = RobustImpactLimit(panda, contact), PostureTask(7, stiffness=400.0)
    hardware = [JointLimit(panda, DT), TorqueLimit(panda, DT)]
    for state in random_states(50, seed=8):
        task.reference = state.q + 0.3
        program = build(state.robot_state, [task], [*hardware, limit], soften=True)
        x = solve(program, solver).x[:7]
        np.testing.assert_allclose(x, solve(program).x[:7], atol=1e-4 * (1 + np.abs(x).max()))


def test_a_falling_bound_is_previewed_and_a_rising_one_is_not(panda, contact, at_impact):
    """The speed lagged it by the preview: 3 % too fast where it fell by 0.23 m/s each second."""
    dynamics, still = ArmDynamics(panda), np.zeros(7)
    limit = RobustImpactLimit(panda, contact, period=1e-3)
    alone = RobustImpactLimit(panda, contact)
    turns = np.outer([0.0, 1e-4, 0.0, 0.3, 0.0], np.eye(7)[3])
    states = [dynamics(at_impact.q + turn, still) for turn in turns]
    limit.rows(states[0].robot_state)
    seen = []
    for before, state in pairwise(states):
        fall = (alone.speed_bound(state).speed - alone.speed_bound(before).speed) / 1e-3
        expected = limit.preview * fall if -2.0 < fall < 0.0 else 0.0
        rows, plain = (each.rows(state.robot_state) for each in (limit, alone))
        assert rows.h - plain.h == pytest.approx(expected, abs=1e-12)
        seen.append(np.sign(fall) * (abs(fall) < 2.0))
    assert set(seen) == {-1.0, 0.0, 1.0}  # a fall, a jump, a rise
