# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The predictor's service about arms and an object, over real DDS."""

import dataclasses

import numpy as np
import pytest
from arms_and_box import MASS, QUESTION, SIZE

pytest.importorskip("rclpy")

from predictor_caller import Caller, joint_state, wall_contact

from impact_msgs.msg import HitObject, PlateArm
from impact_msgs.srv import PredictImpact
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.multicontact.object_impact import Footing
from impact_predictor.prediction.object_question import object_answers


@pytest.fixture(scope="module")
def caller(context):
    made = Caller(context)
    yield made
    made.close()


@pytest.fixture
def question(panda):
    """Two arms about a box, as a request."""
    request = PredictImpact.Request(object=HitObject(mass=MASS))
    request.object.size.x, request.object.size.y, request.object.size.z = SIZE
    request.object.pose.position.x, request.object.pose.position.z = 0.5, 0.3
    for name, arm in QUESTION.arms.items():
        state = joint_state(panda.joint_names[::-1], arm.q[::-1], arm.dq[::-1])
        made = PlateArm(name=name, state=state, friction=0.8)
        made.base.position.y = arm.base_position[1]
        request.arms.append(made)
    return request


def twist_of(message):
    parts = (message.linear, message.angular)
    return np.array([getattr(part, axis) for part in parts for axis in "xyz"])


def assert_same(response, answers):
    assert (response.success, response.code, response.message) == (True, response.CODE_OK, "")
    assert not response.predictions
    assert len(response.object_predictions) == len(answers)
    for message, answer in zip(response.object_predictions, answers, strict=True):
        assert (message.model, message.object_map) == (answer.inertia, answer.kind)
        result = answer.result
        np.testing.assert_allclose(twist_of(message.object_twist), result.body, atol=1e-12)
        np.testing.assert_allclose(
            message.velocity_after, np.concatenate(list(result.joints.values())), atol=1e-12
        )
        for name, twist in zip(message.arms, message.plate_twists, strict=True):
            np.testing.assert_allclose(twist_of(twist), result.plates[name], atol=1e-12)


def test_the_answer_is_the_librarys(caller, question, panda):
    assert_same(caller.call(question), object_answers(QUESTION, panda))


def test_one_model_and_one_map_of_a_box_on_a_table(caller, question, panda):
    question.models, question.object_maps = ["M"], ["points"]
    question.object.stands, question.object.support_friction = True, 0.3
    feet = face_points([0.5, 0.0, 0.2], np.eye(3), np.array(SIZE[:2]) / 2)
    asked = dataclasses.replace(QUESTION, footing=Footing(feet), kinds=["points"])
    assert_same(caller.call(question), object_answers(asked, panda, ["M"]))


def spoil(request, path, value):
    """Set a field of a request."""
    *parents, last = path.split(".")
    for name in parents:
        request = request[int(name)] if name.isdigit() else getattr(request, name)
    setattr(request, last, value)


@pytest.mark.parametrize(
    ("path", "value", "code", "message"),
    [
        ("models", ["M+B"], "UNKNOWN_MODEL", "model: expected one of M, M+B_theta, M+B_rho"),
        ("object_maps", ["glued"], "UNKNOWN_MODEL", "object map: expected one of locked, points"),
        ("contacts", [wall_contact()], "NO_CONTACT", "contacts: expected none beside arms, got 1"),
        ("arms.1.name", "left", "OUT_OF_RANGE", "arms: expected every name once"),
        ("arms.1.name", "object", "OUT_OF_RANGE", "plates: expected at least one, none called"),
        ("arms.0.friction", -1.0, "OUT_OF_RANGE", "friction: expected a finite number"),
        ("arms.0.friction", np.nan, "OUT_OF_RANGE", "friction: expected a finite number"),
        ("arms.0.half_extent_x", -0.1, "OUT_OF_RANGE", "half_extents: expected two numbers above"),
        ("arms.0.state.position", [0.0] * 6, "BAD_STATE", "arm 'left': state:"),
        ("arms.0.state.velocity", [np.nan] * 7, "BAD_STATE", "arm 'left': state: missing or not"),
        ("arms.0.base.orientation.w", 0.0, "OUT_OF_RANGE", "base of 'left': expected a unit quat"),
        ("object.mass", 0.0, "OUT_OF_RANGE", "mass: expected a finite number above 0"),
        ("object.mass", 1e300, "OUT_OF_RANGE", "mass: expected a number of at most 1e+06"),
        ("object.size.y", 0.0, "OUT_OF_RANGE", "size: expected three numbers above 0"),
        ("object.pose.position.x", np.inf, "OUT_OF_RANGE", "pose of the object: expected three"),
        ("object.twist.linear.x", 1e9, "OUT_OF_RANGE", "twist: expected three finite numbers"),
    ],
)
def test_a_bad_request_gets_a_code_and_a_sentence(caller, question, path, value, code, message):
    spoil(question, path, value)
    response = caller.call(question)
    assert not response.success
    assert response.code == getattr(response, f"CODE_{code}")
    assert response.message.startswith(message)
    assert not response.object_predictions


def test_too_many_arms_are_refused(caller, question):
    question.arms = [
        PlateArm(name=str(k), state=question.arms[0].state, friction=0.1) for k in range(5)
    ]
    response = caller.call(question)
    assert response.code == response.CODE_OUT_OF_RANGE
    assert response.message == "arms: expected at most 4, got 5"
