# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Restitution: the closed forms are what the equations of motion give."""

import math

import numpy as np
import pytest

from impact_predictor.contact_force.free_contact import free_contact
from impact_predictor.contact_force.laws import (
    ExtendedHuntCrossley,
    HuntCrossley,
    Viscoelastic,
    viscoelastic_restitution,
)
from impact_predictor.contact_force.lumped_laws import Maxwell, VirtualSpring
from impact_predictor.contact_force.restitution import (
    asymptotic_restitution,
    exact_restitution,
    maxwell_restitution,
    spring_restitution,
)
from impact_predictor.contact_force.simulation import simulate_contact
from impact_robots.exceptions import OutOfRangeError

MASS, SPEED = 2.7, 0.1
# doc/theory.md: s = c|v|/k and the viscoelastic law's restitution
TABLE = {
    0.05: 0.9677,
    0.2: 0.8822,
    0.5: 0.7484,
    1.0: 0.5936,
    2.0: 0.4107,
    5.0: 0.1970,
    10.0: 0.0999816,
    20.0: 0.0500,
}


def visco(s, stiffness=1.2e5):
    return Viscoelastic(stiffness, s * stiffness / SPEED)


@pytest.mark.parametrize("s", TABLE)
def test_the_viscoelastic_closed_form_is_what_the_equation_of_motion_gives(s):
    exact = exact_restitution(visco(s), SPEED)
    assert exact == pytest.approx(TABLE[s], abs=6e-5)
    assert simulate_contact(visco(s), MASS, SPEED).restitution == pytest.approx(exact, abs=1e-8)
    assert viscoelastic_restitution(visco(s), SPEED) == exact


@pytest.mark.parametrize("kind", [HuntCrossley, ExtendedHuntCrossley])
@pytest.mark.parametrize("s", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
def test_restitution_of_hunt_crossley_laws_does_not_depend_on_the_exponent(kind, s, exponent):
    law = kind(4e6, s * 4e6 / SPEED, exponent)
    profile = simulate_contact(law, MASS, SPEED)
    assert profile.restitution == pytest.approx(exact_restitution(law, SPEED), abs=1e-8)
    if kind is HuntCrossley:
        assert exact_restitution(law, SPEED) == exact_restitution(visco(s), SPEED)


def test_nearly_elastic_contacts_keep_all_digits():
    """Lambert's function loses half its digits there: 1 - 2s/3 + 4s^2/9 is the expansion."""
    for s in (1e-6, 3e-6, 1e-5, 1e-4, 1e-3):
        expansion = 1.0 - 2.0 * s / 3.0 + 4.0 * s**2 / 9.0
        assert exact_restitution(visco(s), SPEED) == pytest.approx(expansion, abs=s**3 + 1e-11)


def test_restitution_falls_with_speed_for_damping_in_parallel():
    speeds = np.geomspace(0.005, 2.0, 40)
    for law in (visco(1.0), HuntCrossley(4e6, 8e7), ExtendedHuntCrossley(4e6, 8e7)):
        values = [exact_restitution(law, speed) for speed in speeds]
        assert (np.diff(values) < 0.0).all() and 0.0 < values[-1] < values[0] < 1.0


def test_the_extended_law_gives_back_more_than_hunt_crossley():
    for s in (0.1, 1.0, 10.0, 100.0):
        plain, extended = (kind(1e6, s * 1e6) for kind in (HuntCrossley, ExtendedHuntCrossley))
        assert exact_restitution(extended, 1.0) > exact_restitution(plain, 1.0)


@pytest.mark.parametrize("s", TABLE)
def test_the_published_restitution_is_an_upper_bound_and_never_above_one(s):
    asymptotic = asymptotic_restitution(visco(s), SPEED)
    assert exact_restitution(visco(s), SPEED) < asymptotic <= 1.0
    assert asymptotic == (1.0 if s <= 1.0 else pytest.approx(1.0 / s))
    assert asymptotic_restitution(Viscoelastic(1e5, 0.0), SPEED) == 1.0


def test_a_viscoelastic_contact_never_separates_faster_than_k_over_c():
    for s in TABLE:
        law = visco(s)
        assert exact_restitution(law, SPEED) * SPEED < law.stiffness / law.damping


@pytest.mark.parametrize("damping", [300.0, 1e3, 1e4])
def test_maxwells_restitution_does_not_depend_on_the_speed(damping):
    law = Maxwell(1e5, damping)
    values = [simulate_contact(law, MASS, speed).restitution for speed in (0.01, 0.1, 1.0)]
    np.testing.assert_allclose(values, exact_restitution(law, SPEED, MASS), rtol=1e-9)


def test_an_overdamped_maxwell_contact_gives_nothing_back():
    critical = math.sqrt(1e5 * MASS) / 2.0
    assert maxwell_restitution(Maxwell(1e5, critical), MASS) == 0.0
    assert maxwell_restitution(Maxwell(1e5, 0.1 * critical), MASS) == 0.0
    assert 0.0 < maxwell_restitution(Maxwell(1e5, 1.1 * critical), MASS) < 0.01


@pytest.mark.parametrize("e", [0.2, 0.6, 1.0])
@pytest.mark.parametrize("by", ["impulse", "duration"])
def test_the_force_of_a_spring_tells_its_restitution(e, by):
    profile = simulate_contact(VirtualSpring(1e5, e), MASS, SPEED)
    found = spring_restitution(profile.time, profile.force, by)
    assert found == pytest.approx(e, abs=0.02)
    assert exact_restitution(VirtualSpring(1e5, e), SPEED) == e


@pytest.mark.parametrize("s", [0.85, 1.0, 2.0, 5.0, 6.0])
def test_a_spring_would_need_a_restitution_above_one_for_viscoelastic_forces(s):
    profile = simulate_contact(visco(s), MASS, SPEED)
    assert 0.16 < profile.restitution < 0.65
    assert 1.8 < spring_restitution(profile.time, profile.force) < 2.15
    assert spring_restitution(profile.time, profile.force, "duration") > 2.0


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("s", [1e-3, 0.3, 3.0, 30.0, 300.0])
@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_the_force_of_a_free_body_needs_no_solver(s, exponent, extended):
    law = (ExtendedHuntCrossley if extended else HuntCrossley)(1.0, s, exponent)
    profile = simulate_contact(law, 1.0, 1.0, max_duration=1e4)
    motion = free_contact(s, exponent, extended)
    assert motion.compression_end == pytest.approx(profile.compression_end, rel=1e-8)
    assert motion.time[-1] == pytest.approx(profile.contact_end, rel=1e-8)
    np.testing.assert_allclose(
        motion.force(profile.time), profile.force, rtol=0, atol=2e-6 * profile.peak_force
    )
    assert not motion.force(np.array([-1.0, 2.0 * motion.time[-1]])).any()


T = np.linspace(0.0, 1e-2, 50)
PULSE = np.maximum(0.0, np.sin(T / 4e-3))


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (
            lambda: exact_restitution(Maxwell(1e5, 1e3), 0.1),
            "mass: expected a finite number above 0 with Maxwell's law, got None",
        ),
        (
            lambda: exact_restitution(visco(1.0), -0.1),
            "approach_speed: expected a finite number above 0, got -0.1",
        ),
        (
            lambda: asymptotic_restitution(ExtendedHuntCrossley(1.0, 1.0), 0.1),
            "law: expected a viscoelastic or Hunt-Crossley law, got ExtendedHuntCrossley",
        ),
        (
            lambda: spring_restitution(T, PULSE, "eye"),
            "by: expected impulse or duration, got eye",
        ),
        (
            lambda: spring_restitution(T, PULSE * 0.1),
            "force: expected a contact, so samples above 0.5 N, got a largest force of 0.1 N",
        ),
        (
            lambda: spring_restitution(T, T * 1e4),
            "force: expected a record that holds the contact whole, got its edge only",
        ),
    ],
)
def test_questions_without_an_answer_are_refused_in_one_line(ask, text):
    with pytest.raises(OutOfRangeError) as error:
        ask()
    assert str(error.value) == text
