# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid of one's own: what its YAML and its task must say, or one line of what is missing."""

import re

import numpy as np
import pinocchio as pin
import pytest

from impact_qp.body.guarded_grab import GuardedGrab
from impact_robots import load_robot
from impact_robots.exceptions import ImpactError
from impact_robots.task.find import find_palm_task
from impact_robots.task.palm_task import FORWARD, PALMS, SOLES


@pytest.fixture
def g1(tmp_path, project_root):
    """Writes the files of G1, changed by a regular expression, and returns the task."""

    def write(pattern="", instead=""):
        changed = 0
        for path in (project_root / "examples" / "g1").iterdir():
            text = path.read_text()
            if pattern and path.suffix == ".yaml":
                text, count = re.subn(pattern, instead, text, flags=re.M)
                changed += count
            (tmp_path / path.name).write_text(text)
        assert changed or not pattern
        return find_palm_task(tmp_path / "carton.yaml")

    return write


def test_palms_and_soles_stand_as_the_yaml_says(g1):
    task = g1()
    robot = load_robot(task.robot)
    model, data = robot.model, robot.model.createData()
    pin.framesForwardKinematics(model, data, task.grabbing(robot))
    places = {name: data.oMf[model.getFrameId(name)] for name in (*PALMS, *SOLES)}
    for name, side in zip(PALMS, (1.0, -1.0), strict=True):
        np.testing.assert_allclose(places[name].rotation, FORWARD, atol=1e-7)
        at = [task.palm_x, side * task.half_width, task.palm_z]
        np.testing.assert_allclose(places[name].translation, at, atol=1e-7)
    for name in SOLES:
        np.testing.assert_allclose(places[name].rotation, np.eye(3), atol=1e-7)
        assert places[name].translation[2] == pytest.approx(0.0, abs=1e-7)
    assert sum(each.mass for each in model.inertias) == pytest.approx(33.34, abs=0.01)


@pytest.mark.parametrize(
    ("pattern", "instead", "message"),
    [
        (
            r"^contacts:\n(  .*\n)*",
            "",
            "in its YAML: left_palm, right_palm, left_sole, right_sole$",
        ),
        (r"^  left_palm.*\n", "", "carton: g1: contacts missing in its YAML: left_palm$"),
        (r", half_extents.*?]", "", "g1: contacts: left_sole: expected half_extents"),
        (r"^stance:\n(  .*\n)*", "", "robot g1: entry 'stance' is missing: a grab needs it"),
        (r"^impulsive_torque:\n(  .*\n)*", "", "robot g1: entry 'impulsive_torque' is missing"),
        (r"^posture: {}.*\n", "", "carton: posture: expected joints of g1, got 'CHEST_P'"),
        ("posture: {}", "posture: {left_elbow_joint: 45}", "45 rad, which looks like degrees"),
        ("posture: {}", "posture: {left_elbow_joint: x}", "elbow_joint: expected a number in rad"),
        ("palm_x: 0.28", "palm_x: 280", "palm_x: .* got 280 m, which looks like millim"),
        ("palm_x: 0.28", "palm_x: 0.7", "stance: expected one in reach"),
        (r"\[0.4\]", "[-1]", "box_masses: expected a list, each a finite number above 0"),
        ("robot: g1.yaml", "robot: g2", "robot: expected one of .*'g2'"),
        ("grip_force", "grip_froce", "expected entries of .*'grip_froce'"),
        ("^friction: 0.7", "friction: -0.7", "friction: expected a finite number, at least 0"),
    ],
)
def test_what_is_wrong_with_a_humanoid_is_one_line(g1, pattern, instead, message):
    with pytest.raises(ImpactError, match=message) as caught:
        GuardedGrab(g1(pattern, instead))
    assert "\n" not in str(caught.value)
