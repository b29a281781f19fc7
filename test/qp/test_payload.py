# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A payload known within a range: limits by the worse end, gravity by the middle."""

import json

import numpy as np
import pinocchio as pin
import pytest
import yaml

from impact_qp import ControlError, ImpactController, Plan
from impact_qp.limits import Contact
from impact_qp.parameters import ControllerParameters
from impact_qp.planning import safe_speed
from impact_robots import ArmDynamics, RobotError, load_robot
from impact_robots.description.payload import at_the_ends, carrying
from impact_robots.exceptions import OutOfRangeError
from impact_ros.parameters import ParameterError, from_values

NORMAL = np.array([-1.0, 0.0, 0.0])
STILL = np.zeros(7)


def plan_for(robot, kind):
    return Plan(Contact(ArmDynamics(robot).position(robot.stance), NORMAL), kind)


def bound(robot, kind, payload):
    robot = carrying(robot, payload)
    limit = plan_for(robot, kind).impact_limit(robot, 0.0)
    return safe_speed(robot, limit, robot.stance).bound.speed


def test_a_payload_adds_a_point_mass_at_the_contact_point(panda):
    """M + m J^T J, and its weight m J^T g, of any configuration."""
    random, heavy = np.random.default_rng(2), carrying(panda, (1.0, 3.0))
    for _ in range(5):
        q = random.uniform(panda.limits.position_lower, panda.limits.position_upper)
        bare, loaded = (ArmDynamics(robot)(q, STILL) for robot in (panda, heavy))
        J = bare.J[:3]
        np.testing.assert_allclose(loaded.robot_state.M, bare.robot_state.M + 2.0 * J.T @ J)
        weight = 2.0 * J.T @ [0.0, 0.0, 9.81]
        np.testing.assert_allclose(loaded.robot_state.g, bare.robot_state.g + weight, atol=1e-9)


def test_what_is_taken_up_is_set_down_again(panda):
    back = carrying(carrying(panda, (0.5, 2.0)), 0.0)
    for one, other in zip(back.model.inertias, panda.model.inertias, strict=True):
        assert one.isApprox(other, 1e-9)
    low, high = at_the_ends(carrying(panda, (0.5, 2.0)))
    assert pin.computeTotalMass(high.model) - pin.computeTotalMass(low.model) == pytest.approx(1.5)
    assert at_the_ends(panda) == (panda,)


@pytest.mark.parametrize("kind", ["joint_load", "robust", "nominal"])
@pytest.mark.parametrize("payload", [(0.0, 3.0), (1.0, 1.5)])
def test_the_bound_of_a_range_is_that_of_its_worse_end(panda, kind, payload):
    ends = [bound(panda, kind, each) for each in payload]
    assert bound(panda, kind, payload) == pytest.approx(min(ends), rel=1e-12)
    assert ends[0] != pytest.approx(ends[1], rel=1e-3)


@pytest.mark.parametrize("kind", ["joint_load", "robust"])
def test_the_controller_keeps_the_bound_of_the_worse_end(panda, kind):
    robot = carrying(panda, (0.0, 3.0))
    point = ArmDynamics(robot).position(robot.stance) - 0.05 * NORMAL
    plan = Plan(Contact(point, NORMAL), kind, speed=0.5, stall_time=10.0)
    controller = ImpactController(robot, plan)
    for _ in range(400):  # until the loads of both ends are known
        command = controller.update(robot.stance, STILL)
        controller.catch_up()
    ends = [bound(panda, kind, each) for each in (0.0, 3.0)]
    assert command.speed_bound == pytest.approx(min(ends), rel=0.02)


def test_limits_that_bound_no_speed_need_one_mass(panda):
    robot = carrying(panda, (0.0, 1.0))
    with pytest.raises(ControlError, match=r"payload: expected one mass .*, got 0 to 1 kg"):
        plan_for(robot, "existential").impact_limit(robot, 0.0)
    one = carrying(panda, 1.0)
    assert plan_for(one, "existential").impact_limit(one, 0.0) is not None


@pytest.mark.parametrize("value", [-1.0, (2.0, 1.0), (0.0, 101.0), float("nan"), (1.0,), "1"])
def test_what_is_no_payload_is_refused(panda, value):
    with pytest.raises(OutOfRangeError, match="payload: expected kg"):
        carrying(panda, value)


@pytest.mark.parametrize(("entry", "payload"), [(0.5, (0.5, 0.5)), ([0.2, 1], (0.2, 1.0))])
def test_yaml_parameter_and_option_say_the_same(panda, tmp_path, impact, entry, payload):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({"like": "panda", "payload": entry}))
    own = load_robot(path)
    given = from_values(ControllerParameters, {"payload": entry}).load_robot()
    assert own.payload == given.payload == payload
    again = from_values(ControllerParameters, {"robot": str(path)}).load_robot()
    zero = from_values(ControllerParameters, {"robot": str(path), "payload": 0.0}).load_robot()
    assert (again.payload, zero.payload) == (payload, (0.0, 0.0))
    text = ",".join(map(str, payload))
    (_, by_file, _), (_, by_option, _), (_, bare, _) = (
        impact("plan", *options, "--json")
        for options in (("--robot", str(path)), ("--payload", text), ())
    )
    speeds = [json.loads(out)["speed_bound_mps"] for out in (by_file, by_option, bare)]
    assert speeds[0] == pytest.approx(speeds[1]) and speeds[0] != pytest.approx(speeds[2], rel=1e-3)


def test_a_wrong_payload_is_one_line(tmp_path, refused):
    path = tmp_path / "mine.yaml"
    path.write_text("like: panda\npayload: [2, 1]\n")
    with pytest.raises(RobotError, match=r"mine\.yaml: payload: expected kg, low, high"):
        load_robot(path)
    with pytest.raises(ParameterError, match="payload: expected low,high or one number"):
        from_values(ControllerParameters, {"payload": [0.0, 500.0]})
    assert "payload: expected kg" in refused("plan", "--payload", "-1")
