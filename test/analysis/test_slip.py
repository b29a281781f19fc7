# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction by measured impulses, restitution that is withheld, and the mass that a hit shows."""

from dataclasses import replace

import numpy as np
import pytest
from struck_arm import Hit, simulate, write

from impact_analysis.analyze import analyze
from impact_analysis.analyze.comparing.identify import CONTACT, VELOCITIES
from impact_analysis.analyze.comparing.measured_mass import UNKNOWN, Mass, believed_mass
from impact_analysis.analyze.page.narrative import sentences_of

pytestmark = pytest.mark.usefixtures("without_contact_laws")

UP = (0.0, 0.0, 1.0)
SLIDING = Hit(velocity=(0.3, 0.1, -0.3), friction=0.25)
SOFT = {"hard": 4e5, "20 ms": 1e5, "30 ms": 4.4e4}  # stiffness of the plate [N/m]


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    """A function that returns the analysis of a hit."""
    folder, known = tmp_path_factory.mktemp("slip"), {}

    def of(hit: Hit, *, forces: bool = True, torques: bool = True, **settings):
        key = repr((hit, forces, torques, settings))
        if key not in known:
            bag = folder / f"hit_{len(known)}"
            write(bag, simulate(hit), forces=forces, torques=torques)
            known[key] = analyze(bag, normal=UP, **settings)
        return known[key]

    return of


def friction(analysis):
    return analysis.coefficients["M+B_theta"].friction


def restitution(analysis):
    return analysis.coefficients["M+B_theta"].restitution


@pytest.mark.parametrize("forces", [True, False])
@pytest.mark.parametrize("stiffness", SOFT.values(), ids=SOFT)
def test_friction_is_the_ratio_of_impulses_and_the_range_not_below_it(analysed, stiffness, forces):
    analysis = analysed(replace(SLIDING, stiffness=stiffness), forces=forces)
    (impact,) = analysis.impacts
    found, (ratio, half) = friction(analysis), impact.measured.impulse_ratio
    assert found.estimate == CONTACT and found.low < 0.25 < found.high < 0.32
    assert found.value == pytest.approx(0.25, abs=0.01) and half < 0.02
    low, high = analysis.surface.friction
    assert (low, high) == (found.low, found.high) and high >= ratio


def test_a_contact_that_sticks_gives_a_lower_limit_that_its_ratio_supports(analysed):
    analysis = analysed(replace(SLIDING, velocity=(0.02, 0.0, -0.3), friction=1.5))
    (impact,) = analysis.impacts
    found, ratio = friction(analysis), impact.measured.impulse_ratio[0]
    assert not found.is_known and found.high == np.inf and 0.0 <= found.low <= ratio < 1.5
    assert analysis.surface.friction is None and "--friction" not in analysis.surface.options


def test_as_published_it_is_what_explains_the_velocities(analysed):
    analysis = analysed(SLIDING, friction_estimate=VELOCITIES)
    assert friction(analysis).estimate == ""
    assert friction(analysis).value == pytest.approx(0.25, abs=0.05)


def test_what_the_user_assumes_is_not_offered_as_measured(analysed):
    surface = analysed(SLIDING, friction=0.1).surface
    assert surface.assumed == ("friction",) and surface.friction is not None
    assert "--friction" not in surface.options and "--restitution" in surface.options


@pytest.mark.parametrize("after", ["hold", "brake", "retract"])
def test_restitution_of_a_driven_contact_is_withheld(analysed, after):
    hit = replace(SLIDING, stiffness=3e4, after=after, after_delay=0.0)
    analysis = analysed(hit)
    found = restitution(analysis)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert 0.0 <= found.used <= 1.0  # what predictions go by
    assert "restitution_withheld" in [each.key for each in sentences_of(analysis)]
    assert "--restitution" not in analysis.surface.options


def test_restitution_of_a_hit_that_coasts_is_its_own(analysed):
    for forces in (True, False):
        analysis = analysed(replace(SLIDING, stiffness=4.4e4), forces=forces)
        truth = simulate(replace(SLIDING, stiffness=4.4e4)).restitution
        found = restitution(analysis)
        assert found.low < truth < found.high < found.low + 0.25


def test_the_mass_that_a_hit_shows_agrees_with_the_model_or_takes_its_place(analysed):
    (hit,) = analysed(Hit()).impacts
    model, measured = hit.mass_of_model, hit.measured_mass
    assert not measured.contradicts(model)
    assert hit.mass_interval == (min(model.low, measured.low), max(model.high, measured.high))
    twice = Mass(2.0 * model.value, 2.0 * model.low, 2.0 * model.high)
    assert measured.contradicts(twice) and believed_mass(twice, measured) == measured
    assert believed_mass(twice, UNKNOWN) == twice


@pytest.mark.parametrize(("low", "inside"), [(0.0, True), (0.7, False)])
def test_the_announced_set_has_both_ends_of_the_restitution(tmp_path, low, inside):
    """The flexible arm's impulse is that of the composite body with little restitution."""
    record = simulate(replace(SLIDING, damping=0.3))
    analysis = analyze(write(tmp_path / "bag", record, announced=((0.1, 0.5), (low, 0.9))))
    member = analysis.impacts[0].membership
    assert (member.source, member.restitution) == ("announced", (low, 0.9))
    assert (member.strict, member.hull) == (inside, True)
