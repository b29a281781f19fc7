# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`evaluate` of a tossed body: laws, identification, simulations, and the files that it refuses."""

import json
import re
from functools import partial

import numpy as np
import pytest
from thrown_bodies import (
    CENTRE,
    FRICTION,
    INERTIA,
    RESTITUTION,
    ROUNDING,
    released,
    thrown,
    write_impacts,
    write_tosses,
)

from impact_analysis.planar.robust_fit import fit
from impact_analysis.tosses.body_motion import rigid_motion, spring_motion
from impact_analysis.tosses.convex_body import read_body
from impact_analysis.tosses.corner_laws import COULOMB, SPRINGS, CornerLaw
from impact_analysis.tosses.first_impacts import first_impacts
from impact_analysis.tosses.law_evaluation import evaluate_laws
from impact_analysis.tosses.mujoco_motion import SoftContact, mujoco_model, mujoco_motion
from impact_analysis.tosses.rollouts import mujoco_at, releases, rolled, springs_at
from impact_analysis.tosses.toss_evaluation import evaluate_tosses
from impact_analysis.tosses.toss_file import read_tosses
from impact_analysis.tosses.toss_impacts import TossFile, halves
from impact_analysis.tosses.toss_models import declared_shape, fixed_models, toss_models
from impact_cli.reports import toss_report
from impact_predictor.compiled.contact_springs import Springs

PERIOD = 1.0 / 148.0


@pytest.fixture
def run(impact):
    """A function that runs the command and returns status, output and error output."""
    return partial(impact, "evaluate")


@pytest.fixture(scope="module")
def cube():
    return read_body()


@pytest.fixture(scope="module")
def models(cube):
    """All laws by name, each with parameters near the cube's."""
    near = {"friction": 0.16, "restitution": 0.27, "rounding_m": 0.004, "centre_of_mass_z_m": 0.006}
    found = {}
    for model in (*fixed_models(cube), *toss_models(cube)):
        values = [near.get(item.name, item.starts[0]) for item in model.parameters]
        found[model.name] = model, np.array(values)
    return found


@pytest.fixture(scope="module")
def impacts():
    return thrown(80)


def energy(model, values, impacts, velocities):
    """Kinetic energies per mass, shape (N,), of the body that a model has."""
    shape, _ = model.with_values(values)
    linear = velocities[:, :3] + np.cross(velocities[:, 3:], impacts.rotation @ shape.centre)
    own = np.einsum("nji,nj->ni", impacts.rotation, velocities[:, 3:])
    return ((linear**2).sum(axis=1) + (own**2 * shape.inertia).sum(axis=1)) / 2


def corner_velocities(model, values, impacts, velocities):
    """Velocities of the lowest corner's contact point, shape (N, 3)."""
    shape, _ = model.with_values(values)
    at = (shape.corners + shape.rounding * shape.insets) @ np.swapaxes(impacts.rotation, 1, 2)
    low = at[np.arange(len(at)), np.argmin(at[..., 2], axis=1)] - [0.0, 0.0, shape.rounding]
    return velocities[:, :3] + np.cross(velocities[:, 3:], low)


NAMES = [model.name for model in toss_models(read_body())]


@pytest.mark.parametrize("name", ["authors", *NAMES])
def test_a_law_adds_no_energy_and_lets_no_corner_go_on_down(models, impacts, name):
    model, values = models[name]
    after = model.predict(values, impacts)
    before = energy(model, values, impacts, impacts.before)
    assert (energy(model, values, impacts, after) <= before * (1.0 + 1e-9)).all()
    assert (corner_velocities(model, values, impacts, after)[:, 2] >= -1e-6).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_impulse_lies_in_the_friction_cone(models, impacts, name):
    model, values = models[name]
    shape, law = model.with_values(values)
    change = model.predict(values, impacts) - impacts.before
    to_centre = impacts.rotation @ shape.centre
    impulse = change[:, :3] + np.cross(change[:, 3:], to_centre)  # per mass
    slope = np.hypot(impulse[:, 0], impulse[:, 1]) / impulse[:, 2]
    assert (impulse[:, 2] > 0.1).all() and (slope <= law.friction * (1.0 + 1e-6)).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_law_does_not_know_which_way_the_plane_is_looked_at(models, impacts, name):
    model, values = models[name]
    c, s = np.cos(0.7), np.sin(0.7)
    Z = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    both = np.kron(np.eye(2), Z)
    turned = type(impacts)(
        impacts.toss, Z @ impacts.rotation, impacts.before @ both.T, impacts.after, impacts.corners
    )
    np.testing.assert_allclose(
        model.predict(values, turned), model.predict(values, impacts) @ both.T, atol=1e-3
    )


def test_a_flat_fall_on_an_edge_stays_flat_if_all_corners_take_part(models, cube):
    """Two corners at once: the body does not turn about its long axes; at one corner it does."""
    c = np.sqrt(0.5)
    R = np.array([[1.0, 0.0, 0.0], [0.0, c, -c], [0.0, c, c]])
    before = np.array([[0.0, 0.0, -1.0, 0.0, 0.0, 0.0]])
    edge = type(thrown(1))(np.zeros(1), R[None], before, before, np.array([2]))
    for name in ("coulomb_all", "poisson_all", "mixed_all", "path_all", "springs"):
        model, values = models[name]
        values = values.copy()
        for k, item in enumerate(model.parameters):
            values[k] = 0.0 if item.name.startswith("centre") else values[k]
        np.testing.assert_allclose(model.predict(values, edge)[0, 4:], 0.0, atol=1e-3)
    model, values = models["coulomb_one"]
    assert np.abs(model.predict(values, edge)[0, 4:]).max() > 1.0


def test_springs_that_are_stiff_along_the_surface_follow_the_path_of_the_slip(models, impacts):
    """One corner far below the others: two implementations, one law (but for the restitution)."""
    all_corners, values = models["path_all"]
    one, _ = models["path_one"]
    values = values.copy()
    values[[item.name for item in one.parameters].index("restitution")] = 0.03
    np.testing.assert_allclose(
        all_corners.predict(values, impacts)[:, :3],
        one.predict(values, impacts)[:, :3],
        atol=0.03,
    )


@pytest.mark.parametrize("name", ["coulomb_all", "path_one", "springs"])
def test_body_and_coefficients_are_found_in_impacts_by_another_formula(cube, models, impacts, name):
    model, _ = models[name]
    scale = np.array([0.004] * 3 + [0.05] * 3)
    found = fit(model, impacts, scale).parameters
    values = dict(zip([item.name for item in model.parameters], found, strict=True))
    assert values["friction"] == pytest.approx(FRICTION, abs=0.006)
    assert values["restitution"] == pytest.approx(RESTITUTION, abs=0.01)
    centre = [values[f"centre_of_mass_{axis}_m"] for axis in "xyz"]
    np.testing.assert_allclose(centre, CENTRE, atol=4e-4)
    inertia = [values[f"inertia_{axis}{axis}_m2"] for axis in "xyz"]
    np.testing.assert_allclose(inertia, INERTIA, rtol=0.03)
    assert values["rounding_m"] == pytest.approx(ROUNDING, abs=1.5e-3)


def test_the_best_law_is_chosen_without_the_judged_impacts(cube, impacts):
    """Whatever is judged, what was fitted, its intervals and the choice stay."""
    known, judged = impacts.take(np.arange(60)), impacts.take(np.arange(60, 80))
    other = type(judged)(
        *(getattr(judged, x) for x in ("toss", "rotation", "before")), judged.before, judged.corners
    )
    first, second = (evaluate_laws(known, each, cube) for each in (judged, other))
    assert first.best.model.name == second.best.model.name
    np.testing.assert_array_equal(first.interval, second.interval)
    inside = (first.interval[0] <= first.best.parameters) & (
        first.best.parameters <= first.interval[1]
    )
    assert inside.all() and first.in_both == 0


def simulated(cube, seed, kind):
    """A toss of the cube on springs, by rigid impacts or in MuJoCo: positions and rotations."""
    shape, start = declared_shape(cube), released(seed)
    if kind == "springs":
        return spring_motion(shape, Springs(0.18, 0.3, 4.0, 1.7e6), start, 110, PERIOD)
    if kind == "rigid":
        return rigid_motion(shape, CornerLaw(COULOMB, 0.006, 0.18, 0.3), start, 110, PERIOD)
    model = mujoco_model(shape, SoftContact(0.18, 4e4, 200.0), PERIOD)
    return mujoco_motion(model, shape, start, 110, PERIOD)


@pytest.mark.parametrize("kind", ["springs", "rigid", "mujoco"])
def test_a_simulated_cube_falls_freely_and_comes_to_rest_on_a_face(cube, kind):
    half = cube.width / 2
    for seed in range(3):
        position, rotation = simulated(cube, seed, kind)
        start, t = released(seed), 5 * PERIOD
        free = start.position + start.velocity * t + start.gravity * t * t / 2
        np.testing.assert_allclose(position[5], free, atol=4e-3 if kind == "mujoco" else 1e-3)
        np.testing.assert_allclose(
            rotation @ np.swapaxes(rotation, 1, 2), np.tile(np.eye(3), (110, 1, 1)), atol=1e-5
        )
        assert position[-1, 2] == pytest.approx(half, abs=1.5e-3)
        assert np.abs(rotation[-1, 2]).max() == pytest.approx(1.0, abs=1e-3)
        lowest = position[:, 2] + (rotation[:, 2] @ cube.corners.T).min(axis=1)
        assert lowest.min() > -5e-3


def test_the_first_impact_of_a_toss_is_cut_out_where_it_was(cube, tmp_path):
    """The momentum between the flights before and after is that of the simulated contact."""
    tosses = [simulated(cube, seed, "springs") for seed in range(12)]
    (file,) = [read_tosses(write_tosses(tmp_path / "tosses.npz", tosses))]
    found = first_impacts(file.tosses, cube, np.zeros(3))
    assert 4 <= len(found) <= 12
    for k, number in enumerate(found.toss.tolist()):
        start = released(number // 2)
        np.testing.assert_allclose(found.before[k, :2], start.velocity[:2], atol=0.01)
        np.testing.assert_allclose(found.before[k, 3:], start.angular, atol=0.3)
    jump = np.linalg.norm(found.after[:, :3] - found.before[:, :3], axis=1)
    assert (jump > 0.4).all()


def test_halves_go_by_the_parity_of_half_a_tosss_number(impacts):
    one, other = halves(TossFile("all", impacts, ()))
    assert set(one.impacts.toss // 2 % 2) == {0} and set(other.impacts.toss // 2 % 2) == {1}
    assert len(one.impacts) + len(other.impacts) == len(impacts)


BAD = {
    "missing": ({"velocity_after": None}, "expected the array velocity_after, got "),
    "nan": ({"velocity_after": np.full((40, 3), np.nan)}, "expected velocity_after to be finite"),
    "shape": (
        {"quaternion": np.zeros((40, 3))},
        "expected quaternion of shape (number, 4), got (40",
    ),
    "rows": ({"velocity_after": np.zeros((39, 3))}, "expected 40 rows of velocity_after, got 39"),
    "quaternion": ({"quaternion": np.zeros((40, 4))}, "expected quaternions of length 1"),
    "text": ({"toss": np.array(["a"] * 40)}, "expected toss to be finite numbers"),
    "half": ({"toss": np.zeros(40, dtype=int)}, "impacts to judge on: expected at least one, got"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_are_refused_in_one_line(tmp_path, kind, refused):
    other, expected = BAD[kind]
    path = write_impacts(tmp_path / "bad.npz", thrown(40), **other)
    assert expected in refused("evaluate", path)


@pytest.mark.parametrize(
    ("mark", "after", "error"),
    [(b"PK\x01\x02", 10, "compression method"), (b"velocity_before.npy", 60, "decompressing")],
)
def test_a_damaged_file_is_one_line(tmp_path, mark, after, error, refused):
    """Of another compression, which zipfile does not implement; and one that zlib refuses."""
    path = tmp_path / "bad.npz"
    with np.load(write_impacts(path, thrown(40))) as file:
        np.savez_compressed(path, **file)
    data = bytearray(path.read_bytes())
    place = data.index(mark) + after
    data[place : place + 2] = b"\xff\xff"
    path.write_bytes(data)
    line = refused("evaluate", path)
    assert "expected an .npz of arrays of numbers: " in line and error in line


def test_an_empty_test_half_is_refused(refused, tmp_path):
    impacts = thrown(30)
    fit_to = write_impacts(tmp_path / "fit.npz", impacts)
    empty = write_impacts(tmp_path / "empty.npz", impacts.take(np.arange(0)))
    line = refused("evaluate", "--fit", fit_to, "--test", empty)
    assert "expected at least one impact, got none" in line


def test_a_file_beside_tosses_that_is_none_is_named(run, tmp_path):
    fit_to = write_impacts(tmp_path / "fit.npz", thrown(30))
    np.savez(tmp_path / "other.npz", t=np.zeros(3))
    status, _, err = run("--fit", fit_to, "--test", tmp_path / "other.npz")
    assert status == 2 and "other.npz: expected the array toss, got t" in err
    assert "none.npz: cannot be read" in run("--fit", fit_to, "--test", tmp_path / "none.npz")[2]
    whole = write_tosses(tmp_path / "tosses.npz", [simulated(read_body(), 0, "springs")])
    assert "expected impacts or tosses, as" in run("--fit", fit_to, "--test", whole)[2]


BODIES = {
    "flat": ("corners: [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]", "those of a body, not all in one plane"),
    "inner": (
        "corners: [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]]",
        "expected a convex body's, got [0.1, 0.1, 0.1]",
    ),
    "millimetres": ("corners: [[0,0,0],[52,0,0],[0,52,0],[0,0,52]]", "not millimetres"),
    "unknown": (
        "corners: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]\nidentify: [mass]",
        "some of centre_of",
    ),
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_is_none_is_refused(tmp_path, kind, refused):
    entry, expected = BODIES[kind]
    path = tmp_path / "body.yaml"
    common = "mass: 1\ninertia: [1, 1, 1]\nfriction: 0.2\nrestitution: 0.1\nrate: 100\n"
    path.write_text(common + entry + "\n")
    assert expected in refused(
        "evaluate", write_impacts(tmp_path / "a.npz", thrown(30)), "--body", path
    )


def test_options_of_other_files_are_refused(run, tmp_path):
    path = write_impacts(tmp_path / "a.npz", thrown(30))
    assert run(path, "--inertia-ratio", "0.1")[0] == 2
    assert "--body: expected tosses" in run(tmp_path / "a.csv", "--body", path)[2]


def test_insets_move_a_corners_sphere_so_that_it_touches_every_face(cube):
    inner = cube.corners + 0.01 * cube.insets
    np.testing.assert_allclose(np.abs(inner), cube.width / 2 - 0.01)


@pytest.fixture(scope="module")
def real(shared_data):
    """A function that gives a file of the recorded cube."""

    def path(name):
        file = shared_data / "real" / name
        if not file.exists():
            pytest.skip(f"{name} is not there")
        return file

    return path


def test_on_all_recorded_impacts_nothing_and_the_authors_give_the_published_errors(real, cube):
    impacts = read_tosses(real("cube_impacts_even.npz")).impacts
    medians = {}
    for model in fixed_models(cube):
        errors = model.predict(np.empty(0), impacts) - impacts.after
        medians[model.name] = [
            np.median(np.linalg.norm(part, axis=1)) for part in (errors[:, :3], errors[:, 3:])
        ]
    assert medians["nothing"] == pytest.approx([1.300, 6.79], abs=0.005)
    assert medians["authors"] == pytest.approx([0.18, 2.0], rel=0.1)


def test_the_impacts_of_the_file_are_those_cut_out_of_the_tosses(real, cube):
    known = read_tosses(real("cube_impacts_even.npz")).impacts
    found = first_impacts(
        read_tosses(real("cube_tosses_even.npz")).tosses, cube, np.array([0.0, 0.0, 5.9e-3])
    )
    assert set(known.toss) <= set(found.toss) and len(found) <= len(known) + 5
    at = np.searchsorted(found.toss, known.toss)
    for name in ("before", "after"):
        away = getattr(found, name)[at] - getattr(known, name)
        assert np.median(np.linalg.norm(away[:, :3], axis=1)) < 0.015  # the file's plane is level
        assert np.median(np.linalg.norm(away[:, 3:], axis=1)) < 0.1
    assert (found.corners[at] == known.corners).mean() > 0.98


@pytest.fixture(scope="module")
def recorded(real, cube):
    """What the command says of both halves of the recorded impacts."""
    one, other = halves(read_tosses(real("cube_impacts_even.npz")))
    found = [evaluate_tosses(*pair, cube) for pair in ((one, other), (other, one))]
    assert "springs: best by cross-validation" in toss_report.as_text(found)
    return json.loads(toss_report.as_json(found))["halves"]


def test_recorded_tosses_are_followed_by_springs_better_than_by_mujocos_box(real, cube):
    """With the page's values; every third toss."""
    tosses = read_tosses(real("cube_tosses_even.npz")).tosses[::3]
    declared = declared_shape(cube)
    identified = declared_shape(cube, cube.length_scale)._replace(
        centre=np.array([0.0, 0.0, 6.2e-3]),
        inertia=np.array([2.68e-3, 2.68e-3, 2.53e-3]),
        rounding=3.3e-3,
    )
    law = CornerLaw(SPRINGS, 0.006, 0.163, 0.267, ratio=4.5, compression=1.2e-3)
    box = SoftContact(0.167, 1.5e4, 420.0)
    springs = rolled(
        "", "", springs_at(identified, law), releases(tosses, cube, identified.centre), cube
    )
    mujoco = rolled(
        "", "", mujoco_at(declared, box, PERIOD), releases(tosses, cube, declared.centre), cube
    )
    assert springs.position.mean() < 0.086 and np.degrees(springs.rotation.mean()) < 7.2
    assert mujoco.position.mean() > 1.2 * springs.position.mean()
    assert mujoco.rotation.mean() > 1.5 * springs.rotation.mean()
    assert springs.same_face.mean() > 0.9 > mujoco.same_face.mean()


def test_both_recorded_halves_are_predicted(recorded):
    for half in recorded:
        laws = half["laws"]
        best = laws[half["best"]]
        assert best["linear_mps"] < 0.028 and best["angular_radps"] < 0.65
        assert best["edges_linear_mps"] < 0.055 and best["edges_angular_radps"] < 1.0
        assert best["n"] == half["judged_impacts"] and half["impacts_in_both"] == 0
        assert laws["path_one"]["linear_mps"] < 0.8 * laws["coulomb_one"]["linear_mps"]
        assert laws["path_one"]["edges_linear_mps"] > 0.4
        assert laws["declared"]["angular_radps"] > 2.0 * best["angular_radps"]


def test_the_pages_errors_are_those_of_the_command(recorded, project_root):
    """Each number of the page's table, to the digits printed."""
    page = (project_root / "doc" / "tosses.md").read_text()
    keys = ("linear_mps", "angular_radps", "edges_linear_mps", "edges_angular_radps")
    for name in recorded[0]["laws"]:
        row = re.search(rf"^\| \**{name}\** \| ([\d*., |]+) \|$", page, re.MULTILINE)
        printed = re.findall(r"[\d.]+", row[1])
        values = [half["laws"][name][key] for half in recorded for key in keys]
        for text, value in zip(printed, values, strict=True):
            digits = len(text.partition(".")[2])
            assert abs(float(text) - value) <= 0.51 * 10**-digits, (name, text, value)
