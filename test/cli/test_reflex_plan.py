# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --reflex`: collision thresholds of a hit, by cases with known answers."""

import json

import numpy as np
import pytest
from half_sine import observed_fraction

from impact_cli.command_line import run

ENTRY = {
    "q": [0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02],
    "u": [1.0, 0.0, 0.0],
    "v": 0.05,
    "stiffness": [1e5],
    "vendor": [20.0, 20.0, 18.0, 18.0, 16.0, 14.0, 12.0],
}


@pytest.fixture
def answered(capsys, tmp_path):
    """Return a function that returns what the command prints for a document."""

    def answer(document, status=0):
        path = tmp_path / "case.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        assert run(["plan", "--reflex", "--case", str(path), "--json"]) == status
        out, err = capsys.readouterr()
        return err if status else json.loads(out)

    return answer


def near(found, expected, tolerance):
    """Compare all numbers of an entry, and of what is inside of it."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            near(found[key], value, tolerance)
    else:
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-3)


def test_the_independent_prototypes_cases_are_met(answered, shared_data):
    path = shared_data / "derived" / "people_vectors.json"
    known = json.loads(path.read_text())
    questions = {  # without the answers
        key: [
            {k: v for k, v in each.items() if not k.startswith(("thr", "push", "F_", "impulse"))}
            for each in known[key]
        ]
        for key in ("A", "B", "C")
    }
    for answer, expected in zip(answered(questions), known["B"], strict=True):
        near(answer, expected, expected["tol_rel"])
    for cycles, expected in known["rho"].items():
        assert observed_fraction(float(cycles)) == pytest.approx(expected, rel=0.02)


def test_an_entry_comes_back_as_an_entry_and_a_list_as_a_list(answered):
    alone = answered(ENTRY)
    assert answered([ENTRY, ENTRY]) == [alone, alone]
    assert {key: alone[key] for key in ENTRY} == ENTRY
    assert alone["refused_filtered_15_9Hz"] is None


def test_why_an_arm_would_not_get_the_thresholds_is_beside_them(answered):
    hard = answered(ENTRY | {"stiffness": [1e6, 5e6], "v": 0.1})
    assert hard["refused_unfiltered"].startswith(
        "collision thresholds: expected recorded hits, or a stiffness of at most 1e+06 N/m"
    )
    assert (
        "joint 6 would need"
        in answered(ENTRY | {"stiffness": [1e6], "v": 0.1})["refused_unfiltered"]
    )


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("nothing", "expected JSON"),
        ("[1, 2]", "expected an entry, a list of entries, or a list B"),
        (ENTRY | {"q": [0.0] * 6}, "entry 1: q: expected 7 numbers, got"),
        (ENTRY | {"v": "fast"}, "entry 1: v: expected a finite number, got 'fast'"),
        ({key: ENTRY[key] for key in ("q", "u", "v")}, "entry 1: vendor: expected 7 numbers"),
        (ENTRY | {"v": -0.1}, "speed: expected above 0 m/s, got -0.1"),
    ],
)
def test_wrong_cases_are_refused_in_one_line(answered, document, reason):
    error = answered(document, status=2)
    assert reason in error
    assert error.count("\n") == 1
