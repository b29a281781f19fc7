# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command plan for both palms of a robot that floats."""

import json

import numpy as np
import pytest
from hrp4_grab import grab_posture

from impact_cli.command_line import run as main
from impact_robots import load_robot

PALMS = ["--contact", "left_palm", "--normal", "0,1,0", "--and", "right_palm:0,-1,0"]
SURFACE = ["--friction", "0.79", "--restitution", "0,0.3"]


@pytest.fixture(scope="module")
def posture():
    q = grab_posture(load_robot("hrp4"), 0.26)
    return "--q=" + ",".join(map(repr, q.tolist()))


def planned(capsys, *arguments):
    status = main(["plan", "--robot", "hrp4", *arguments, *SURFACE, "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "speed"),
    [([], 0.183), (["--mode", "nominal"], 0.353), (["--impact-limits", "existential"], 0.611)],
)
def test_palms_bounds_are_those_of_the_specification(capsys, posture, options, speed):
    status, found = planned(capsys, *PALMS, posture, *options)
    assert status == 0
    assert found["speed_bound_mps"] == pytest.approx(speed, rel=0.02)
    assert [each["frame"] for each in found["contacts"]] == ["left_palm", "right_palm"]
    places = [each["contact_point_m"] for each in found["contacts"]]
    np.testing.assert_allclose(places, [[0.4, 0.26, 0.93], [0.4, -0.26, 0.93]], atol=2e-3)


def test_one_palm_may_arrive_alone(capsys, posture):
    _, both = planned(capsys, *PALMS, posture)
    status, alone = planned(capsys, *PALMS[:4], posture)
    assert status == 0
    assert alone["speed_bound_mps"] >= both["speed_bound_mps"]
    assert main(["plan", "--robot", "hrp4", *PALMS, posture, *SURFACE]) == 0
    assert "left_palm, right_palm together, robust" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--impact-limits", "joint_load"], "expected one of auto, robust, nominal, existential"),
        (["--optimize"], "--optimize: only for one contact of an arm on a fixed base"),
        (["--yaml", "-"], "--yaml: only for one contact of an arm on a fixed base"),
        (["--and", "right_palm"], "expected FRAME:X,Y,Z"),
        (["--and", "right_palm:0,0,0"], "expected FRAME:X,Y,Z"),
        (["--and", "foot:0,0,1"], "contact frame: expected one of"),
    ],
)
def test_what_is_not_for_several_contacts_is_one_line(refused, options, line):
    assert line in refused("plan", "--robot", "hrp4", *PALMS, *options)


def test_a_box_has_its_own_contacts(refused):
    options = ("--scenario", "rs_grab_catfood_case1", "--and", "tip:0,0,1")
    assert "--and: not with a box" in refused("plan", *options)
