# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `evaluate`: known truths are recovered, a fitted baseline is beaten."""

import json
from functools import partial

import numpy as np
import pytest
from evaluated_once import EvaluatedOnce
from thrown_ellipses import AXES, NOISE, named, simulated, thrown, write

import impact_cli.commands.evaluate as command
from impact_analysis.planar.ellipse_contact import known_axes, turned
from impact_analysis.planar.evaluate_run import baseline_scale, evaluate, halves, judge, spread
from impact_analysis.planar.planar_impact_file import COLUMNS, PlanarImpactFile
from impact_analysis.planar.planar_impacts import PlanarDataset
from impact_analysis.planar.planar_models import baseline, planar_models
from impact_analysis.planar.planar_momentum import inertia_ratio
from impact_analysis.planar.robust_fit import bootstrap, fit
from impact_bags.exceptions import RecordingError
from impact_predictor.contact_force.laws import Viscoelastic, viscoelastic_restitution


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """The command evaluates with few samples, and equal questions once."""
    monkeypatch.setattr(command, "evaluate", EvaluatedOnce(samples=4))


@pytest.fixture
def run(impact):
    """A function that runs the command and returns status, output and error output."""
    return partial(impact, "evaluate")


@pytest.fixture(scope="module")
def ellipse(shared_data):
    """The measured impacts."""
    file = shared_data / "real" / "ellipse_impacts.csv"
    if not file.is_file():
        pytest.skip(f"the data set {file.name} is not there")
    return PlanarImpactFile(file).read()


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("coulomb", {"friction": 0.25, "restitution": 0.6, "inertia_per_mass_m2": 4e-4}),
        ("poisson", {"friction": 0.25, "restitution": 0.4, "inertia_per_mass_m2": 3e-4}),
        ("energetic", {"friction": 0.15, "restitution": 0.7, "inertia_per_mass_m2": 5e-4}),
        (
            "viscoelastic",
            {"friction": 0.2, "damping_over_stiffness_spm": 0.4, "inertia_per_mass_m2": 4e-4},
        ),
    ],
)
def test_the_truth_behind_simulated_impacts_is_recovered(name, truth):
    model, impacts = simulated(name, [*truth.values()])
    found = fit(model, impacts, NOISE)
    drawn = [*bootstrap(model, impacts, NOISE, found, np.random.default_rng(2), 60)]
    values = np.array([*truth.values()])
    assert [item.name for item in model.parameters] == [*truth]
    assert (np.abs(found.parameters - values) < 3.5 * np.std(drawn, axis=0)).all()
    assert found.parameters == pytest.approx(values, rel=0.02)


def test_intervals_of_95_percent_hold_the_truth_about_so_often():
    truth = np.array([0.25, 0.6, 4e-4])
    inside = []
    for seed in range(20):
        model, impacts = simulated("coulomb", truth, count=200, seed=10 * seed)
        found = fit(model, impacts, NOISE)
        drawn = [*bootstrap(model, impacts, NOISE, found, np.random.default_rng(seed), 40)]
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        inside.append((low <= truth) & (truth <= high))
    assert np.mean(inside) == pytest.approx(0.95, abs=0.07)


@pytest.mark.parametrize("friction", [0.05, 0.25])
def test_searches_do_not_end_where_every_contact_sticks(friction):
    for seed in range(0, 400, 10):
        model, impacts = simulated("coulomb", [friction, 0.6, 4e-4], count=100, seed=seed)
        assert fit(model, impacts, NOISE).parameters[0] == pytest.approx(friction, rel=0.05)


def test_outliers_hardly_move_a_fit():
    model, impacts = simulated("coulomb", [0.25, 0.6, 4e-4])
    impacts.after[::20] += [1.0, -1.0, 80.0]
    assert fit(model, impacts, NOISE).parameters == pytest.approx([0.25, 0.6, 4e-4], rel=0.03)


def test_a_surface_that_is_stiff_at_one_place_is_found():
    truth = [0.2, 0.6, 4e-4, 8.0, 0.33, 0.2]
    model, impacts = simulated("place", truth)
    found = fit(model, impacts, NOISE).parameters
    assert found[[0, 1, 2, 4, 5]] == pytest.approx(np.array(truth)[[0, 1, 2, 4, 5]], rel=0.05)
    assert found[3] == pytest.approx(8.0, rel=0.4)


def test_a_late_pose_and_a_grain_of_the_surface_are_found():
    truth = np.array([0.2, 0.6, 4e-4, 8.0, 0.33, 0.2, 0.004, 0.03, 0.15])
    model, impacts = simulated("direction", truth)
    found = fit(model, impacts, NOISE).parameters
    assert found[-3:] == pytest.approx(truth[-3:], rel=0.15)


def test_the_axes_follow_from_the_contact_rows_and_turns_from_the_geometry():
    impacts = thrown(50)
    assert known_axes(impacts)[0] == pytest.approx(AXES)
    step = 1e-6
    # a body that turns by w dt lifts its contact point by n_lever w dt: the height's derivative
    ahead, behind = (turned(impacts, AXES, np.full(50, angle)) for angle in (step, -step))
    rise = (np.abs(ahead.tangent[:, 2]) - np.abs(behind.tangent[:, 2])) / (2 * step)
    assert rise == pytest.approx(-impacts.normal[:, 2], abs=1e-8)
    far = turned(impacts, AXES, np.full(50, 0.3))
    assert turned(far, AXES, np.full(50, -0.3)).normal == pytest.approx(impacts.normal)


def test_another_body_has_no_axes_and_no_model_that_needs_them():
    impacts = thrown(50)
    impacts.tangent[:, 2] *= 1 + 0.1 * np.sin(np.arange(50))
    assert known_axes(impacts)[0] is None
    assert "pose" not in [model.name for model in planar_models(impacts)]


def test_restitution_by_speed_is_the_suites_own_law():
    impacts = thrown(20)
    model = named("viscoelastic", impacts)
    speed = np.array([0.5, 2.6])
    e = model.restitution(impacts, speed, {"damping_over_stiffness_spm": np.array([0.4])})
    law = Viscoelastic(1.0, 0.4)
    assert e == pytest.approx([viscoelastic_restitution(law, float(v)) for v in speed], abs=1e-6)


def test_halves_are_disjoint_and_belong_to_their_seed():
    impacts = thrown(101)
    one, other = halves(impacts, 3)
    assert (len(one), len(other)) == (50, 51)
    assert not set(one.place) & set(other.place)
    assert (halves(impacts, 3)[0].place == one.place).all()
    assert (halves(impacts, 4)[0].place != one.place).any()


def test_a_model_beats_only_with_every_component():
    reference = np.ones((50, 3))
    assert judge(reference * 0.5, reference, 0).beats_confidently
    assert not judge(reference * [0.5, 0.5, 1.0], reference, 0).beats
    assert judge(reference, reference, 0).ratio == pytest.approx(1.0)


def fitted_baseline(impacts):
    """The baseline fitted to impacts, its parameters, and the scale of the other fits."""
    model = baseline(inertia_ratio(impacts).ratio)
    found = fit(model, impacts, spread(impacts))
    return model, found.parameters, baseline_scale(model, found, impacts)


def test_the_fixed_map_of_the_data_notes_has_the_errors_that_they_name(ellipse):
    """It is ours, picked on the whole set; the fitted baseline is no worse on unseen halves."""
    impacts = ellipse.impacts
    assert (ellipse.rows, len(impacts)) == (856, 856)
    fixed = baseline(3.6e-4)
    medians = np.median(fixed.errors(np.array([0.2, 0.5]), impacts), axis=0)
    assert medians == pytest.approx([0.074, 0.147, 4.16], rel=0.01)
    ratios = []
    for seed in range(5):
        known, unseen = halves(impacts, seed)
        model, found, _ = fitted_baseline(known)
        errors = [m.errors(x, unseen) for m, x in ((model, found), (fixed, np.array([0.2, 0.5])))]
        ratios.append(np.median(errors[0], axis=0) / np.median(errors[1], axis=0))
    assert (np.mean(ratios, axis=0) < 1.02).all()


def test_the_baseline_is_fitted_to_the_body_at_hand():
    for truth in ([0.35, 0.3, 8e-4], [0.1, 0.8, 2.5e-4]):
        _, impacts = simulated("coulomb", truth)
        model, found, _ = fitted_baseline(impacts)
        assert [*found, *model.fixed.values()] == pytest.approx(truth, rel=0.05)


@pytest.mark.slow
def test_the_best_model_beats_the_baseline_on_unseen_halves(ellipse):
    """Five splits, each half unseen once."""
    for seed in range(5):
        pair = halves(ellipse.impacts, seed)
        for known, unseen in (pair, pair[::-1]):
            simplest, values, scale = fitted_baseline(known)
            model = planar_models(known)[-1]
            found = fit(model, known, scale).parameters
            score = judge(model.errors(found, unseen), simplest.errors(values, unseen), seed)
            assert (score.ratio < [0.85, 0.55, 0.85]).all(), (seed, score.ratio)
            assert score.beats


def test_refinements_pay_on_the_half_that_was_fitted(ellipse):
    known, _ = halves(ellipse.impacts, 0)
    *_, scale = fitted_baseline(known)
    cost = {x.name: fit(x, known, scale).cost for x in planar_models(known)}
    order = ["frictionless", "sliding", "coulomb", "poisson", "compliant", "place", "pose"]
    assert [*sorted(order, key=cost.get, reverse=True), "direction"] == [*order, "direction"]
    assert min(cost, key=cost.get) == "direction"


def test_json_is_one_document_with_units(run, tmp_path):
    _, impacts = simulated("poisson", [0.25, 0.5, 4e-4], count=80)
    impacts.before[0, 1] = 1.0
    impacts.after[1, 2] = np.nan
    impacts.tangent[2, :2] = impacts.normal[2, :2]
    file = write(tmp_path / "impacts.csv", impacts)
    status, out, err = run(file, "--seed", "2", "--json")
    result = json.loads(out)
    assert (status, err) == (0, "")
    assert result["dropped_rows"] == {
        "not_finite": 1,
        "no_contact_frame": 1,
        "not_approaching": 1,
    }
    assert (result["rows"], result["fitted_impacts"], result["held_out_impacts"]) == (80, 38, 39)
    assert result["seed"] == 2
    names = [model["name"] for model in result["models"]]
    assert {"frictionless", "sliding", "coulomb", "poisson"} <= {*names}
    assert result["best_model"] in names
    for entry in (result["baseline"], *result["models"]):
        assert [*entry["median_abs_error"]] == ["vx_mps", "vy_mps", "w_radps"]
        for key, (low, high) in entry["median_abs_error_interval_95"].items():
            assert low <= entry["median_abs_error"][key] <= high
    poisson = result["models"][names.index("poisson")]
    assert poisson["parameters"]["friction"] == pytest.approx(0.25, rel=0.1)
    assert poisson["parameters"].keys() == poisson["parameter_interval_95"].keys()
    assert poisson.keys() > result["baseline"].keys() > {"parameters", "fit_cost"}
    inertia = result["inertia_ratio"]
    assert inertia["given_m2"] is None
    assert inertia["momentum_balance_m2"] == pytest.approx(4e-4, rel=0.1)
    low, high = inertia["momentum_balance_interval_95_m2"]
    assert low < inertia["momentum_balance_m2"] < high
    assert result["baseline"]["parameters"]["inertia_per_mass_m2"] == inertia["momentum_balance_m2"]


def test_a_given_inertia_is_used_by_every_model(run, tmp_path):
    _, impacts = simulated("coulomb", [0.25, 0.5, 4e-4], count=60)
    file = write(tmp_path / "impacts.csv", impacts)
    status, out, _ = run(file, "--inertia-ratio", "4.2e-4", "--json")
    result = json.loads(out)
    assert status == 0 and result["inertia_ratio"]["given_m2"] == 4.2e-4
    for entry in (result["baseline"], *result["models"]):
        assert entry["parameters"]["inertia_per_mass_m2"] == 4.2e-4
        assert "inertia_per_mass_m2" not in entry["parameter_interval_95"]
    text = run(file, "--inertia-ratio", "4.2e-4")[1]
    assert "given, and used by all models: 0.0004200 m^2" in text
    assert "given, and used" not in run(file)[1]


def test_no_output_calls_the_baseline_published(run, tmp_path):
    _, impacts = simulated("coulomb", [0.25, 0.5, 4e-4], count=50)
    file = write(tmp_path / "impacts.csv", impacts)
    for arguments in ((file,), (file, "--json"), ("--help",)):
        assert "published" not in run(*arguments)[1].lower()


def test_the_same_seed_gives_the_same_text(run, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "evaluate", partial(evaluate, samples=4))  # twice indeed
    _, impacts = simulated("coulomb", [0.25, 0.5, 4e-4], count=60)
    file = write(tmp_path / "impacts.csv", impacts)
    first, second = run(file), run(file)
    assert first == second and first[0] == 0
    assert "fitted on 30, tested on the other 30 (random halves, seed 0)" in first[1]
    assert "baseline" in first[1] and "best by its fit:" in first[1]


def test_a_file_keeps_what_it_was_given(tmp_path):
    _, impacts = simulated("coulomb", [0.25, 0.5, 4e-4], count=50)
    read = PlanarImpactFile(write(tmp_path / "impacts.csv", impacts)).read().impacts
    for name, value in vars(impacts).items():
        assert getattr(read, name) == pytest.approx(value, abs=1e-9), name


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["nowhere.csv"], "nowhere.csv: no such file; expected a CSV of impacts"),
        (["{folder}"], "expected a CSV file of impacts, got a folder"),
        (["{binary}"], "cannot be read as CSV"),
        (["{empty}"], "missing x0_m, y0_m, vx0_mps"),
        (["{columns}"], "missing n_lever_m, d_lever_m; got x0_m, y0_m, vx0_mps, vy0_mps, w0_radps"),
        (["{twice}"], "expected one column w1_radps, got several"),
        (["{good}", "--seed", "-1"], "expected a whole number, at least 0, got '-1'"),
        (["{good}", "--inertia-ratio", "0"], "expected a number above 0 in m^2, got '0'"),
        (["{good}", "--inertia-ratio", "big"], "expected a number above 0 in m^2, got 'big'"),
        ([], "the following arguments are required: DATASET"),
    ],
)
def test_wrong_usage_gets_one_line_and_status_two(tmp_path, arguments, text, refused):
    impacts = simulated("coulomb", [0.2, 0.5, 4e-4], count=50)[1]
    names = ("folder", "binary", "empty", "columns", "good", "twice")
    files = {name: tmp_path / f"{name}.csv" for name in names}
    files["folder"].mkdir()
    files["binary"].write_bytes(bytes(range(128, 256)))
    files["empty"].write_text("")
    write(files["columns"], impacts, drop=("n_lever_m", "d_lever_m"))
    write(files["good"], impacts)
    files["twice"].write_text(f"{','.join([*COLUMNS, 'w1_radps'])}\n")
    assert text in refused("evaluate", *[argument.format(**files) for argument in arguments])


@pytest.mark.parametrize(
    ("lines", "expected", "text"),
    [
        ("1,2,3", 2, "line 2: expected 14 fields, got 3"),
        (",".join(["x"] * 14), 2, "line 2: could not convert string to float: 'x'"),
        (",".join([""] * 14), 1, "at least 40 usable impacts, got 0 of 1 rows (1 not finite, 0 w"),
        ("", 1, "expected at least 40 usable impacts, got 0 of 0 rows"),
    ],
)
def test_a_damaged_file_fails_with_one_line(tmp_path, lines, expected, text, refused):
    file = tmp_path / "damaged.csv"
    file.write_text(",".join(COLUMNS) + "\n" + lines + "\n")
    assert text in refused("evaluate", file, "--json", status=expected)


def test_impacts_that_all_part_cannot_be_used(refused, tmp_path):
    impacts = simulated("coulomb", [0.2, 0.5, 4e-4], count=50)[1]
    impacts.before[:, 1] = 1.0
    impacts.before[:, 2] = 0.0
    line = refused("evaluate", write(tmp_path / "parting.csv", impacts), status=1)
    assert "without a normal and a tangent, 50 not approaching)" in line


def test_absurd_numbers_fail_with_one_line(refused, tmp_path):
    impacts = simulated("coulomb", [0.2, 0.5, 4e-4], count=50)[1]
    impacts.after[3, 1] = 1e300
    line = refused("evaluate", write(tmp_path / "absurd.csv", impacts), status=1)
    assert "baseline: predictions overflow; expected SI units in the data set" in line


def test_too_few_impacts_are_refused():
    dataset = PlanarDataset("few", thrown(39), 39, 0, 0, 0)
    with pytest.raises(RecordingError, match="expected at least 40 usable impacts, got 39 of 39"):
        evaluate(dataset)


def test_help_shows_an_example(run):
    status, out, _ = run("--help")
    assert status == 0 and "impact evaluate ellipse_impacts.csv" in out
