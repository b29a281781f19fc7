# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --case` with strikes: the specification's vectors, the kind of a file, refusals."""

import json

import pytest

from impact_cli.command_line import run

CASE = {  # a rigid head on a wall and a nail
    "name": "mine",
    "q": [0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0],
    "direction": [4.08e-06, -2.008e-05, -1.0],
    "tool": {
        "head_centre_in_flange": [0.0, 0.0, 0.15],
        "strike_direction_in_flange": [0.0, 0.0, 1.0],
        "head_mass": 0.3,
        "handle_stiffness": None,
    },
    "surface": {"stop": {"stiffness": [1e6, 1e7], "restitution": [0.02, 0.3]}},
}
PERSON = {
    "q": [0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02],
    "u": [1.0, 0.0, 0.0],
    "region": "chest",
}
REFLEX = {
    "q": [0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02],
    "u": [1.0, 0.0, 0.0],
    "v": 0.05,
    "stiffness": [1e5],
    "vendor": [20.0, 20.0, 18.0, 18.0, 16.0, 14.0, 12.0],
}
TOLERANCES = {  # of the specification; work 2 %, or 1e-3 J
    ("speed_mps", "used_speed_mps"): {"rel": 0.01},
    ("load_speed_mps", "load_speed_mps"): {"rel": 0.01},
    ("joint_speed_mps", "joint_speed_mps"): {"rel": 0.01},
    ("impulse_ns", "impulse_100ms_Ns"): {"rel": 0.01},
    ("impulse_30ms_ns", "impulse_30ms_Ns"): {"rel": 0.01},
    ("work_j", "plastic_work_100ms_J"): {"rel": 0.02, "abs": 1e-3},
    ("peak_force_n", "peak_force_N"): {"rel": 0.03},
}


@pytest.fixture
def answered(capsys, tmp_path):
    """Return a function that returns what `plan --case` prints for a document."""

    def answer(document, *options, status=0):
        path = tmp_path / "case.json"
        path.write_text(json.dumps(document))
        assert run(["plan", *options, "--case", str(path), "--json"]) == status
        out, err = capsys.readouterr()
        return err if status else json.loads(out)

    return answer


def test_the_independent_prototypes_strikes_are_met(answered, shared_data):
    path = shared_data / "derived" / "hammer_vectors.json"
    if not path.exists():
        pytest.skip("needs ../shared/data/derived/hammer_vectors.json")
    known = json.loads(path.read_text())
    questions = [
        {k: v for k, v in each.items() if k not in ("answer", "spread_over_dt")} for each in known
    ]
    for answer, case in zip(answered(questions), known, strict=True):
        assert answer["name"] == case["name"]
        assert answer["joint"] == case["answer"]["critical_joint"]
        for (key, theirs), tolerance in TOLERANCES.items():
            expected = pytest.approx(case["answer"][theirs], **tolerance)
            assert answer[key] == expected, (case["name"], key)


def test_an_entry_comes_back_as_an_entry_and_a_list_as_a_list(answered):
    alone = answered(CASE)
    assert answered([CASE, CASE]) == [alone, alone]
    assert {key: alone[key] for key in CASE} == CASE
    assert alone["speed_mps"] == min(alone["load_speed_mps"], alone["joint_speed_mps"])
    assert (alone["work_j"], alone["limit"]) == (0.0, "joint load")


@pytest.mark.parametrize(("option", "case"), [("--person", PERSON), ("--reflex", REFLEX)])
def test_the_file_s_kind_is_that_of_its_cases(answered, option, case):
    assert answered([case]) == answered([case], option)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tool": 3}, "entry 1: tool: expected a mapping of entries, got 3"),
        ({"tool": {}}, "no 'head_centre_in_flange'"),
        (
            {"direction": [1.0, 0.0, 0.0]},
            "direction: expected the tool's axis, 0.0000, -0.0000, -1.0",
        ),
        ({"surface": {}}, "surface: expected an entry nail or stop, got {}"),
        ({"surface": {"nail": {}}}, "surface: resistance: expected 2 numbers, got no 'resistance'"),
        (
            {"surface": {"stop": {"stiffness": [1e7, 1e6], "restitution": [0.0, 0.3]}}},
            "stiffness: expected low, high with 0 < low <= high, got [10000000.0, 1000000.0]",
        ),
        ({"tool_ranges": {"head_mass": [1.1, 0.9]}}, "head_mass: expected 0 < low <= high"),
        ({"q": [0.0] * 6}, "entry 1: q: expected 7 numbers, got"),
        ({"window_s": 0}, "window_s: expected a finite number above 0, got 0"),
    ],
)
def test_wrong_cases_are_refused_in_one_line(answered, changes, reason):
    error = answered(CASE | changes, status=2)
    assert reason in error
    assert error.count("\n") == 1


def test_a_file_of_no_kind_is_refused(answered):
    error = answered({"name": "nothing"}, status=2)
    assert "expected cases with one of the entries tool (strike), region (person), vendor" in error
