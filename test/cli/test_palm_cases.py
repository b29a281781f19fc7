# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`sets --case`: two contacts through an object, vectors of the specification, refusals."""

import json

import pytest

from impact_cli.command_line import run

CLOSED = ("inelastic_Ns", "energy_bound_Ns", "compression_bound_Ns", "beta_over_independent")
SIMULATED = ("simulated_compression_Ns", "simulated_total_Ns")
LARGEST = ("largest_total_over_delays_15ms_grid_Ns", "largest_compression_over_delays_Ns")
GIVEN = {
    "m1_kg": 2.0,
    "m2_kg": 3.0,
    "box_kg": 1.0,
    "s1_mps": 0.2,
    "s2_mps": 0.3,
    "restitution_at_own_set_speed": 0.25,
    "stiffness_N_per_m": 5e4,
    "delay_s": 0.002,
}


@pytest.fixture
def said(capsys):
    """Return status, output and error of `sets --case` with cases in a file."""

    def call(path):
        status = run(["sets", "--case", str(path), "--json"])
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def file(tmp_path):
    """Write cases; return their file."""

    def write(cases):
        path = tmp_path / "cases.json"
        path.write_text(json.dumps(cases))
        return path

    return write


def test_the_specifications_palms(said, shared_data):
    vectors = shared_data / "derived" / "palm_vectors.json"
    if not vectors.exists():
        pytest.skip("needs ../shared/data/derived/palm_vectors.json")
    cases, answers = json.loads(vectors.read_text()), json.loads(said(vectors)[1])
    kinds = (CLOSED, "closed_form"), (SIMULATED, "simulated"), (LARGEST, "largest_over_delays")
    for case, answer in zip(cases, answers, strict=True):
        assert answer["name"] == case["name"]
        for keys, kind in kinds:
            for key in keys:
                expected = pytest.approx(case["expected"][key], rel=case["tolerance"][kind])
                assert answer[key] == expected, (case["name"], key)


def test_the_later_contact_may_be_the_first(said, file):
    """Both sides exchanged and the delay negative is the same case."""
    exchanged = {**GIVEN, "m1_kg": 3.0, "m2_kg": 2.0, "s1_mps": 0.3, "s2_mps": 0.2}
    cases = [{"given": GIVEN}, {"given": {**exchanged, "delay_s": -0.002}}]
    one, other = json.loads(said(file(cases))[1])
    for key in CLOSED + SIMULATED + LARGEST:
        assert one[key] == pytest.approx(other[key][::-1], rel=1e-9), key
        assert one[key][0] > 0.0


def test_a_case_comes_back_in_the_form_of_its_file(said, file):
    status, out, _ = said(file({"name": "mine", "given": GIVEN}))
    assert status == 0
    assert json.loads(out)["name"] == "mine"


@pytest.mark.parametrize(
    ("case", "line"),
    [
        ({}, "expected an entry given of figures, got None"),
        ({"kind": "faces", "given": GIVEN}, "kind: expected lumped, got 'faces'"),
        ({"given": {"m1_kg": 1.0}}, "got no 'm2_kg'"),
        ({"given": {**GIVEN, "m1_kg": -1.0}}, "m1_kg: expected a finite number above 0, got -1.0"),
        ({"given": {**GIVEN, "delay_s": "late"}}, "delay_s: expected a finite number, got 'late'"),
        ({"given": {**GIVEN, "delay_s": 10**400}}, "delay_s: expected a finite number, got 1000"),
        ({"given": {**GIVEN, "delay_s": 2.0}}, "delay_s: expected -1 to 1, got 2.0"),
        (
            {"given": {**GIVEN, "restitution_at_own_set_speed": 0.0}},
            "restitution_at_own_set_speed: expected a number from 0.01 to 1, got 0.0",
        ),
    ],
)
def test_a_wrong_case_is_refused_in_one_line(said, file, case, line):
    status, out, error = said(file(case))
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert line in error
