# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What every contact law keeps, a user's own among them."""

from dataclasses import dataclass, fields

import numpy as np
import pytest

from impact_predictor import (
    CONTACT_LAWS,
    ContactModel,
    contact_law,
    identify_contact,
    simulate_contact,
)
from impact_predictor.contact_force.contact_law import FreeBodyImpact, RateLaw
from impact_predictor.contact_force.profile import ContactEnd
from impact_predictor.contact_force.restitution import exact_restitution
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.identification.contact_families import families
from impact_robots import ArmDynamics, ImpactError, load_robot
from impact_sim.arm.passive_impact import passive_impact

MASS, SPEED, ETA = 3.0, 0.1, 1.5


@dataclass(frozen=True)
class Cushion(RateLaw):
    """f = k x + d x^2 x': a law from outside the package, without any closed form."""

    stiffness: float
    damping: float

    def unclipped_force(self, penetration, rate):
        """Return the force [N]."""
        depth = max(penetration, 0.0)
        return self.stiffness * depth + self.damping * depth**2 * rate


CUSHION = ContactModel(
    "cushion",
    Cushion,
    {"stiffness": "N/m", "damping": "N.s/m^3"},
    keys=("k", "d"),
    bounds={"stiffness": (1e4, 1e6), "damping": (1e7, 1e11)},
    ratio_unit="m^2/s",
)
MODELS = pytest.mark.parametrize(
    "model", [*CONTACT_LAWS.values(), CUSHION], ids=lambda model: model.name
)
POWERS = {"s": 0.0, "m": 1.0, "m^2": 2.0, "m^3": 3.0, "m^eta": ETA, "m^(eta+1)": ETA + 1.0}


def middle(model):
    """Return figures in the middle of their bounds."""
    return np.array([np.sqrt(low * high) for low, high in model.bounds.values()])


def typical(model):
    return model.make(middle(model), ETA)


@MODELS
def test_its_figures_are_arguments_of_the_law_and_have_units_and_bounds(model):
    names = [field.name for field in fields(model.law)]
    assert list(model.units) == names[: len(model.units)]
    assert list(model.bounds) == list(model.units)
    assert not model.keys or issubclass(model.law, RateLaw)
    ratio = {"stiffness", "damping"} <= set(model.units)
    assert bool(model.ratio_unit) == ratio


@MODELS
def test_other_units_of_length_time_and_force_describe_the_same_contact(model):
    length, time, force = 1e3, 2.0, 7.0  # millimetres, half seconds, odd forces

    def scale(unit):
        above, _, below = unit.partition("/")
        return force ** above.count("N") * time ** above.count("s") / length ** POWERS[below or "s"]

    scales = [scale(unit) for unit in model.units.values()]
    t = np.linspace(0.0, 0.03, 200)
    plain = typical(model).curve(t, FreeBodyImpact(MASS, SPEED))
    impact = FreeBodyImpact(MASS * force * time**2 / length, SPEED * length / time)
    other = model.make(middle(model) * scales, ETA).curve(t * time, impact)
    tolerance = 1e-4 * plain.force.max() * force  # what is integrated is interpolated, too
    np.testing.assert_allclose(other.force, force * plain.force, atol=tolerance)
    assert other.contact_end == pytest.approx(time * plain.contact_end, rel=1e-6)


@MODELS
def test_it_never_pulls_and_is_zero_out_of_contact(model):
    law = typical(model)
    assert (simulate_contact(law, MASS, SPEED).force >= 0.0).all()
    end = law.curve(np.zeros(1), FreeBodyImpact(MASS, SPEED)).contact_end
    outside = law.curve(np.array([-1e-3, end + 1e-6, 1.0]), FreeBodyImpact(MASS, SPEED)).force
    assert not outside.any()
    if isinstance(law, RateLaw):
        for rate in (-5.0, -0.1, 0.0, 0.1, 5.0):
            assert law.force(0.0, rate) == law.force(-1e-3, rate) == 0.0
            assert all(law.force(depth, rate) >= 0.0 for depth in (1e-9, 1e-5, 1e-3, 0.1))


@MODELS
def test_it_takes_energy_and_gives_none(model):
    profile = simulate_contact(typical(model), MASS, SPEED)
    energy = 0.5 * MASS * SPEED**2
    assert (np.diff(profile.dissipated) >= -1e-9 * energy).all()
    assert 0.0 < profile.dissipated[-1] <= energy * (1.0 + 1e-9)
    np.testing.assert_allclose(profile.energy_balance, energy, rtol=1e-6)
    assert profile.end is not ContactEnd.HELD and 0.0 < profile.restitution < 1.0


@MODELS
def test_its_restitution_is_that_of_the_simulated_contact(model):
    law = typical(model)
    simulated = simulate_contact(law, MASS, SPEED).restitution
    assert exact_restitution(law, SPEED, MASS) == pytest.approx(simulated, abs=1e-6)


@MODELS
def test_it_stays_finite_down_to_no_speed_at_all(model):
    law = typical(model)
    if isinstance(law, RateLaw):
        for depth in (0.0, 1e-9, 1e-3):
            assert np.isfinite([law.force(depth, 0.0), law.elastic_energy(depth)]).all()
            assert law.force(depth, 0.0) == pytest.approx(law.elastic_force(depth))
    crawl = law.curve(np.linspace(0.0, 0.1, 50), FreeBodyImpact(MASS, 1e-6))
    assert np.isfinite(crawl.force).all() and (crawl.force >= 0.0).all()
    assert 0.0 <= exact_restitution(law, 1e-6, MASS) <= 1.0


@pytest.fixture
def named(registered):
    return registered(CONTACT_LAWS, CUSHION)


def test_a_law_from_outside_is_a_choice_of_scenarios_and_of_the_plant(named):
    law = contact_law({"model": "cushion", "k": 1e5, "d": 1e9})
    assert law == Cushion(1e5, 1e9)
    with pytest.raises(ImpactError, match="contact model cushion: d missing"):
        contact_law({"model": "cushion", "k": 1e5})
    panda = load_robot("panda")
    normal, q = np.array([-1.0, 0.0, 0.0]), np.array(panda.stance)
    dq = np.linalg.pinv(ArmDynamics(panda)(q, np.zeros(7)).J[:3]) @ (-0.1 * normal)
    hit = passive_impact(panda, q, dq, normal, law, after_contact=0.03)
    soft = passive_impact(panda, q, dq, normal, Cushion(2e4, 1e9), after_contact=0.03)
    peaks = [float((run.contact_force @ normal).max()) for run in (hit, soft)]
    assert peaks[0] > peaks[1] > 0.0


def test_a_law_from_outside_is_identified(named):
    law = Cushion(1e5, 1e9)
    profile = simulate_contact(law, MASS, SPEED)
    time = np.linspace(0.0, 1.1 * profile.time[-1], 60)
    force = np.interp(time, profile.time, profile.force, right=0.0)
    force = force + 0.05 * np.random.default_rng(0).normal(size=time.size)
    found = identify_contact("cushion", time, force, MASS, SPEED, starts=1)
    assert found.parameters["stiffness"].value == pytest.approx(1e5, rel=0.02)
    assert found.parameters["damping"].value == pytest.approx(1e9, rel=0.05)
    assert found.parameters["damping"].unit == "N.s/m^3"
    assert found.stiffness_over_damping.unit == "m^2/s"
    assert found.restitution.value == pytest.approx(profile.restitution, abs=0.01)
    assert "cushion" in families()


def test_what_was_removed_is_unknown_again():
    with pytest.raises(ImpactError, match="contact model: expected one of visco"):
        contact_law({"model": "cushion", "k": 1e5, "d": 1e9})
    with pytest.raises(UnknownNameError, match=f"one of {', '.join(CONTACT_LAWS)}, got"):
        identify_contact("cushion", [0, 1], [0, 1], MASS, SPEED)
