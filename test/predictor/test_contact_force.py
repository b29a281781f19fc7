# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact laws of penetration and rate: contacts push, and forces are smooth where they should."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impact_predictor.contact_force.contact_law import CONTACT_LAWS
from impact_predictor.contact_force.laws import (
    ExtendedHuntCrossley,
    HuntCrossley,
    Viscoelastic,
    contact_law,
    hertz_stiffness,
)
from impact_robots.exceptions import ImpactError, OutOfRangeError

FIXED = settings(max_examples=300)
PENETRATIONS = st.floats(1e-7, 1e-2)
RATES = st.floats(-2.0, 2.0)
OF_A_STATE = ", ".join(name for name, model in CONTACT_LAWS.items() if model.keys)
LAWS = [Viscoelastic(1.2e5, 5e6), HuntCrossley(4e6, 8e7), ExtendedHuntCrossley(2.4e9, 4.8e11)]


@FIXED
@given(st.sampled_from(LAWS), st.floats(-1e-2, 1e-2), RATES)
def test_a_contact_never_pulls_and_needs_penetration(law, penetration, rate):
    force = law.force(penetration, rate)
    assert force >= 0.0
    assert penetration > 0.0 or force == 0.0


@FIXED
@given(st.sampled_from(LAWS), PENETRATIONS, RATES)
def test_damping_never_gives_energy_back(law, penetration, rate):
    assert (law.force(penetration, rate) - law.elastic_force(penetration)) * rate >= 0.0


@FIXED
@given(st.floats(0.0, 1e-2), RATES)
def test_hunt_crossley_with_exponent_one_is_the_viscoelastic_law(penetration, rate):
    plain, visco = HuntCrossley(1.2e5, 5e6, 1.0), Viscoelastic(1.2e5, 5e6)
    assert plain.unclipped_force(penetration, rate) == visco.unclipped_force(penetration, rate)
    assert visco.unclipped_force(penetration, rate) == pytest.approx(
        1.2e5 * penetration + 5e6 * penetration * rate
    )


def test_hunt_crossley_as_published_pulls_when_it_separates_faster_than_k_over_d():
    law, fast = HuntCrossley(4e6, 8e7), 4e6 / 8e7
    assert law.unclipped_force(1e-4, -1.01 * fast) < 0.0 < law.unclipped_force(1e-4, -0.99 * fast)
    assert law.force(1e-4, -1.01 * fast) == 0.0


@pytest.mark.parametrize("penetration", [1e-5, 1e-3])
def test_the_extended_law_is_continuously_differentiable_at_zero_rate(penetration):
    law, h = ExtendedHuntCrossley(2.4e9, 4.8e11), 1e-9
    at_rest = law.force(penetration, 0.0)
    compressing = (law.force(penetration, h) - at_rest) / h
    separating = (at_rest - law.force(penetration, -h)) / h
    assert at_rest == pytest.approx(law.elastic_force(penetration))
    assert compressing == pytest.approx(law.damping * penetration**1.5, rel=1e-5)
    assert separating == pytest.approx(compressing, rel=1e-5)


@FIXED
@given(PENETRATIONS, st.floats(-2.0, -1e-3))
def test_the_extended_law_still_pushes_where_hunt_crossley_would_pull(penetration, rate):
    law = ExtendedHuntCrossley(4e6, 8e7)
    plain = HuntCrossley(4e6, 8e7).unclipped_force(penetration, rate)
    assert law.force(penetration, rate) == law.unclipped_force(penetration, rate) > max(0.0, plain)


@pytest.mark.parametrize("law", LAWS)
def test_elastic_energy_is_the_work_of_the_force_at_rest(law):
    h, penetration = 1e-9, 3e-4
    slope = (law.elastic_energy(penetration + h) - law.elastic_energy(penetration - h)) / (2 * h)
    assert slope == pytest.approx(law.force(penetration, 0.0), rel=1e-6)
    assert law.elastic_energy(-1e-3) == law.elastic_force(-1e-3) == 0.0


def test_hertz_stiffness_grows_with_the_root_of_the_radius_and_the_softer_body_rules():
    steel, wood = (210e9, 0.3), (10e9, 0.3)
    assert hertz_stiffness(0.12, *steel, *wood) == pytest.approx(
        2.0 * hertz_stiffness(0.03, *steel, *wood)
    )
    rigid = hertz_stiffness(0.03, 1e18, 0.3, *wood)
    assert rigid == pytest.approx(4.0 / 3.0 * 10e9 / (1 - 0.09) * math.sqrt(0.03))
    assert 0.9 * rigid < hertz_stiffness(0.03, *steel, *wood) < rigid


@pytest.mark.parametrize(
    ("entries", "law"),
    [
        ({"model": "visco", "k": 1e5, "c": 1e6}, Viscoelastic(1e5, 1e6)),
        ({"model": "hc", "kc": 1e9, "dc": 1e11, "eta": 1.5}, HuntCrossley(1e9, 1e11, 1.5)),
        ({"model": "ehc", "kc": 1e9, "dc": 1e11, "eta": 2}, ExtendedHuntCrossley(1e9, 1e11, 2.0)),
    ],
)
def test_a_scenario_names_its_law(entries, law):
    assert contact_law(entries) == law


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ({"model": "maxwell"}, f"contact model: expected one of {OF_A_STATE}, got 'maxwell'"),
        ({}, f"contact model: expected one of {OF_A_STATE}, got ''"),
        ({"model": "hc", "kc": 1.0}, "contact model hc: dc, eta missing"),
        (
            {"model": "visco", "k": -1.0, "c": 1.0},
            "stiffness: expected a finite number above 0, got -1.0",
        ),
    ],
)
def test_a_scenario_with_a_wrong_law_is_refused_in_one_line(entries, text):
    with pytest.raises(ImpactError) as error:
        contact_law(entries)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: Viscoelastic(1e5, -1.0),
            "damping: expected a finite number, at least 0, got -1.0",
        ),
        (
            lambda: HuntCrossley(1e5, math.nan),
            "damping: expected a finite number, at least 0, got nan",
        ),
        (
            lambda: HuntCrossley(1e5, 1.0, 0.0),
            "exponent: expected a finite number above 0, got 0.0",
        ),
        (
            lambda: hertz_stiffness(0.03, 2e11, 0.6, 1e10, 0.3),
            "poisson_1: expected a number above -1, at most 0.5, got 0.6",
        ),
        (
            lambda: hertz_stiffness(-0.03, 2e11, 0.3, 1e10, 0.3),
            "radius: expected a finite number above 0, got -0.03",
        ),
    ],
)
def test_figures_out_of_range_are_refused_in_one_line(make, text):
    with pytest.raises(OutOfRangeError) as error:
        make()
    assert str(error.value) == text
