# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A simulated contact: energy is accounted for, events are in order, and it always ends."""

import math

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

from impact_predictor.contact_force.laws import ExtendedHuntCrossley, HuntCrossley, Viscoelastic
from impact_predictor.contact_force.lumped_laws import Maxwell, VirtualSpring
from impact_predictor.contact_force.profile import ContactEnd
from impact_predictor.contact_force.simulation import simulate_contact
from impact_robots.exceptions import OutOfRangeError

MASS, SPEED = 2.7, 0.1
ENERGY = 0.5 * MASS * SPEED**2
VISCO = Viscoelastic(1.2e5, 5.0 * 1.2e5 / SPEED)
RATE_LAWS = [
    *(Viscoelastic(1.2e5, s * 1.2e5 / SPEED) for s in (0.05, 1.0, 20.0)),
    *(HuntCrossley(4e6, s * 4e6 / SPEED) for s in (0.05, 1.0, 20.0)),
    *(ExtendedHuntCrossley(4e6, s * 4e6 / SPEED) for s in (0.05, 1.0, 20.0)),
]
LAWS = [*RATE_LAWS, VirtualSpring(1e5, 0.4), Maxwell(1e5, 1e3), Maxwell(1e5, 100.0)]


@pytest.fixture(scope="module", params=LAWS, ids=str)
def profile(request):
    return simulate_contact(request.param, MASS, SPEED)


def test_energy_is_accounted_for(profile):
    drift = np.abs(profile.energy_balance / ENERGY - 1.0).max()
    assert drift < 1e-9
    assert profile.kinetic[0] == pytest.approx(ENERGY)


def test_dissipation_never_reverses(profile):
    assert np.diff(profile.dissipated).min() > -1e-12 * ENERGY


def test_the_impulse_is_the_integral_of_the_force_and_changes_the_momentum(profile):
    change = MASS * (SPEED - profile.rate)
    np.testing.assert_allclose(profile.impulse, change, atol=1e-10 * MASS * SPEED)
    integral = cumulative_simpson(profile.force, x=profile.time, initial=0.0)
    np.testing.assert_allclose(integral, change, atol=2e-4 * MASS * SPEED)


def test_the_penetration_is_the_integral_of_the_rate(profile):
    integral = cumulative_simpson(profile.rate, x=profile.time, initial=0.0)
    scale = profile.penetration.max()
    np.testing.assert_allclose(integral, profile.penetration, atol=2e-4 * scale)


def test_the_arrays_cannot_be_written_to(profile):
    with pytest.raises(ValueError, match="read-only"):
        profile.force[0] = 1.0


@pytest.mark.parametrize("law", [*RATE_LAWS, Maxwell(1e5, 1e3)], ids=str)
def test_the_force_peaks_before_the_largest_penetration(law):
    profile = simulate_contact(law, MASS, SPEED)
    assert profile.peak_time < profile.compression_end < profile.contact_end
    deepest = profile.time[profile.penetration.argmax()]
    assert deepest == pytest.approx(profile.compression_end, rel=2e-3)
    assert profile.compression_impulse == pytest.approx(MASS * SPEED, rel=1e-9)


@pytest.mark.parametrize("law", RATE_LAWS, ids=str)
def test_a_free_body_returns_to_the_undented_surface(law):
    profile = simulate_contact(law, MASS, SPEED)
    assert profile.end is ContactEnd.SEPARATED
    assert profile.penetration[-1] == 0.0 == profile.force[-1]
    assert profile.dissipated[-1] == pytest.approx((1.0 - profile.restitution**2) * ENERGY)


@pytest.mark.parametrize("e", [0.2, 0.7, 1.0])
def test_a_spring_returns_its_share_of_impulse_time_and_energy(e):
    profile = simulate_contact(VirtualSpring(1e5, e), MASS, SPEED)
    back = profile.contact_end - profile.compression_end
    assert profile.compression_end == pytest.approx(math.pi / 2 * math.sqrt(MASS / 1e5))
    assert profile.peak_force == pytest.approx(SPEED * math.sqrt(1e5 * MASS))
    assert profile.restitution == pytest.approx(e)
    assert profile.impulse[-1] == pytest.approx((1.0 + e) * profile.compression_impulse)
    assert back == pytest.approx(e * profile.compression_end)
    assert profile.kinetic[-1] == pytest.approx(e**2 * ENERGY)
    dent = (1.0 - e**2) * profile.penetration.max()
    assert profile.penetration[-1] == pytest.approx(dent, abs=1e-15)


def test_a_spring_without_restitution_stops_at_the_bottom():
    profile = simulate_contact(VirtualSpring(1e5, 0.0), MASS, SPEED)
    assert profile.contact_end == profile.compression_end
    assert profile.restitution == pytest.approx(0.0, abs=1e-12)
    assert profile.penetration[-1] == profile.penetration.max()


@pytest.mark.parametrize("damping", [150.0, 260.0, 1e3, 1e5])
def test_maxwells_force_obeys_its_law_and_its_damper_takes_the_rest(damping):
    law = Maxwell(1e5, damping)
    profile = simulate_contact(law, MASS, SPEED, max_duration=0.1)
    flow = cumulative_simpson(profile.force**2 / damping, x=profile.time, initial=0.0)
    np.testing.assert_allclose(flow, profile.dissipated, atol=2e-3 * ENERGY)
    stretch = profile.force / law.stiffness + profile.impulse / law.damping
    np.testing.assert_allclose(profile.penetration, stretch, rtol=1e-9, atol=1e-15)


def test_critically_damped_is_the_limit_from_both_sides():
    critical = math.sqrt(1e5 * MASS) / 2.0
    time = np.linspace(0.0, 0.02, 50)
    below, at, above = (
        Maxwell(1e5, factor * critical).motion(time, MASS, SPEED).force
        for factor in (1.0 - 1e-6, 1.0, 1.0 + 1e-6)
    )
    np.testing.assert_allclose(at, (below + above) / 2.0, rtol=1e-9)


def test_an_overdamped_maxwell_contact_is_held():
    profile = simulate_contact(Maxwell(1e5, 100.0), MASS, SPEED)
    assert profile.end is ContactEnd.HELD
    assert profile.compression_end is profile.contact_end is profile.restitution is None
    assert profile.penetration[-1] == pytest.approx(MASS * SPEED / 100.0)


@pytest.mark.parametrize("start", [0.0, 4e-3])
def test_retraction_pulls_free_from_a_dented_surface_at_k_over_c(start):
    profile = simulate_contact(VISCO, MASS, SPEED, external_force=40.0, external_start=start)
    assert profile.end is ContactEnd.FORCE_VANISHED
    assert -profile.rate[-1] == pytest.approx(VISCO.stiffness / VISCO.damping, rel=1e-9)
    assert profile.penetration[-1] > 1e-4
    assert profile.force[-1] == 0.0 and profile.external_work[-1] != 0.0
    free = simulate_contact(VISCO, MASS, SPEED)
    assert profile.contact_end < free.contact_end


def test_the_extended_law_holds_on_until_the_surface_is_flat_even_in_retraction():
    law = ExtendedHuntCrossley(4e6, 5.0 * 4e6 / SPEED)
    profile = simulate_contact(law, MASS, SPEED, external_force=40.0, external_start=4e-3)
    assert profile.end is ContactEnd.SEPARATED


@pytest.mark.parametrize("law", [VISCO, ExtendedHuntCrossley(4e6, 2e8)])
def test_pushing_inwards_keeps_the_contact_and_says_so(law):
    profile = simulate_contact(law, MASS, SPEED, external_force=-40.0, external_start=4e-3)
    assert profile.end is ContactEnd.HELD
    assert profile.time[-1] == 1.0
    assert profile.force[-1] == pytest.approx(40.0)
    assert profile.restitution is None and profile.contact_end is None


@pytest.mark.parametrize("force", [40.0, -40.0])
def test_the_work_of_an_external_force_is_accounted_for(force):
    profile = simulate_contact(VISCO, MASS, SPEED, external_force=force, external_start=2e-3)
    assert np.abs(profile.energy_balance / ENERGY - 1.0).max() < 1e-9


def test_a_force_that_starts_after_the_contact_changes_nothing():
    free = simulate_contact(VISCO, MASS, SPEED)
    late = simulate_contact(VISCO, MASS, SPEED, external_force=40.0, external_start=0.5)
    np.testing.assert_array_equal(late.force, free.force)


def test_a_contact_that_lasts_longer_than_allowed_is_held():
    profile = simulate_contact(VISCO, MASS, SPEED, max_duration=3e-3)
    assert profile.end is ContactEnd.HELD
    assert profile.time[-1] == 3e-3
    assert profile.compression_end is None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: simulate_contact(VISCO, 0.0, SPEED),
            "mass: expected a finite number above 0, got 0.0",
        ),
        (
            lambda: simulate_contact(VISCO, MASS, -SPEED),
            "approach_speed: expected a finite number above 0, got -0.1",
        ),
        (
            lambda: simulate_contact(VISCO, MASS, SPEED, external_force=math.inf),
            "external_force: expected a finite number, got inf",
        ),
        (
            lambda: simulate_contact(VISCO, MASS, SPEED, external_start=-1.0),
            "external_start: expected a finite number, at least 0, got -1.0",
        ),
        (
            lambda: simulate_contact(VISCO, MASS, SPEED, max_duration=0.0),
            "max_duration: expected a finite number above 0, got 0.0",
        ),
        (
            lambda: simulate_contact(Maxwell(1e5, 1e3), MASS, SPEED, external_force=1.0),
            "external_force: expected 0 with a law that is a closed form of a free body, got 1.0",
        ),
        (
            lambda: Maxwell(1e5, 0.0),
            "damping: expected a finite number above 0, got 0.0",
        ),
        (
            lambda: VirtualSpring(1e5, -0.1),
            "restitution: expected a finite number, at least 0, got -0.1",
        ),
    ],
)
def test_figures_out_of_range_are_refused_in_one_line(call, text):
    with pytest.raises(OutOfRangeError) as error:
        call()
    assert str(error.value) == text
