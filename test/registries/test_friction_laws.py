# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What every friction law of the impact map keeps, a user's own among them."""

import json
from math import cos, hypot, isnan, nan, sin

import numpy as np
import pytest

from impact_cli.command_line import run as main
from impact_predictor import (
    FRICTION_LAWS,
    ContactMode,
    Flag,
    FrictionLaw,
    impact_map,
    predict,
    predict_many,
)
from impact_predictor.exceptions import UnknownNameError
from impact_robots import ArmDynamics, Surface

SLIPPERY = 0.1  # slip at which the toy law's friction is full [m/s]


def gentle(G, v, mu, e):
    """Friction against the slip before, that grows with it: a law from outside the package."""
    slip = hypot(v[0], v[1])
    share = mu * min(1.0, slip / SLIPPERY) / max(slip, 1e-12)
    direction = (-share * v[0], -share * v[1], 1.0)
    per_normal = sum(g * d for g, d in zip(G[2], direction, strict=True))
    if per_normal <= 0.0:
        return (nan, nan, nan), ContactMode.UNKNOWN, int(Flag.JAMMING)
    normal = -(1.0 + e) * v[2] / per_normal
    return tuple(normal * d for d in direction), ContactMode.SLIDE, 0


GENTLE = FrictionLaw("gentle", gentle, "friction grows with the slip before the impact")
LAWS = pytest.mark.parametrize("law", [*FRICTION_LAWS.values(), GENTLE], ids=lambda law: law.name)


def problems(number=300):
    """Yield G, v, mu and e of approaching contacts, from blunt to steep ones."""
    random = np.random.default_rng(5)
    for _ in range(number):
        A = random.normal(size=(3, 3))
        v = random.normal(size=3) * random.uniform(0.01, 1.0, 3)
        yield A @ A.T + 0.05 * np.eye(3), [v[0], v[1], -abs(v[2])], *random.uniform(0.0, 1.0, 2)


def solved(law):
    """Yield problems with the law's impulse, those without one left out if it says so."""
    count = 0
    for G, v, mu, e in problems():
        impulse, _, flags = law.solve(G.tolist(), tuple(v), mu, e)
        if isnan(impulse[2]):
            assert flags & Flag.JAMMING
            continue
        count += 1
        yield G, np.array(v), mu, e, np.array(impulse)
    assert count > 200


@LAWS
def test_the_impulse_lies_in_the_friction_cone(law):
    for _, _, mu, _, impulse in solved(law):
        assert np.hypot(*impulse[:2]) <= mu * impulse[2] * (1.0 + 1e-9) + 1e-12


@LAWS
def test_the_normal_velocity_after_is_that_of_newtons_restitution(law):
    for G, v, _, e, impulse in solved(law):
        after = v + G @ impulse
        assert after[2] == pytest.approx(-e * v[2], abs=1e-8 * np.linalg.norm(G @ impulse))


@LAWS
def test_the_law_does_not_know_which_way_the_tangents_point(law):
    for i, (G, v, mu, e, impulse) in enumerate(solved(law)):
        c, s = cos(0.1 + i), sin(0.1 + i)
        Z = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        turned, mode, _ = law.solve((Z @ G @ Z.T).tolist(), tuple((Z @ v).tolist()), mu, e)
        np.testing.assert_allclose(turned, Z @ impulse, atol=1e-5 * np.linalg.norm(impulse))
        assert mode is law.solve(G.tolist(), tuple(v.tolist()), mu, e)[1]


@pytest.fixture
def by_name(registered):
    """A function that gives a law's name, the toy's too while the test runs."""
    registered(FRICTION_LAWS, GENTLE)
    return lambda law: law.name


@LAWS
def test_without_approach_nothing_happens(law, by_name):
    dq = np.array([0.3, -0.2, 0.1])
    for normal_velocity in (0.0, 0.1):
        J = np.vstack([np.eye(3)[:2], normal_velocity / (dq @ dq) * dq])
        result = impact_map(np.eye(3), None, J, dq, friction=0.4, law=by_name(law))
        assert not result.impulse.any() and result.mode is ContactMode.NONE
        np.testing.assert_array_equal(result.dq_after, dq)


@LAWS
def test_energy_grows_only_where_the_flag_says_so(law, by_name):
    random, flagged = np.random.default_rng(3), 0
    for _ in range(200):
        A, J = random.normal(size=(5, 5)), random.normal(size=(3, 5))
        M, dq = A @ A.T + 0.1 * np.eye(5), random.normal(size=5)
        mu, e = random.uniform(0.0, 1.0, 2)
        result = impact_map(M, None, J, dq, friction=mu, restitution=e, law=by_name(law))
        if Flag.JAMMING in result.flags:
            continue
        before, after = dq @ M @ dq / 2, result.dq_after @ M @ result.dq_after / 2
        assert result.energy_gain == pytest.approx(after - before, abs=1e-8 * (before + after))
        assert (Flag.ENERGY_GAIN in result.flags) or after <= before * (1.0 + 1e-9)
        flagged += Flag.ENERGY_GAIN in result.flags
    assert flagged < 100


@pytest.fixture(scope="module")
def states(panda):
    random, limits = np.random.default_rng(0), panda.limits
    q = random.uniform(limits.position_lower, limits.position_upper, (20, 7))
    return q, random.uniform(-1.0, 1.0, (20, 7))


def test_a_law_from_outside_predicts_one_impact_and_many(panda, states, by_name):
    dynamics, law = ArmDynamics(panda), by_name(GENTLE)
    wall = Surface(None, [-1.0, 0.0, 0.0], friction=0.3, restitution=0.2)
    batch = predict_many(dynamics.many(*states), wall, panda, law=law)
    slides = 0
    for i, (q, dq) in enumerate(zip(*states, strict=True)):
        single = predict(dynamics(q, dq), wall, panda, law=law)
        np.testing.assert_allclose(batch.impulse[i], single.impulse, atol=1e-9)
        assert batch.mode[i] == single.mode and single.friction_law == "gentle"
        slides += single.mode is ContactMode.SLIDE
    assert slides > 5


def test_a_law_from_outside_is_an_option_of_the_command(by_name, capsys):
    asked = ["predict", "--speed", "0.2", "--friction", "0.3", "--json", "--friction-law"]
    assert main([*asked, "gentle"]) == 0
    text = capsys.readouterr().out
    assert '"gentle"' in text and json.loads(text)
    assert main([*asked, "coulomb"]) == 0
    assert capsys.readouterr().out != text


def test_what_was_removed_is_unknown_again(panda, states):
    dynamics, wall = ArmDynamics(panda), Surface(None, [-1.0, 0.0, 0.0])
    with pytest.raises(UnknownNameError, match=f"{', '.join(FRICTION_LAWS)}, got 'gentle'"):
        predict(dynamics(states[0][0], states[1][0]), wall, panda, law="gentle")
