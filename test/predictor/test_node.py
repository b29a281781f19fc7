# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The predictor's services over real DDS: right answers, and a code and a sentence otherwise."""

import dataclasses

import numpy as np
import pytest
from walls import a_wall

pytest.importorskip("rclpy")

import pinocchio as pin
from predictor_caller import Caller, set_ranges, wall_contact
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from impact_msgs.msg import ImpactPrediction
from impact_msgs.srv import ComputeFeasibleSets, PredictImpact
from impact_predictor import FRICTION_LAWS, ContactMode, Flag, exceptions, predict, robot_sets
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.node import PredictorNode
from impact_predictor.ros.error_codes import code_name
from impact_predictor.sets.load_set import load_set
from impact_predictor.sets.robot_sets import RIGID_SETS
from impact_robots import RobotError, Surface
from impact_ros.messages import vector
from impact_ros.node.spin import make_executor
from impact_ros.parameters import ParameterError


@pytest.fixture(scope="module")
def caller(context):
    made = Caller(context)
    yield made
    made.close()


@pytest.fixture
def state(panda, hitting):
    message = JointState(
        name=list(panda.joint_names), position=hitting.q.tolist(), velocity=hitting.dq.tolist()
    )
    message.header.stamp.sec, message.header.stamp.nanosec = 12, 345
    return message


@pytest.fixture
def request_prediction(state):
    return PredictImpact.Request(state=state, contacts=[wall_contact()])


@pytest.fixture
def request_sets(state):
    request = ComputeFeasibleSets.Request(state=state)
    set_ranges(request.surface, friction=0.279, restitution=(0.0, 0.3))
    request.normal.x = -1.0
    return request


def test_a_prediction_is_that_of_the_library(caller, request_prediction, hitting, panda, wall):
    request_prediction.models = ["M+B_theta"]
    response = caller.call(request_prediction)
    assert (response.success, response.code, response.message) == (True, response.CODE_OK, "")
    (message,) = response.predictions
    expected = predict(hitting, a_wall(0.3, 0.1), panda)
    np.testing.assert_allclose(message.velocity_after, expected.dq_after)
    np.testing.assert_allclose(message.velocity_before, hitting.dq)
    np.testing.assert_allclose(vector(message.impulse), expected.impulse)
    np.testing.assert_allclose(vector(message.task_velocity_after), expected.velocity_after)
    np.testing.assert_allclose(vector(message.contact_pose.position), hitting.position)
    o = message.contact_pose.orientation
    np.testing.assert_allclose(pin.Quaternion(o.w, o.x, o.y, o.z).matrix(), wall, atol=1e-12)
    assert message.effective_mass == expected.effective_mass
    assert message.approximate_to_exact_ratio == expected.approximate_to_exact_ratio
    assert message.contact_mode == expected.mode
    assert message.flags == expected.flags
    assert message.header.stamp == request_prediction.state.header.stamp
    assert message.header.frame_id == panda.base_frame
    assert message.joint_names == list(panda.joint_names)
    assert (message.model, message.friction_law) == ("M+B_theta", "coulomb")


@pytest.mark.parametrize(
    "make", [make_executor, lambda context: SingleThreadedExecutor(context=context)]
)
def test_each_of_many_requests_at_once_gets_its_own_answer(context, request_prediction, make):
    """An answer is written into the messages of the one before, which must have been sent."""
    caller, executor = Caller(context, "at_once"), make(context)
    caller.executor.shutdown()
    for node in (caller.node, caller.client):
        executor.add_node(node)
    client = caller.clients[PredictImpact]
    assert client.wait_for_service(timeout_sec=20.0)
    coefficients = [0.1 * i for i in range(9)]  # as many as a service keeps
    asked = []
    for each in coefficients:
        request_prediction.contacts = [wall_contact(friction=each, restitution=each)]
        asked.append(client.call_async(request_prediction))
    for future in asked:
        executor.spin_until_future_complete(future, timeout_sec=20.0)
    executor.shutdown()
    caller.close()
    for each, future in zip(coefficients, asked, strict=True):
        for message in future.result().predictions:
            assert (message.friction, message.restitution) == (each, each)
            v = message.task_velocity_before.z, message.task_velocity_after.z
            assert v[1] == pytest.approx(-each * v[0], abs=1e-9)


def test_an_answer_has_nothing_of_the_one_before(caller, request_prediction):
    def sharp():
        request_prediction.joint_ranges, request_prediction.inertia_uncertainty = "", 0.0
        request_prediction.contacts, request_prediction.models = [wall_contact()], ["M"]
        return caller.call(request_prediction)

    first = sharp()
    request_prediction.joint_ranges, request_prediction.inertia_uncertainty = "nominal", 0.1
    request_prediction.contacts, request_prediction.models = [wall_contact()] * 2, []
    full = caller.call(request_prediction)
    assert all(len(each.joint_load) and len(each.velocity_low) for each in full.predictions)
    request_prediction.joint_ranges = ""
    wide = caller.call(request_prediction)
    assert all(len(each.velocity_low) and not each.joint_load for each in wide.predictions)
    assert len(wide.predictions) == len(full.predictions) == 6
    assert sharp() == first


def test_without_models_all_come_in_order(caller, request_prediction, panda):
    response = caller.call(request_prediction)
    assert [each.model for each in response.predictions] == list(panda.motor_inertias)


def test_joints_may_come_in_any_order_and_with_others(caller, request_prediction, state):
    straight = caller.call(request_prediction)
    state.name = [*state.name[::-1], "finger"]
    state.position = [*list(state.position)[::-1], 0.01]
    state.velocity = [*list(state.velocity)[::-1], float("nan")]
    mixed = caller.call(request_prediction)
    assert mixed.success
    for a, b in zip(straight.predictions, mixed.predictions, strict=True):
        np.testing.assert_array_equal(a.velocity_after, b.velocity_after)


def test_an_empty_state_means_the_last_one_received(context, request_prediction, state):
    caller = Caller(context, "alone")
    request_prediction.state = JointState()
    response = caller.call(request_prediction)
    assert (response.success, response.code) == (False, response.CODE_NO_STATE)
    for _ in range(200):
        caller.states.publish(state)
        caller.executor.spin_once(timeout_sec=0.1)
        response = caller.call(request_prediction)
        if response.success:
            break
    caller.close()
    assert response.success
    assert response.predictions[0].header.stamp == state.header.stamp


def test_a_leaving_arm_has_no_impact(caller, request_prediction, state, hitting):
    state.velocity = (-hitting.dq).tolist()
    response = caller.call(request_prediction)
    assert response.success
    for message in response.predictions:
        assert message.contact_mode == ImpactPrediction.CONTACT_MODE_NONE
        assert not message.flags & ImpactPrediction.FLAG_APPROACHING
        np.testing.assert_array_equal(message.velocity_after, state.velocity)


def test_another_point_of_the_robot_can_hit(caller, request_prediction):
    request_prediction.contacts[0].frame = "panda_link8"
    response = caller.call(request_prediction)
    assert response.success
    assert response.predictions[0].contact == "panda_link8"


def test_sets_are_those_of_the_library(caller, request_sets, hitting, panda):
    response = caller.call(request_sets)
    assert (response.success, response.code, response.message) == (True, response.CODE_OK, "")
    expected = robot_sets(hitting, a_wall(0.279, (0.0, 0.3)), panda)
    assert tuple(each.name for each in response.polytopes) == RIGID_SETS
    for message, polytope in zip(response.polytopes, expected, strict=True):
        d = message.dimension
        np.testing.assert_allclose(np.reshape(message.a, (-1, d)), polytope.A)
        np.testing.assert_allclose(message.b, polytope.b)
        np.testing.assert_allclose(np.reshape(message.vertices, (-1, d)), polytope.vertices)
        assert (message.unit, tuple(message.axes)) == (polytope.unit, polytope.axes)
        assert message.header.stamp == request_sets.state.header.stamp
    frames = {each.name: each.header.frame_id for each in response.polytopes}
    assert frames["impulse"] == "panda_tool_contact_surface"
    assert frames["com_velocity_jump"] == panda.base_frame
    assert frames["impulsive_torque"] == ""


def test_only_the_sets_asked_for_come(caller, request_sets):
    request_sets.sets = ["force", "impulse"]
    assert [each.name for each in caller.call(request_sets).polytopes] == ["force", "impulse"]


def refuse(caller, request, code, message):
    """Assert that a request is answered by this code and sentence, and by nothing else."""
    response = caller.call(request)
    assert not response.success
    assert response.code == getattr(response, code)
    assert message in response.message
    assert "\n" not in response.message and len(response.message) <= 500
    answers = getattr(response, "predictions", None) or getattr(response, "polytopes", None)
    assert not answers


@pytest.mark.parametrize("kind", ["request_prediction", "request_sets"])
def test_an_unusable_state_is_an_answer(caller, request, kind):
    asked = request.getfixturevalue(kind)
    good = asked.state.velocity[3]
    asked.state.velocity[3] = float("nan")
    refuse(caller, asked, "CODE_BAD_STATE", "not finite: panda_joint4 velocity")
    asked.state.velocity[3] = good
    asked.state.position.pop()
    refuse(caller, asked, "CODE_BAD_STATE", "expected 7 values of position (or none), got 6")
    asked.state.position = []
    refuse(caller, asked, "CODE_BAD_STATE", "panda_joint1 position")


@pytest.mark.parametrize("kind", ["request_prediction", "request_sets"])
@pytest.mark.parametrize(("sec", "nanosec"), [(1, 2**32 - 1), (2**31 - 1, 0)])
def test_a_state_with_a_stamp_that_is_none_is_an_answer(caller, request, kind, sec, nanosec):
    asked = request.getfixturevalue(kind)
    asked.state.header.stamp.sec, asked.state.header.stamp.nanosec = sec, nanosec
    refuse(caller, asked, "CODE_BAD_STATE", "state: expected a stamp below")


@pytest.mark.parametrize("kind", ["request_prediction", "request_sets"])
def test_a_state_with_impossible_numbers_or_names_is_an_answer(caller, request, kind):
    asked = request.getfixturevalue(kind)
    good, asked.state.velocity[3] = asked.state.velocity[3], 1e200
    refuse(caller, asked, "CODE_BAD_STATE", "panda_joint4 velocity")
    asked.state.velocity[3] = good
    asked.state.name = [*asked.state.name, *(["x"] * 10**5)]
    refuse(caller, asked, "CODE_UNKNOWN_JOINT", "expected at most 1000 joint names, got 100007")


def test_a_state_that_cannot_be_read_is_an_answer(caller, request_prediction, monkeypatch):
    request_prediction.state = JointState()
    monkeypatch.setattr(caller.node, "_newest_bytes", lambda: b"\x00\x01\x00\x00\xff\xff")
    refuse(caller, request_prediction, "CODE_BAD_STATE", "state: cannot be read")


@pytest.mark.parametrize("kind", ["request_prediction", "request_sets"])
def test_missing_and_unknown_joints_are_an_answer(caller, request, kind):
    asked = request.getfixturevalue(kind)
    asked.state.name = ["elbow", *asked.state.name[1:]]
    refuse(caller, asked, "CODE_UNKNOWN_JOINT", "missing panda_joint1; got elbow, panda_joint2")
    asked.state.name = []
    refuse(caller, asked, "CODE_UNKNOWN_JOINT", "expected joints panda_joint1")


@pytest.mark.parametrize("kind", ["request_prediction", "request_sets"])
@pytest.mark.parametrize("x", [0.0, float("nan"), float("inf")])
def test_a_useless_normal_is_an_answer(caller, request, kind, x):
    asked = request.getfixturevalue(kind)
    surface = asked if kind == "request_sets" else asked.contacts[0]
    surface.normal.x = x
    refuse(caller, asked, "CODE_BAD_NORMAL", "normal: expected three finite numbers")


@pytest.mark.parametrize(
    ("field", "value", "code", "message"),
    [
        ("models", ["M", "X"], "CODE_UNKNOWN_MODEL", "model: expected one of M, M+B_theta"),
        ("models", ["M", "M", "X"], "CODE_UNKNOWN_MODEL", "got 'X'"),
        ("inverse_inertia", "x", "CODE_UNKNOWN_MODEL", "one of em, gm, crb, flex, got 'x'"),
        ("contacts", [], "CODE_NO_CONTACT", "contacts: expected at least one, got none"),
        ("inertia_uncertainty", 1.0, "CODE_OUT_OF_RANGE", "uncertainty: expected a number from 0"),
        ("inertia_uncertainty", float("nan"), "CODE_OUT_OF_RANGE", "inertia_uncertainty"),
        (
            "friction_law",
            "x",
            "CODE_UNKNOWN_FRICTION_LAW",
            f"expected one of {', '.join(FRICTION_LAWS)}, got",
        ),
        ("contacts", [wall_contact()] * 17, "CODE_OUT_OF_RANGE", "contacts: expected at most 16"),
        ("models", ["M"] * 10**5, "CODE_OUT_OF_RANGE", "models: expected at most 3, got 100000"),
        ("friction_law", "x" * 10**6, "CODE_UNKNOWN_FRICTION_LAW", ", got 'xxx"),
    ],
)
def test_a_bad_prediction_request_is_an_answer(
    caller, request_prediction, field, value, code, message
):
    setattr(request_prediction, field, value)
    refuse(caller, request_prediction, code, message)


@pytest.mark.parametrize(
    ("field", "value", "code", "message"),
    [
        ("sets", ["impulse", "x"], "CODE_UNKNOWN_SET", "set: expected one of compression_"),
        (
            "inverse_inertia",
            "x",
            "CODE_UNKNOWN_MODEL",
            "one of em, gm, crb, flex, got 'x'",
        ),
        ("contact_frame", "toe", "CODE_UNKNOWN_CONTACT", "panda_tool_contact, got 'toe'"),
        ("surface.friction_low", -0.1, "CODE_OUT_OF_RANGE", "friction: expected a finite number"),
        ("surface.friction_high", 50.0, "CODE_NO_SOLUTION", "friction: expected below"),
        ("surface.restitution_low", 0.5, "CODE_OUT_OF_RANGE", "0 <= low <= high <= 1"),
        ("generators", 2, "CODE_OUT_OF_RANGE", "generators: expected an integer from 3 to 1000"),
        ("generators", 2**32 - 1, "CODE_OUT_OF_RANGE", "generators: expected an integer from 3"),
        ("peak_factor", 0.0, "CODE_OUT_OF_RANGE", "peak_factor: expected a finite number above 0"),
        ("impact_duration", -1.0, "CODE_OUT_OF_RANGE", "impact_duration: expected a finite"),
        ("impact_duration", 5e-324, "CODE_OUT_OF_RANGE", "impact_duration: expected at least"),
        (
            "surface.friction_high",
            1e308,
            "CODE_OUT_OF_RANGE",
            "friction: expected a number of at most 1e+06",
        ),
        ("sets", ["impulse"] * 10**5, "CODE_OUT_OF_RANGE", "sets: expected at most 10, got 1000"),
    ],
)
def test_a_bad_request_for_sets_is_an_answer(caller, request_sets, field, value, code, message):
    at = request_sets.surface if field.startswith("surface.") else request_sets
    setattr(at, field.removeprefix("surface."), value)
    refuse(caller, request_sets, code, message)


def test_the_set_of_a_flexible_arm_depends_on_the_stiffness(caller, request_sets, hitting, panda):
    request_sets.sets = ["load"]
    set_ranges(request_sets.surface, stiffness=(1e5, 1e6))
    (message,) = caller.call(request_sets).polytopes
    surface = Surface(None, [-1, 0, 0], 0.279, (0.0, 0.3), (1e5, 1e6))
    expected = load_set(hitting, surface, panda)
    np.testing.assert_allclose(np.reshape(message.vertices, (-1, 3)), expected.vertices)
    request_sets.surface.stiffness_low = -1.0
    refuse(caller, request_sets, "CODE_OUT_OF_RANGE", "stiffness: expected low, high with 0 < low")


def test_sets_need_an_approach(caller, request_sets, hitting):
    request_sets.state.velocity = (-hitting.dq).tolist()
    refuse(caller, request_sets, "CODE_NOT_APPROACHING", "normal velocity: expected below 0")


def test_what_nobody_thought_of_is_an_answer_too(caller, request_prediction, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr("impact_predictor.node.answer", fail)
    refuse(caller, request_prediction, "CODE_INTERNAL_ERROR", "internal error: two lines")
    monkeypatch.undo()
    assert caller.call(request_prediction).success


def test_every_error_has_a_code_in_both_services_or_in_the_one_that_can_raise_it():
    kinds = ("model", "inverse inertia", "friction law", "contact frame", "set", "joint ranges")
    names = {code_name(UnknownNameError(kind, "x", ())) for kind in kinds}
    for error in vars(exceptions).values():
        is_error = isinstance(error, type) and issubclass(error, exceptions.PredictionError)
        if is_error and error not in (exceptions.PredictionError, UnknownNameError):
            names.add(code_name(error.__new__(error)))
    assert "CODE_INTERNAL_ERROR" not in names
    for name in names:
        services = (PredictImpact.Response, ComputeFeasibleSets.Response)
        assert any(hasattr(service, name) for service in services), name


def test_a_code_has_one_value_in_both_services():
    values = {}
    for service in (PredictImpact.Response, ComputeFeasibleSets.Response):
        codes = [name for name in dir(service) if name.startswith("CODE_")]
        for name in codes:
            assert values.setdefault(name, getattr(service, name)) == getattr(service, name)


def test_modes_and_flags_have_the_messages_values():
    for mode in ContactMode:
        assert getattr(ImpactPrediction, f"CONTACT_MODE_{mode.name}") == mode
    for flag in (Flag.NONE, *Flag):
        assert getattr(ImpactPrediction, f"FLAG_{flag.name}") == flag


def test_every_field_of_the_message_is_written(caller, request_prediction):
    request_prediction.joint_ranges = "nominal"
    message = caller.call(request_prediction).predictions[1]
    empty = ImpactPrediction()
    same = [
        name
        for name in ImpactPrediction.get_fields_and_field_types()
        if getattr(message, name) == getattr(empty, name)
    ]
    assert same == ["joint_load_note"]  # there are loads


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("robot", "pandaa", RobotError, "expected one of cassie, fr3, hrp4, panda"),
        ("robot", 3, ParameterError, "parameter robot: expected a text, got 3"),
        ("urdf", "nowhere.urdf", RobotError, "no URDF file nowhere.urdf"),
        ("joint_prefix", "left_", RobotError, "left_joint1"),
    ],
)
def test_a_bad_parameter_stops_the_node_with_one_line(context, name, value, error, message):
    with pytest.raises(error, match=message):
        PredictorNode(context=context, parameter_overrides=[Parameter(name, value=value)])


def test_parameters_are_documented():
    for field in dataclasses.fields(PredictorNode.PARAMETERS):
        assert field.metadata["description"]
