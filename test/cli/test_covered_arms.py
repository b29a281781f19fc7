# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What commands say of an arm whose tool has a soft cover."""

import json

import pytest

PADDED = """
name: padded
like: panda
tool: {parent: link8, mass: 0.1, radius: 0.03, com: [0, 0, 0.05], contact_point: [0, 0, 0.10],
       cover: {stiffness: 4.0e+4, damping: 60, thickness: 0.008}}
"""
SURFACE = ["--friction", "0,0.279", "--restitution", "0.02,0.3", "--stiffness", "1e5,1e7"]
JOINT_LOAD = [*SURFACE, "--impact-limits", "joint_load", "--joint-ranges", "nominal"]


@pytest.fixture
def padded(tmp_path):
    """A function that writes a robot, its cover changed, and returns the path."""

    def write(old="", new=""):
        assert old in PADDED
        (tmp_path / "padded.yaml").write_text(PADDED.replace(old, new))
        return tmp_path / "padded.yaml"

    return write


@pytest.fixture
def answer(impact):
    """A function that runs a command and returns what it prints."""

    def run(*arguments):
        status, out, err = impact(*map(str, arguments))
        assert status == 0, err
        return out

    return run


def test_plan_says_when_the_cover_bottoms_out(answer, padded):
    bare = json.loads(answer("plan", *JOINT_LOAD, "--json"))
    assert "cover" not in bare
    thick = json.loads(answer("plan", "--robot", padded(), *JOINT_LOAD, "--json"))
    assert thick["speed_bound_mps"] > 2.0 * bare["speed_bound_mps"]
    cover = thick["cover"]
    assert cover["in_limit"] and cover["bottoms_out_mps"] > thick["speed_bound_mps"]
    assert (cover["stiffness_npm"], cover["damping_nspm"], cover["thickness_m"]) == (4e4, 60, 8e-3)
    thin = padded("thickness: 0.008", "thickness: 0.001")
    text = answer("plan", "--robot", thin, *JOINT_LOAD)
    found = json.loads(answer("plan", "--robot", thin, *JOINT_LOAD, "--json"))
    assert found["cover"]["bottoms_out_mps"] == pytest.approx(cover["bottoms_out_mps"] / 8.0)
    assert bare["speed_bound_mps"] < found["speed_bound_mps"] < thick["speed_bound_mps"]
    bottoms = found["cover"]["bottoms_out_mps"]
    assert f"cover of 1 mm, 40000 N/m, bottoms out from {bottoms:.4f} m/s on" in text


def test_a_limit_without_compliance_says_that_it_leaves_the_cover_out(answer, padded):
    given = [*SURFACE, "--impact-limits", "robust"]
    text = answer("plan", "--robot", padded(), *given)
    assert text.splitlines()[-1].strip() == (
        "the cover of the tool is not in this limit, which knows no compliance"
    )
    same = json.loads(answer("plan", "--robot", padded(), *given, "--json"))
    bare = json.loads(answer("plan", *given, "--json"))
    assert same["speed_bound_mps"] == bare["speed_bound_mps"]
    assert same["cover"]["in_limit"] is False and same["cover"]["bottoms_out_mps"] is None


def test_compare_puts_arms_with_and_without_a_cover_side_by_side(answer, padded):
    path = padded()
    given = [*JOINT_LOAD, "--stiffness", "1e6", "--size", "0.3,0.3", "--grid", "1,1"]
    given += ["--jobs", "1"]
    arms = json.loads(answer("compare", "panda", path, *given, "--json"))["arms"]
    assert "bottoms_mps" not in arms["panda"]
    assert arms[str(path)]["bottoms_mps"] == arms[str(path)]["at_points"]["bottoms_mps"][0]
    assert arms[str(path)]["safe_speed_mps"] > arms["panda"]["safe_speed_mps"]
    text = answer("compare", "panda", path, *given, "--impact-limits", "robust")
    (line,) = [line for line in text.splitlines() if line.startswith("cover bottoms out from")]
    assert "no cover" in line and "not in the limits" in line


def test_predict_says_how_far_it_is_compressed(answer, padded):
    given = ["predict", "--robot", padded(), "--speed", "0.2", *SURFACE]
    cover = json.loads(answer(*given, "--json"))["joint_load"]["cover_m"]
    assert cover["low"] <= cover["expected"] <= cover["high"] < cover["thickness"] == 0.008
    assert "of 8 mm: does not bottom out in the ranges" in answer(*given)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("stiffness: 4.0e+4", "stiffness: 0", "tool.cover.stiffness: expected a finite number"),
        ("stiffness: 4.0e+4", "stiffness: .inf", "tool.cover.stiffness: expected a finite number"),
        ("damping: 60", "damping: -1", "tool.cover.damping: expected a finite number"),
        ("thickness: 0.008", "thickness: 8", "tool.cover.thickness: expected a finite number"),
        (", thickness: 0.008", "", "tool.cover.thickness"),
        ("damping: 60", "loss: 60", "expected one of stiffness, damping, thickness as entry"),
    ],
)
def test_wrong_entries_are_one_line(impact, padded, old, new, line):
    status, out, err = impact("plan", "--robot", str(padded(old, new)), *JOINT_LOAD)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1 and line in err


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (2, ["export", "mjcf", "--out", "{out}"]),
        (2, ["plan", "--person", "chest"]),
        (1, ["sets", "--set", "load", "--friction", "0.3"]),  # as without joint stiffnesses
    ],
)
def test_what_does_not_take_it_refuses_it_in_one_line(impact, padded, tmp_path, code, arguments):
    given = [each.format(out=tmp_path / "out") for each in arguments]
    status, _, err = impact(*given, "--robot", str(padded()))
    assert status == code
    assert len(err.splitlines()) == 1 and "the cover of the tool" in err
