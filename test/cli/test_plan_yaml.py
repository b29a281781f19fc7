# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --yaml`: what another controller reads is the plan, and gives the same plan again."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml

from impact_cli.command_line import run
from impact_cli.plans.plan_yaml import plan_yaml
from impact_qp import Contact, Plan
from impact_qp.planning import safe_speed
from impact_robots import ArmDynamics

GIVEN = ["plan", "--friction", "0.2", "--restitution", "0,0.3", "--impact-limits", "robust"]


def told(capsys, *options):
    """Return what the command prints."""
    assert run([*GIVEN, *map(str, options)]) == 0
    return capsys.readouterr().out


def test_the_file_says_what_json_says_and_what_another_controller_needs(capsys, panda, tmp_path):
    path = tmp_path / "hit.yaml"
    document = json.loads(told(capsys, "--json", "--yaml", path))
    found = yaml.safe_load(path.read_text())
    assert {key: found[key] for key in document} == document
    assert found["joint_names"] == list(panda.joint_names)
    assert (found["base_frame"], found["contact_frame"]) == ("panda_link0", panda.contact_frame)
    assert (found["interface"], found["robot"]) == ("torque", "panda")
    limits = found["joint_limits"]
    assert limits["position_upper_rad"] == panda.limits.position_upper.tolist()
    assert limits["velocity_radps"] == panda.limits.velocity.tolist()
    assert limits["impulsive_torque_nm"] == panda.limits.impulsive_torque.tolist()
    point = ArmDynamics(panda).position(np.array(found["q_rad"]))
    np.testing.assert_allclose(point, found["contact_point_m"], atol=1e-12)


def test_a_plan_that_was_read_gives_the_same_plan(capsys, panda, tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    q = ",".join(str(value) for value in panda.stance + 0.1)
    assert "highest safe speed" in told(capsys, "--q", q, "--normal", "-1,0.2,0.1", "--yaml", first)
    found = yaml.safe_load(first.read_text())
    again = [
        *("--q", ",".join(map(str, found["q_rad"]))),
        f"--normal={','.join(map(str, found['normal']))}",
    ]
    told(capsys, *again, "--yaml", second)
    assert yaml.safe_load(second.read_text()) == found
    contact = Contact(
        found["contact_point_m"], found["normal"], found["friction"], found["restitution"]
    )
    limit = Plan(contact, found["impact_limits"]).impact_limit(panda, 0.0)
    bound = safe_speed(panda, limit, np.array(found["q_rad"])).bound
    assert bound.speed == pytest.approx(found["speed_bound_mps"], rel=1e-9)
    assert bound.name == found["limit"]


def test_on_standard_output_there_is_nothing_else(capsys, refused):
    found = yaml.safe_load(told(capsys, "--yaml", "-"))
    assert found["speed_bound_mps"] > 0.0
    line = refused(*GIVEN, "--json", "--yaml", "-")
    assert "--yaml: expected a file together with --json, got -" in line


def test_what_is_not_known_or_unlimited_is_null(panda):
    bare = replace(panda, limits=replace(panda.limits, acceleration=np.full(7, np.nan)))
    found = yaml.safe_load(plan_yaml({"speed_bound_mps": None}, bare, "position"))
    assert found["joint_limits"]["acceleration_radps2"] == [None] * 7
    assert found["interface"] == "position"


def test_a_position_controlled_arm_needs_its_servo_for_joint_loads(refused):
    line = refused(*GIVEN[:-1], "joint_load", "--interface", "position")
    assert "robot panda does not give 'servo_stiffness'" in line
