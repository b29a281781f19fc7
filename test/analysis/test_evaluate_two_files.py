# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`evaluate --fit FILE --test FILE`: fitted on one file, judged on another."""

import json
from functools import partial

import pytest
from evaluated_once import EvaluatedOnce
from thrown_ellipses import simulated, write

import impact_cli.commands.evaluate as command

TRUTH = [0.25, 0.5, 4e-4]


@pytest.fixture
def files(tmp_path):
    """Two files of the same body and surface, and one too short."""
    counts = {"fit": 60, "test": 40, "short": 19}
    return {
        name: write(tmp_path / f"{name}.csv", simulated("coulomb", TRUTH, count, seed=count)[1])
        for name, count in counts.items()
    }


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """The command evaluates with few samples, and equal questions once."""
    monkeypatch.setattr(command, "evaluate", EvaluatedOnce(samples=2))


@pytest.fixture
def run(impact):
    """A function that runs the command and returns status, output and error output."""
    return partial(impact, "evaluate")


def test_one_file_is_fitted_and_the_other_judged(run, files):
    status, out, err = run("--fit", files["fit"], "--test", files["test"], "--json")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert (found["file"], found["rows"], found["fitted_impacts"]) == (str(files["fit"]), 60, 60)
    assert (found["test"]["file"], found["held_out_impacts"]) == (str(files["test"]), 40)
    assert found["test"]["contact_rows"]["usual_signs"] is True
    assert found["impacts_in_both_files"] == 0
    coulomb = next(model for model in found["models"] if model["name"] == "coulomb")
    assert [*coulomb["parameters"].values()] == pytest.approx(TRUTH, rel=0.1)


def test_the_judged_file_has_no_part_in_the_fits(run, files, tmp_path):
    impacts = simulated("coulomb", [0.6, 0.2, 4e-4], 40, seed=7)[1]
    different = write(tmp_path / "different.csv", impacts)
    first, second = (
        json.loads(run("--fit", files["fit"], "--test", test, "--json")[1])
        for test in (files["test"], different)
    )
    for one, two in zip(first["models"], second["models"], strict=True):
        assert one["parameters"] == two["parameters"]
        assert one["median_abs_error"] != two["median_abs_error"]


def test_each_file_is_read_in_its_own_signs(run, files, tmp_path):
    header, *lines = files["test"].read_text().splitlines()
    rows = (line.rpartition(",") for line in lines)
    other = tmp_path / "other.csv"  # its last column, d_lever_m, in the sign of the velocity
    other.write_text("\n".join([header, *(f"{a},{-float(lever):.12g}" for a, _, lever in rows)]))
    documents = [
        json.loads(run("--fit", files["fit"], "--test", test, "--json")[1])
        for test in (files["test"], other)
    ]
    assert documents[1]["test"]["contact_rows"]["d_lever_sign"] == 1
    assert documents[0]["models"] == documents[1]["models"]


def test_the_report_names_both_files_and_no_halves(run, files):
    status, out, _ = run("--fit", files["fit"], "--test", files["test"])
    assert status == 0
    assert str(files["fit"]) in out and str(files["test"]) in out
    assert "fitted on the first file's 60, tested on the other's 40" in out
    assert " half" not in out.replace("half width", "") and "random" not in out
    assert "NOT independent" not in out
    assert out.count("dw left by the balance of momentum") == 2


def test_impacts_of_the_fit_file_among_the_judged_are_said(run, files, tmp_path):
    lines = [files[name].read_text().splitlines() for name in ("fit", "test")]
    both = tmp_path / "both.csv"
    both.write_text("\n".join([*lines[1], *lines[0][1:6]]))
    out = run("--fit", files["fit"], "--test", both)[1]
    assert "NOT independent: 5 of the test impacts are in the fit file too" in out
    found = json.loads(run("--fit", files["fit"], "--test", both, "--json")[1])
    assert found["impacts_in_both_files"] == 5


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--fit", "{fit}"], "expected --fit and --test together, --test is missing"),
        (["--test", "{fit}"], "expected --fit and --test together, --fit is missing"),
        (["{fit}", "--test", "{test}"], "expected DATASET, or --fit and --test, got both"),
        (["--fit", "{fit}", "--test", "{fit}"], "expected two files for --fit and --test, got one"),
        (["--fit", "{fit}", "--test", "none.csv"], "none.csv: no such file"),
        (["--json"], "the following arguments are required: DATASET, or --fit and --test"),
    ],
)
def test_wrong_usage_gets_one_line_and_status_two(refused, files, arguments, text):
    assert text in refused("evaluate", *[argument.format(**files) for argument in arguments])


def test_a_short_file_is_refused_by_name(refused, files):
    for fit, test in (("short", "test"), ("fit", "short")):
        line = refused("evaluate", "--fit", files[fit], "--test", files[test], "--json", status=1)
        assert f"{files['short']}: expected at least 20 usable impacts, got 19 of 19 rows" in line
