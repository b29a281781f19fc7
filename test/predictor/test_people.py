# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact with people and touches: against an independent prototype, closed forms, refusals."""

import json
from math import sqrt

import numpy as np
import pytest

from impact_predictor import PredictionError
from impact_predictor.people.aim import aim, iso_mass
from impact_predictor.people.loop import Reaction, coasting, impedance, servo
from impact_predictor.people.person_speed import PersonContact, person_speed
from impact_predictor.people.push import Push
from impact_predictor.people.regions import BUILT_IN, PersonError, read_regions, region_named
from impact_predictor.people.touch import touch_speed

Q = (0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02)  # rad
Q_ELBOW = (-0.5512, 0.4186, -2.1824, -1.8413, -0.5241, 2.4935, 2.3124)  # rad
U_ELBOW = (-0.56919, -0.21185, 0.79445)
GAINS = (600.0,) * 4 + (250.0, 150.0, 50.0), (50.0,) * 4 + (30.0, 25.0, 15.0)
REACTION = Reaction(20.0, 0.01, 0.02, 5.0)
POSES = np.random.default_rng(7).uniform(-0.5, 0.5, (6, 7)) + Q  # rad


@pytest.fixture
def tool(panda):
    return aim(panda, Q, (1.0, 0.0, 0.0))


@pytest.fixture
def chest():
    return PersonContact(BUILT_IN["chest"], clamped=False)


def test_free_chest_at_the_tool_as_the_prototype(tool, chest):
    """The first entry of list A of the specification's people_vectors.json, 3 %."""
    found = person_speed(tool, chest, coasting(tool))
    assert (found.v_max, found.phase) == (pytest.approx(0.9496, rel=0.03), "transient")
    assert found.v_iso == pytest.approx(0.6812, rel=1e-3)
    assert found.v_formula_Btheta == pytest.approx(0.9478, rel=1e-3)
    assert found.t_first_peak_ms == pytest.approx(18.7, rel=0.03)
    assert (found.k_s_N_per_m, found.t_re_s) == (None, None)


def test_clamped_lower_arm_held_by_an_impedance_as_the_prototype(panda):
    """The second entry: the force that remains binds, not the peak."""
    q = (-0.1117, -0.4179, -2.3166, -2.1466, -0.1287, 2.6555, 0.4932)
    to = aim(panda, q, (0.32259, -0.55894, -0.76389))
    contact = PersonContact(BUILT_IN["lower_arm"], clamped=True)
    loop = impedance(to, *GAINS)
    found = person_speed(to, contact, loop, Reaction(20.0, 0.01, 0.1, 5.0))
    assert (found.v_max, found.phase) == (pytest.approx(0.7677, rel=0.03), "quasi-static")
    assert found.k_s_N_per_m == pytest.approx(1149.5, rel=1e-3)


def test_elbow_moves_six_times_as_heavy_and_isos_mass_is_unsafe_there(panda):
    """The third entry; the arm is allowed less than ISO's formula says."""
    to = aim(panda, Q_ELBOW, U_ELBOW, "elbow")
    contact = PersonContact(BUILT_IN["upper_arm"], clamped=False)
    found = person_speed(to, contact, coasting(to))
    assert found.v_max == pytest.approx(1.0505, rel=0.03)
    assert found.m_Btheta == pytest.approx(30.481, rel=1e-3)
    assert found.v_max < found.v_iso
    np.testing.assert_allclose(to.way[:3], (-7.08723, -3.26171, 2.89006), rtol=1e-3)


def test_touch_of_a_position_arm_as_the_prototype(tool):
    """The first entry of list C: ceiling 1 %, simulation 5 %."""
    reaction = Reaction(5.0, 1.0 / 95.0, 0.008, 2.0, 0.004)
    push = Push(tool, servo(tool, 30.0, 200.0), 1e5, reaction=reaction)
    run = push.run(0.02)
    assert push.ceiling(0.02) == pytest.approx(19.22, rel=0.01)
    assert (run.peak, run.trigger) == (pytest.approx(13.38, rel=0.05), pytest.approx(0.012))
    assert touch_speed(push, 20.0) == pytest.approx(0.0209, rel=0.01)


@pytest.mark.parametrize("q", POSES)
@pytest.mark.parametrize("clamped", [False, True])
def test_formula_with_the_torque_loops_motors_never_underestimates_a_coasting_peak(
    panda, q, clamped
):
    """Peak over formula: at most 1.003, at least 0.85 (tool, 30 poses: .91 to 1.00)."""
    to = aim(panda, q, (1.0, 0.0, 0.0))
    contact = PersonContact(BUILT_IN["chest"], clamped)
    push = Push(to, coasting(to), contact.stiffness, contact.mass)
    assert 0.85 < push.run(0.5).peak / push.formula(0.5) < 1.003


def test_very_stiff_contact_meets_the_links_alone(tool):
    """Below 2 ms the motors take no part: M is right within 5 %."""
    k = 1e7
    peak = Push(tool, coasting(tool), k).run(0.1, 0.003).peak
    assert peak == pytest.approx(0.1 * sqrt(tool.mass() * k), rel=0.05)


@pytest.mark.parametrize("kind", ["impedance", "servo"])
@pytest.mark.parametrize("stiffness", [2e4, 1e5])
def test_simulated_peak_grows_with_speed_and_stays_below_the_ceiling(tool, kind, stiffness):
    loop = impedance(tool, *GAINS) if kind == "impedance" else servo(tool, 30.0, 200.0)
    push = Push(tool, loop, stiffness, reaction=REACTION)
    speeds = (0.05, 0.1, 0.2, 0.4)
    peaks = [push.run(speed).peak for speed in speeds]
    assert np.all(np.diff(peaks) > 0.0)
    assert all(f <= push.ceiling(v) for f, v in zip(peaks, speeds, strict=True))


def test_late_reaction_of_a_servo_costs_speed(tool):
    contact = PersonContact(BUILT_IN["hand"], clamped=True)
    loop = servo(tool, 30.0, 200.0)
    soon, late = (
        person_speed(tool, contact, loop, REACTION._replace(delay=delay)).v_max
        for delay in (0.01, 0.1)
    )
    assert 0.0 < late < soon


def test_padding_allows_more_speed_and_clamping_less(tool, chest):
    bare, soft, clamped = (
        person_speed(tool, each, coasting(tool)).v_max
        for each in (chest, chest._replace(padding=2e4), chest._replace(clamped=True))
    )
    assert clamped < bare < soft


def test_isos_mass_is_half_the_links_and_all_of_the_tool(panda):
    assert iso_mass(panda) == pytest.approx(8.131, abs=1e-3)


@pytest.mark.parametrize("name", ["head", "skull", "face", "neck", "foot", "chest,accepted"])
def test_a_region_without_a_permitted_answer_is_refused_in_one_line(name):
    with pytest.raises(PersonError) as error:
        region_named(name)
    assert "\n" not in str(error.value)


def test_the_neck_needs_an_explicit_word():
    assert region_named("neck,accepted").force == 150.0


def test_a_table_of_ones_own_replaces_the_built_in_one(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("shin: {stiffness: 6e4, mass: 70.0, force: 100.0}\n")
    table = read_regions(path)
    assert list(table) == ["shin"]
    assert table["shin"].transient_force == 200.0
    path.write_text("face: {stiffness: 6e4, mass: 70.0, force: 100.0}\n")
    with pytest.raises(PersonError, match="face"):
        read_regions(path)


def test_a_force_that_detection_alone_takes_is_not_promised(tool):
    """10 N where a contact is detected at 10 N: the ceiling is 12 N at a standstill."""
    push = Push(tool, servo(tool, 30.0, 200.0), 1e5, reaction=REACTION._replace(force=10.0))
    with pytest.raises(PersonError, match="above 12 N"):
        touch_speed(push, 10.0)


def test_a_direction_in_which_the_elbow_cannot_move_is_refused(panda):
    with pytest.raises(PersonError, match="elbow: it cannot move"):
        aim(panda, np.zeros(7), (0.0825, 0.0, 0.316), "elbow")
    with pytest.raises(PredictionError, match="length"):
        aim(panda, Q, (0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def vectors(shared_data):
    path = shared_data / "derived" / "people_vectors.json"
    if not path.exists():
        pytest.skip("needs ../shared/data/derived/people_vectors.json")
    return json.loads(path.read_text())


def test_the_file_is_that_of_the_entries_above(vectors):
    assert vectors["A"][0]["q"] == list(Q) and vectors["A"][2]["q"] == list(Q_ELBOW)
