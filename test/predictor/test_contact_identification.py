# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Identification finds the contact again, says how sure it is, and says so when it is not."""

import math

import numpy as np
import pytest

from impact_predictor.contact_force.contact_law import CONTACT_LAWS
from impact_predictor.contact_force.laws import ExtendedHuntCrossley, HuntCrossley, Viscoelastic
from impact_predictor.contact_force.lumped_laws import Maxwell, VirtualSpring
from impact_predictor.contact_force.restitution import exact_restitution
from impact_predictor.contact_force.simulation import simulate_contact
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.identification.contact_estimate import FitFlag
from impact_predictor.identification.contact_identification import identify_contact
from impact_robots.exceptions import OutOfRangeError

MASS, SPEED, NOISE = 3.0, 0.1, 0.5
VISCO = Viscoelastic(1.2e5, 6e6)  # s = 5
LAWS = {
    "spring": VirtualSpring(1e5, 0.5),
    "maxwell": Maxwell(1e5, 1e3),
    "visco": VISCO,
    "hc": HuntCrossley(4e6, 8e7),
    "ehc": ExtendedHuntCrossley(4e6, 8e7),
}


def record(law, rate=25e3, noise=NOISE, seed=0, touch=0.0, until=None):
    """Return times and forces as a sensor would give them, from 2 ms before time 0."""
    profile = simulate_contact(law, MASS, SPEED)
    time = np.arange(-2e-3, until or 1.3 * profile.time[-1], 1.0 / rate)
    force = np.interp(time - touch, profile.time, profile.force, left=0.0, right=0.0)
    return time, force + noise * np.random.default_rng(seed).normal(size=time.size)


def figures(law):
    return [law.stiffness, law.restitution if isinstance(law, VirtualSpring) else law.damping]


@pytest.mark.parametrize("touch", [0.0, 1.3e-3])
@pytest.mark.parametrize("model", LAWS)
def test_every_model_is_found_again(model, touch):
    law = LAWS[model]
    between = (-2e-3, 5e-3) if touch else None
    found = identify_contact(
        model, *record(law, touch=touch), MASS, SPEED, touch_between=between, starts=4
    )
    assert found.flags == FitFlag.NONE and found.identifiable
    assert found.rms == pytest.approx(NOISE, rel=0.1)
    expected = figures(law) + ([touch] if touch else [])
    for estimate, value in zip(found.parameters.values(), expected, strict=True):
        assert estimate.low < estimate.value < estimate.high
        assert abs(estimate.value - value) < 4.0 * estimate.standard_error
    exact = exact_restitution(law, SPEED, MASS)
    assert abs(found.restitution.value - exact) < 4.0 * found.restitution.standard_error
    assert found.touch == pytest.approx(touch, abs=2e-5)
    assert found.agreeing_starts >= 2


@pytest.mark.parametrize("model", LAWS)
def test_the_mass_is_found_too_where_it_is_asked_for(model):
    found = identify_contact(
        model,
        *record(LAWS[model], touch=1.3e-3),
        1.4 * MASS,
        SPEED,
        mass_between=(1.0, 9.0),
        touch_between=(-2e-3, 5e-3),
    )
    assert tuple(found.parameters) == (*list(found.parameters)[:2], "mass", "touch")
    expected = [*figures(LAWS[model]), MASS, 1.3e-3]
    assert found.flags == FitFlag.NONE
    for estimate, value in zip(found.parameters.values(), expected, strict=True):
        assert abs(estimate.value - value) < 4.0 * estimate.standard_error
    exact = exact_restitution(LAWS[model], SPEED, MASS)
    assert abs(found.restitution.value - exact) < 4.0 * found.restitution.standard_error


@pytest.mark.parametrize("wrong", [0.9, 1.1])
def test_a_wrong_mass_moves_restitution_and_shows_in_the_residual(wrong):
    found = identify_contact("visco", *record(VISCO), wrong * MASS, SPEED)
    off = found.restitution.value - exact_restitution(VISCO, SPEED)
    assert 0.1 < off * np.sign(1.0 - wrong) < 0.15
    assert found.rms > 1.1 * NOISE


def test_ninety_five_intervals_in_a_hundred_hold_the_truth():
    truth = {
        "stiffness": VISCO.stiffness,
        "damping": VISCO.damping,
        "ratio": VISCO.stiffness / VISCO.damping,
        "restitution": exact_restitution(VISCO, SPEED),
    }
    hits = dict.fromkeys(truth, 0)
    seeds = range(100)
    for seed in seeds:
        found = identify_contact("visco", *record(VISCO, seed=seed), MASS, SPEED, starts=1)
        estimates = {
            **found.parameters,
            "ratio": found.stiffness_over_damping,
            "restitution": found.restitution,
        }
        for name, value in truth.items():
            hits[name] += estimates[name].low <= value <= estimates[name].high
    # 100 draws at 95 %: fewer than 88 or all 100 are both rarer than 1 in 150
    assert all(88 <= hit <= 99 for hit in hits.values()), hits


def test_a_record_at_1_khz_is_enough_and_less_certain():
    fast = identify_contact("visco", *record(VISCO), MASS, SPEED)
    slow = identify_contact("visco", *record(VISCO, rate=1e3), MASS, SPEED)
    for name, value in zip(("stiffness", "damping"), figures(VISCO), strict=True):
        assert slow.parameters[name].low < value < slow.parameters[name].high
        assert slow.parameters[name].standard_error > 2.0 * fast.parameters[name].standard_error


def test_events_are_those_of_the_contact():
    profile = simulate_contact(VISCO, MASS, SPEED)
    found = identify_contact("visco", *record(VISCO, noise=0.01), MASS, SPEED)
    threshold = max(0.5, 0.01 * profile.peak_force)
    release = profile.time[profile.force > threshold][-1]
    assert found.compression_end == pytest.approx(profile.compression_end, rel=1e-3)
    assert found.restitution_end == pytest.approx(release, abs=1e-4)
    assert found.asymptotic_restitution > found.restitution.value


def test_without_noise_the_figures_are_exact():
    found = identify_contact("visco", *record(VISCO, noise=0.0), MASS, SPEED)
    assert found.parameters["stiffness"].value == pytest.approx(VISCO.stiffness, rel=1e-4)
    assert found.parameters["damping"].value == pytest.approx(VISCO.damping, rel=1e-4)
    assert found.flags == FitFlag.NONE


def test_the_residual_and_the_fit_add_up_to_the_record():
    time, force = record(VISCO)
    found = identify_contact("visco", time, force, MASS, SPEED, starts=1)
    np.testing.assert_allclose(found.fitted_force - found.residual, force)
    assert found.rms == pytest.approx(np.sqrt(np.mean(found.residual**2)))
    assert np.abs(found.correlation).max() <= 1.0 + 1e-12
    with pytest.raises(ValueError, match="read-only"):
        found.residual[0] = 0.0


def test_a_lossless_contact_does_not_tell_its_damping():
    found = identify_contact("visco", *record(Viscoelastic(1e5, 1e3)), MASS, SPEED)
    assert FitFlag.AT_BOUND in found.flags and not found.identifiable
    assert math.isnan(found.parameters["damping"].standard_error)
    assert math.isnan(found.restitution.low)


def test_the_first_millisecond_does_not_tell_the_stiffness():
    found = identify_contact("visco", *record(VISCO, until=4e-4), MASS, SPEED)
    assert FitFlag.RECORD_INCOMPLETE in found.flags
    assert not found.identifiable


@pytest.mark.parametrize("model", ["spring", "maxwell", "hc"])
def test_a_wrong_model_leaves_structure_in_the_residual(model):
    found = identify_contact(model, *record(VISCO), MASS, SPEED)
    assert FitFlag.CORRELATED_RESIDUAL in found.flags
    assert found.rms > 3.0 * NOISE


def test_a_spring_that_gains_energy_is_called_so():
    found = identify_contact("spring", *record(VirtualSpring(1e5, 1.3)), MASS, SPEED)
    assert FitFlag.CREATES_ENERGY in found.flags
    assert found.restitution.low < 1.3 < found.restitution.high


def test_progress_is_told_after_every_start():
    told = []
    identify_contact(
        "visco", *record(VISCO), MASS, SPEED, starts=5, progress=lambda *step: told.append(step)
    )
    assert [(done, total) for done, total, _ in told] == [(i + 1, 5) for i in range(5)]
    assert (np.diff([rms for *_, rms in told]) <= 0.0).all()


def test_the_same_seed_gives_the_same_answer():
    first, second = (
        identify_contact("hc", *record(LAWS["hc"]), MASS, SPEED, seed=7, starts=3) for _ in range(2)
    )
    assert first.parameters == second.parameters


def test_bounds_are_respected_and_named_when_reached():
    found = identify_contact(
        "visco", *record(VISCO), MASS, SPEED, bounds={"stiffness": (2e5, 4e5)}, starts=2
    )
    assert found.parameters["stiffness"].value >= 2e5
    assert FitFlag.AT_BOUND in found.flags
    assert math.isfinite(found.parameters["damping"].standard_error)


TIME, FORCE = record(VISCO)
HALF = np.where(np.arange(TIME.size) == 100, math.nan, FORCE)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"mass": -1.0}, "mass: expected a finite number above 0, got -1.0"),
        ({"approach_speed": 0.0}, "approach_speed: expected a finite number above 0, got 0.0"),
        ({"exponent": 0.0}, "exponent: expected a finite number above 0, got 0.0"),
        ({"starts": 0}, "starts: expected a whole number, at least 1, got 0"),
        (
            {"time": TIME[::-1]},
            f"time: expected increasing times, got {TIME[-2]} after {TIME[-1]} s",
        ),
        ({"time": TIME[:2], "force": FORCE[:2]}, "time: expected at least 3 samples, got 2"),
        (
            {"force": -FORCE},
            f"force: expected positive out of the surface, got a peak of {-FORCE.max():.3g} N",
        ),
        (
            {"force": 0.004 * FORCE},
            "force: expected a contact, so samples above 0.5 N, got a largest force of "
            f"{0.004 * FORCE.max():.3g} N",
        ),
        (
            {"force": np.where(np.arange(TIME.size) == 80, 50.0, 0.0)},
            "force: expected at least 6 samples in contact, got 1",
        ),
        (
            {"bounds": {"mass": (1.0, 2.0)}},
            "bounds: expected bounds of stiffness, damping, got mass",
        ),
        (
            {"bounds": {"damping": (2.0, 1.0)}},
            "bounds of damping: expected low before high, got (2.0, 1.0)",
        ),
        (
            {"bounds": {"damping": (0.0, 1.0)}},
            "bounds of damping: expected a finite number above 0, got 0.0",
        ),
        (
            {"mass_between": (-1.0, 1.0)},
            "mass_between: expected a finite number above 0, got -1.0",
        ),
        (
            {"time": TIME + 5.0},
            "time: expected a touch between 0 and 0 s, got a contact from 5 to ",
        ),
        (
            {"touch_between": (0.0, math.inf)},
            "touch_between: expected finite numbers of shape (2,), got (0.0, inf)",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(change, text):
    call = {"time": TIME, "force": FORCE, "mass": MASS, "approach_speed": SPEED}
    with pytest.raises(OutOfRangeError) as error:
        identify_contact("visco", **call | change)
    assert str(error.value).startswith(text)
    assert "\n" not in str(error.value)


def test_a_record_with_a_hole_is_refused():
    with pytest.raises(OutOfRangeError, match="force: expected finite numbers of shape"):
        identify_contact("visco", TIME, HALF, MASS, SPEED)


def test_an_unknown_model_is_refused_with_the_choices():
    with pytest.raises(UnknownNameError) as error:
        identify_contact("rubber", TIME, FORCE, MASS, SPEED)
    assert str(error.value) == (
        f"contact model: expected one of {', '.join(CONTACT_LAWS)}, got 'rubber'"
    )
