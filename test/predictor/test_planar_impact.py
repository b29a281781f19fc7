# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Planar impact laws: energy, the friction cone, closed forms, and what they have in common."""

import numpy as np
import pytest

from impact_predictor import PLANAR_LAWS
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.laws.coulomb import coulomb_impulse
from impact_predictor.laws.planar_impact import planar_impulse
from impact_predictor.laws.tangential_compliance import compliant_impulse
from impact_robots.exceptions import OutOfRangeError

N = 400


def bodies(seed=0, count=N):
    """Delassus matrices of rigid bodies of mass 1 and their contact velocities."""
    rng = np.random.default_rng(seed)
    height, beside = rng.uniform(0.5, 1.5, count), rng.uniform(-1.0, 1.0, count)
    rho = rng.uniform(0.3, 1.0, count)
    a, b, g = 1 + height**2 / rho, height * beside / rho, 1 + beside**2 / rho
    G = np.stack([np.stack([a, b], -1), np.stack([b, g], -1)], -2)
    velocity = np.stack([rng.normal(size=count), -rng.uniform(0.1, 2.0, count)], -1)
    return G, velocity


def after(G, velocity, impulse):
    return velocity + np.einsum("...ij,...j->...i", G, impulse)


def energy_gain(G, velocity, impulse):
    """Kinetic energy gained [J], shape (N,)."""
    return (impulse * (velocity + after(G, velocity, impulse))).sum(-1) / 2


def all_laws(G, velocity, mu, e):
    """Impulses of every law by name, the compliant one too."""
    found = {law: planar_impulse(G, velocity, mu, e, law) for law in PLANAR_LAWS}
    return found | {"compliant": compliant_impulse(G, velocity, mu, e, 2.0)}


@pytest.mark.parametrize("law", PLANAR_LAWS)
def test_without_friction_the_impulse_is_newtons_along_the_normal(law):
    G, velocity = bodies()
    impulse = planar_impulse(G, velocity, 0.0, 0.6, law)
    assert impulse[:, 0] == pytest.approx(0.0, abs=1e-15)
    assert impulse[:, 1] == pytest.approx(-1.6 * velocity[:, 1] / G[:, 1, 1])


def test_compliance_without_friction_gives_the_same():
    G, velocity = bodies()
    impulse = compliant_impulse(G, velocity, 0.0, 0.6, 2.0)
    assert impulse[:, 1] == pytest.approx(-1.6 * velocity[:, 1] / G[:, 1, 1], rel=2e-3)


def test_the_planar_coulomb_law_is_the_spatial_one():
    G, velocity = bodies()
    rng = np.random.default_rng(1)
    friction, restitution = rng.uniform(0.0, 1.5, N), rng.uniform(0.0, 1.0, N)
    planar = planar_impulse(G, velocity, friction, restitution, "coulomb")
    for i in range(N):
        spatial = np.eye(3)
        spatial[np.ix_([0, 2], [0, 2])] = G[i]
        v = np.array([velocity[i, 0], 0.0, velocity[i, 1]])
        expected, _ = coulomb_impulse(spatial, v, friction[i], restitution[i])
        assert planar[i] == pytest.approx(expected[[0, 2]], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.2, 0.8, 2.0])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_friction_stays_in_its_cone_and_the_body_leaves(friction, restitution):
    G, velocity = bodies()
    for law, impulse in all_laws(G, velocity, friction, restitution).items():
        found = impulse[np.isfinite(impulse).all(axis=1)]
        assert (np.abs(found[:, 0]) <= friction * found[:, 1] + 1e-12).all(), law
        left = after(G, velocity, impulse)[:, 1]
        assert np.nanmin(left) > -1e-2, law


@pytest.mark.parametrize("friction", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_energy_never_grows_where_friction_is_judged_at_every_instant(friction, restitution):
    G, velocity = bodies()
    found = all_laws(G, velocity, friction, restitution)
    for law in ("poisson", "energetic", "compliant"):
        gain = energy_gain(G, velocity, found[law])
        assert gain.max() <= 1e-9, law


def test_newtons_restitution_can_make_energy_and_without_it_cannot():
    """Kane's paradox: why the other laws exist."""
    G, velocity = bodies()
    assert energy_gain(G, velocity, planar_impulse(G, velocity, 0.8, 0.9)).max() > 1e-3
    assert energy_gain(G, velocity, planar_impulse(G, velocity, 0.8, 0.0)).max() <= 1e-12


@pytest.mark.parametrize("law", ["coulomb", "poisson", "energetic"])
def test_with_much_friction_and_no_rebound_the_contact_stops(law):
    G, velocity = bodies()
    velocity[:, 0] *= 0.05  # else stopping some slips would need an impulse that pulls
    impulse = planar_impulse(G, velocity, 50.0, 0.0, law)
    assert after(G, velocity, impulse) == pytest.approx(0.0, abs=1e-12)


def test_sliding_keeps_the_first_direction_and_coulomb_agrees_while_that_slips_on():
    G, velocity = bodies()
    sliding, coulomb = (planar_impulse(G, velocity, 0.2, 0.3, x) for x in ("sliding", "coulomb"))
    slips_on = velocity[:, 0] * after(G, velocity, sliding)[:, 0] > 0.0
    assert 0.1 < slips_on.mean() < 1.0
    assert sliding[slips_on] == pytest.approx(coulomb[slips_on])
    assert (sliding[:, 0] * velocity[:, 0] <= 0.0).all()


def test_poisson_and_stronge_agree_with_newton_while_slip_does_not_turn():
    G, velocity = bodies()
    slow = planar_impulse(G, velocity, 0.1, 0.4, "sliding")
    slips_on = velocity[:, 0] * after(G, velocity, slow)[:, 0] > 0.0
    for law in ("poisson", "energetic"):
        impulse = planar_impulse(G, velocity, 0.1, 0.4, law)
        assert impulse[slips_on] == pytest.approx(slow[slips_on])


def test_stronge_gives_back_the_squared_share_of_the_work():
    """Integrated in small steps of the normal impulse, for one impact whose slip reverses."""
    G, velocity = np.array([[5.0, -1.8], [-1.8, 2.0]]), np.array([0.3, -1.0])
    mu, e, steps = 0.2, 0.6, 200_000
    end, normal = planar_impulse(G, velocity, mu, e, "energetic")
    v, work, least = velocity.copy(), 0.0, 0.0
    tangential, step = 0.0, normal / steps
    for _ in range(steps):
        friction = -mu * np.sign(v[0])
        change = G @ [friction * step, step]
        work += (v[1] + change[1] / 2) * step
        v, tangential, least = v + change, tangential + friction * step, min(least, work)
    assert v[0] < 0.0 < velocity[0]
    assert work - least == pytest.approx(-(e**2) * least, rel=1e-3)
    assert tangential == pytest.approx(end, rel=1e-3)


def test_a_stiff_tangential_spring_is_stronges_law():
    G, velocity = bodies(count=100)
    soft, stiff = (compliant_impulse(G, velocity, 0.3, 0.6, r, 400) for r in (1.0, 3000.0))
    rigid = planar_impulse(G, velocity, 0.3, 0.6, "energetic")
    speed = np.linalg.norm(velocity, axis=1)
    miss = [
        np.linalg.norm(after(G, velocity, x - rigid) - velocity, axis=1) / speed
        for x in (soft, stiff)
    ]
    assert np.median(miss[1]) < 1e-3 and np.quantile(miss[1], 0.95) < 0.02
    assert np.quantile(miss[0], 0.95) > 0.1


def test_springs_of_one_period_make_a_superball():
    """Grip and equal periods along and across the surface turn the slip around completely."""
    G, velocity = np.array([[3.5, 0.0], [0.0, 1.0]]), np.array([0.5, -1.0])
    rigid = planar_impulse(G, velocity, 5.0, 1.0, "energetic")
    elastic = compliant_impulse(G, velocity, 5.0, 1.0, 1 / 3.5)
    assert after(G, velocity, rigid) == pytest.approx([0.0, 1.0], abs=1e-12)
    assert after(G, velocity, elastic) == pytest.approx(-velocity, rel=2e-3)


def test_more_steps_change_nothing():
    G, velocity = bodies()
    coarse, fine = (compliant_impulse(G, velocity, 0.3, 0.6, 2.0, n) for n in (100, 2000))
    speed = np.linalg.norm(velocity, axis=1)[:, None]
    assert np.quantile(np.abs(after(G, velocity, coarse - fine) - velocity) / speed, 0.99) < 2e-3


def test_friction_may_differ_by_direction():
    G, velocity = bodies()
    mirror = np.array([-1.0, 1.0])
    one = compliant_impulse(G, velocity, 0.1, 0.5, 2.0, 50, 0.4)
    turned_G = G * np.outer(mirror, mirror)
    other = compliant_impulse(turned_G, velocity * mirror, 0.4, 0.5, 2.0, 50, 0.1)
    assert one == pytest.approx(other * mirror)
    assert (one[:, 0] >= -0.1 * one[:, 1] - 1e-12).all() and (one[:, 0] > 0.2 * one[:, 1]).any()


def test_a_point_that_does_not_approach_gets_no_impulse():
    G, velocity = bodies(count=3)
    velocity[:, 1] = [0.0, 0.2, 1.0]
    for law, impulse in all_laws(G, velocity, 0.3, 0.5).items():
        assert (impulse == 0.0).all(), law


def test_parameters_broadcast():
    G, velocity = bodies(count=5)
    friction = np.array([[0.1], [0.3]])
    impulse = planar_impulse(G, velocity, friction, 0.5, "poisson")
    assert impulse.shape == (2, 5, 2)
    assert impulse[1] == pytest.approx(planar_impulse(G, velocity, 0.3, 0.5, "poisson"))
    assert compliant_impulse(G, velocity, friction, 0.5, 2.0).shape == (2, 5, 2)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"G": np.eye(3)}, "G: expected finite numbers of shape (..., 2, 2), got shape (3, 3)"),
        ({"G": np.array([[1.0, 2.0], [2.0, 1.0]])}, "symmetric positive definite"),
        ({"velocity": [0.0, 0.0, -1.0]}, "velocity: expected finite numbers of shape (..., 2)"),
        ({"velocity": [0.0, np.nan]}, "velocity: expected finite numbers"),
        ({"friction": -0.1}, "friction: expected finite numbers, at least 0, got -0.1"),
        ({"restitution": 1.2}, "restitution: expected numbers from 0 to 1, got 1.2"),
    ],
)
def test_bad_arguments_get_one_line(change, text):
    arguments = {"G": np.eye(2), "velocity": [0.1, -1.0], "friction": 0.3, "restitution": 0.5}
    with pytest.raises(OutOfRangeError) as error:
        planar_impulse(**(arguments | change))
    assert text in str(error.value)
    with pytest.raises(OutOfRangeError):
        compliant_impulse(**(arguments | change), stiffness_ratio=2.0)


def test_an_unknown_law_names_the_others():
    with pytest.raises(UnknownNameError, match=f"one of {', '.join(PLANAR_LAWS)}, got 'magic'"):
        planar_impulse(np.eye(2), [0.1, -1.0], 0.3, 0.5, "magic")


@pytest.mark.parametrize("change", [{"stiffness_ratio": 0.0}, {"steps": 5}])
def test_a_compliant_contact_needs_a_stiffness_and_steps(change):
    arguments = {"friction": 0.3, "restitution": 0.5, "stiffness_ratio": 2.0} | change
    with pytest.raises(OutOfRangeError, match=next(iter(change))):
        compliant_impulse(np.eye(2), [0.1, -1.0], **arguments)
