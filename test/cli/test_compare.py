# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`compare`: what it says of a point is what `map`, `plan` and `predict` say there."""

import json

import numpy as np
import pytest

from impact_cli.options.impact_options import named_robot
from impact_drivers.franka.arm.fr3_model import NAME, PREFIX
from impact_predictor.inertia.inertia_models import effective_masses
from impact_robots import ArmDynamics, Surface

SURFACE = ["--friction", "0.1,0.3", "--restitution", "0,0.2", "--normal", "-1,0,0"]
PLACE = ["--point", "0.55,0,0.4", "--size", "0.3,0.3", "--grid", "2,1", "--jobs", "1"]
LIMITS = {
    "robust": ["--impact-limits", "robust"],
    "joint_load": ["--impact-limits", "joint_load", "--stiffness", "1e5"],
}
QUANTITIES = ("safe_speed_mps", "impulse_ns", "effective_mass_kg", "rotation_after_radps")


@pytest.fixture
def document(impact):
    """A function that runs a command: its JSON document."""

    def run(*arguments):
        status, out, err = impact(*arguments, "--json")
        assert status == 0, err
        return json.loads(out)

    return run


@pytest.mark.parametrize(("limits", "points"), [("robust", 2), ("joint_load", 1)])
def test_its_figures_are_those_of_map_plan_and_predict(document, limits, points):
    given, place = [*SURFACE, *LIMITS[limits]], [*PLACE, "--grid", f"{points},1"]
    compared = document("compare", "panda", NAME, *place, *given)
    assert [*compared["arms"]] == ["panda", NAME]
    for name, arm in compared["arms"].items():
        assert (arm["points"], arm["impact_limits"]) == (points, limits)
        there, mapped = arm["at_points"], document("map", "--robot", name, *place, *given)
        assert [there["safe_speed_mps"]] == mapped["speed_bound_mps"]
        assert [there["limit"]] == mapped["limit"] and [there["q_rad"]] == mapped["q_rad"]
        robot = named_robot(name)
        for k, q in enumerate(there["q_rad"]):
            here = ["--robot", name, "--q", ",".join(map(str, q))]
            plan = document("plan", *here, *given)
            speed = there["safe_speed_mps"][k]
            assert plan["speed_bound_mps"] == pytest.approx(speed, rel=1e-9)
            assert plan["limit"] == there["limit"][k]
            assert plan["limit"].startswith(there["critical_joint"][k] + " ")
            assert plan["contact_point_m"] == pytest.approx(compared["points_m"][k], abs=1e-7)
            moving = [*here, *SURFACE, "--speed", speed, "--model", "M+B_theta"]
            after = document("predict", *moving)["maps"]["M+B_theta"]["joint_velocity_after_radps"]
            state = ArmDynamics(robot)(np.array(q), np.array(after))
            assert np.linalg.norm(state.twist[3:]) == pytest.approx(
                there["rotation_after_radps"][k]
            )
            smooth = document("predict", *moving, "--friction", "0")["maps"]["M+B_theta"]
            assert smooth["normal_impulse_ns"] == pytest.approx(there["impulse_ns"][k])
            mass = effective_masses(state, robot, Surface(None, (-1, 0, 0)).rotation)["M+B_theta"]
            assert mass == pytest.approx(there["effective_mass_kg"][k])


def test_medians_and_percentiles_are_those_of_the_points(document):
    arms = document("compare", "panda", "panda_plate", *PLACE, *LIMITS["robust"])["arms"]
    for arm in arms.values():
        for key in QUANTITIES:
            values, (name, unit) = arm["at_points"][key], key.rsplit("_", 1)
            assert arm[key] == pytest.approx(np.median(values))
            assert arm[f"{name}_low_{unit}"] == pytest.approx(np.percentile(values, 5))
            assert arm[f"{name}_high_{unit}"] == pytest.approx(np.percentile(values, 95))
        joints = arm["at_points"]["critical_joint"]
        assert joints.count(arm["critical_joint"]) == 2 * arm["critical_joint_fraction"] >= 1
    masses = [arm["effective_mass_kg"] for arm in arms.values()]
    assert masses[0] != masses[1]  # the plate is heavier, and is another tool


def test_only_points_that_all_reach_count(document):
    """A wrist that is turned away by 60 degrees does not reach as far."""
    far = ["--point", "0.6,0,0.3", "--size", "0,1.0", "--grid", "1,5", "--jobs", 1]
    found = document("compare", "panda", "--turn", "0,60", *far, "--tilt", 5, *LIMITS["robust"])
    straight, turned = found["arms"]["panda"], found["arms"]["panda turned 60"]
    assert straight["points"] == turned["points"] == len(found["points_m"])
    assert 0 < straight["points"] <= min(straight["reached"], turned["reached"]) < 5
    axes = []
    for arm in (straight, turned):
        (q, *_), robot = arm["at_points"]["q_rad"], named_robot("panda")
        rotation = ArmDynamics(robot)(np.array(q), np.zeros(7)).rotation
        axes.append(np.degrees(np.arccos(rotation[0, 2])))  # to the direction into the wall
    assert axes[0] <= 5.01 and 54.99 <= axes[1] <= 65.01


def test_a_table_and_a_picture(impact, tmp_path):
    picture = tmp_path / "arms.png"
    given = ["compare", "panda", "panda_plate", *PLACE, *LIMITS["robust"]]
    status, out, _ = impact(*given, "--figure", picture)
    assert status == 0 and picture.read_bytes()[:4] == b"\x89PNG"
    assert "2 of 2 points around (0.550, 0.000, 0.400) m are reached by all" in out
    assert "critical joint" in out and "panda_joint" in out
    status, out, err = impact(*given, "--figure", "/dev/null/x.png")
    assert status == 1 and "reached by all" in out and "--figure: cannot write" in err


def test_the_fr3_comes_with_its_makers_urdf_and_the_suites_names():
    fr3 = named_robot(NAME)
    assert fr3.joint_names == tuple(f"{PREFIX}joint{k}" for k in range(1, 8))


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["panda"], "ROBOT: expected at least two arms, got panda alone"),
        (["panda", "nix"], "robot: expected one of cassie, fr3, hrp4, panda, panda_plate or a"),
        (["panda", "panda"], "ROBOT: expected different arms, got panda twice"),
        (["panda", "--turn", "30,30"], "expected different arms, got panda turned 30 twice"),
        (["panda", "--turn", "0,181"], "--turn: expected angles from -180 to 180 degrees"),
        (["panda", "hrp4"], "robot hrp4: map needs a fixed base"),
        (["panda", "panda_plate", "--point", "1,2"], "--point: expected 3 finite numbers, got 2"),
    ],
)
def test_wrong_usage_is_one_line(arguments, line, refused):
    assert line in refused("compare", *arguments)


def test_no_common_point_is_one_line(impact):
    far = ["--point", "9,0,0", "--grid", "2,1", "--jobs", 1, *LIMITS["robust"]]
    status, out, err = impact("compare", "panda", "panda_plate", *far)
    assert (status, out) == (1, "")
    assert err.splitlines()[-1] == (
        "impact: no point of 2 is reached by all arms: panda reaches 0, panda_plate reaches 0"
    )
