# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Requests for impacts at one or many contacts: the library's answers, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from walls import a_wall

from impact_robots import Surface

pytest.importorskip("rclpy")

from predictor_caller import Caller, joint_state, set_ranges, wall_contact

from impact_msgs.msg import ImpactPrediction
from impact_msgs.srv import PredictImpact
from impact_predictor import RobotContact, named_inverse_inertia, predict_contacts
from impact_predictor.exceptions import NoImpulseError
from impact_predictor.prediction.predicted_load import predicted_load
from impact_predictor.prediction.velocity_interval import contacts_interval
from impact_robots import ArmDynamics
from impact_ros.messages import set_vector, vector

ARMS_LENGTH = [0.0, 0.05, 0.0]  # between two points of the tool [m]


@pytest.fixture(scope="module")
def caller(context):
    made = Caller(context, "contacts")
    yield made
    made.close()


@pytest.fixture
def asked(panda, hitting):
    return PredictImpact.Request(
        state=joint_state(panda.joint_names, hitting.q, hitting.dq), contacts=[wall_contact()]
    )


@pytest.fixture
def two_points(hitting):
    """Two points of the tool, the second hitting a wall that leans."""
    leaning = Surface(None, [-1.0, 0.0, 0.2], 0.5)
    second = hitting.beside(ARMS_LENGTH)
    first = RobotContact(hitting, a_wall(0.3, 0.1), "panda_tool_contact")
    return first, RobotContact(second, leaning, "panda_tool_contact")


def ask_two(asked):
    """Ask for the impact of ``two_points``."""
    second = wall_contact(friction=0.5, restitution=0.0)
    set_vector(second.normal, [-10.0, 0.0, 2.0])
    set_vector(second.offset, ARMS_LENGTH)
    asked.contacts.append(second)


def test_many_contacts_give_the_librarys_result_model_by_model(caller, asked, two_points, panda):
    ask_two(asked)
    response = caller.call(asked)
    assert (response.success, response.message) == (True, "")
    expected = [
        prediction
        for model in panda.motor_inertias
        for prediction in predict_contacts(two_points, panda, inertia=model)
    ]
    assert len(response.predictions) == len(expected) == 2 * len(panda.motor_inertias)
    for message, prediction in zip(response.predictions, expected, strict=True):
        assert (message.model, message.contact) == (prediction.inertia, prediction.contact)
        assert (message.friction, message.restitution) == (
            prediction.friction,
            prediction.restitution,
        )
        np.testing.assert_allclose(message.velocity_after, prediction.dq_after)
        np.testing.assert_allclose(vector(message.impulse), prediction.impulse, atol=1e-12)
        np.testing.assert_allclose(
            vector(message.contact_pose.position), prediction.contact_position
        )
        assert message.jacobian_condition == pytest.approx(prediction.jacobian_condition)
        assert message.flags == prediction.flags


def test_contacts_may_be_at_different_frames(caller, asked, panda):
    asked.contacts.append(wall_contact(frame="panda_link8"))
    response = caller.call(asked)
    assert response.success
    assert [each.contact for each in response.predictions[:2]] == [
        "panda_tool_contact",
        "panda_link8",
    ]
    state = ArmDynamics(panda).state(asked.state.position, asked.state.velocity)
    frame = state.at("panda_link8")
    np.testing.assert_allclose(
        vector(response.predictions[1].contact_pose.position), frame.position
    )


def test_the_interval_is_the_librarys(caller, asked, two_points, panda):
    ask_two(asked)
    ranges = {"friction": (0.0, 0.6), "restitution": (0.05, 0.15)}, {"friction": (0.1, 0.9)}
    for each, said in zip(asked.contacts, ranges, strict=True):
        set_ranges(each.surface, **said)
    asked.inertia_uncertainty, asked.models = 0.2, ["M+B_rho"]
    wide = [_with(each, **said) for each, said in zip(two_points, ranges, strict=True)]
    expected = contacts_interval(wide, panda, inertia="M+B_rho", inertia_margin=0.2)
    middle = predict_contacts(two_points, panda, inertia="M+B_rho")
    for message in caller.call(asked).predictions:
        np.testing.assert_allclose(message.velocity_low, expected.low)
        np.testing.assert_allclose(message.velocity_high, expected.high)
        np.testing.assert_allclose(message.velocity_after, middle[0].dq_after)


def _with(contact, **ranges):
    """A contact with other ranges."""
    return contact._replace(surface=replace(contact.surface, **ranges))


def test_what_is_certain_has_no_interval(caller, asked):
    asked.inertia_uncertainty = 0.0
    (message, *_) = caller.call(asked).predictions
    assert (list(message.velocity_low), list(message.velocity_high)) == ([], [])
    set_ranges(asked.contacts[0].surface, restitution=(0.05, 0.15))
    (message, *_) = caller.call(asked).predictions
    inside = np.array(message.velocity_low) <= np.array(message.velocity_after)
    assert inside.all() and (np.array(message.velocity_after) <= message.velocity_high).all()


@pytest.mark.parametrize("name", ["em", "gm", "crb", "flex"])
def test_the_effective_mass_is_that_of_the_model_asked_for(caller, asked, hitting, wall, name):
    asked.inverse_inertia = name
    for message in caller.call(asked).predictions:
        assert message.inverse_inertia == name
        expected = named_inverse_inertia(hitting, wall, name).effective_mass
        assert message.effective_mass == pytest.approx(expected)


def refuse(caller, request, code, sentence):
    """Assert that a request is answered by this code and sentence, and by nothing else."""
    response = caller.call(request)
    assert not response.success
    assert response.code == getattr(response, code)
    assert sentence in response.message
    assert "\n" not in response.message
    assert not response.predictions


@pytest.mark.parametrize(
    ("field", "value", "code", "sentence"),
    [
        ("frame", "toe", "CODE_UNKNOWN_CONTACT", "contact frame: expected one of"),
        ("friction", -0.1, "CODE_OUT_OF_RANGE", "friction: expected a finite number, at least 0"),
        ("friction", float("nan"), "CODE_OUT_OF_RANGE", "friction: expected a finite number"),
        ("friction", float("inf"), "CODE_OUT_OF_RANGE", "friction: expected a finite number"),
        ("restitution", 1.1, "CODE_OUT_OF_RANGE", "restitution: expected low, high with 0 <="),
        ("restitution", float("nan"), "CODE_OUT_OF_RANGE", "restitution: expected"),
        ("friction", (0.4, 0.2), "CODE_OUT_OF_RANGE", "friction: expected low, high with 0 <="),
        ("stiffness", (-1.0, 1e5), "CODE_OUT_OF_RANGE", "stiffness: expected low, high with 0 <"),
    ],
)
def test_a_bad_contact_is_an_answer_that_says_which(caller, asked, field, value, code, sentence):
    asked.contacts.append(wall_contact(**{field: value}))
    refuse(caller, asked, code, f"contacts[1]: {sentence}")


def test_a_bad_normal_or_offset_is_an_answer_that_says_where(caller, asked):
    asked.contacts.append(wall_contact())
    asked.contacts[1].normal.x = 0.0
    refuse(caller, asked, "CODE_BAD_NORMAL", "contacts[1]: normal: expected three finite numbers")
    asked.contacts[1] = wall_contact()
    asked.contacts[1].offset.z = float("nan")
    refuse(caller, asked, "CODE_OUT_OF_RANGE", "contacts[1]: offset: expected three finite")


def test_an_unknown_law_of_several_contacts_is_refused(caller, asked):
    asked.friction_law = "x"
    asked.contacts.append(wall_contact())
    refuse(caller, asked, "CODE_UNKNOWN_FRICTION_LAW", "friction law: expected one of coulomb")


def test_the_published_law_is_for_one_contact(caller, asked):
    asked.friction_law = "sliding"
    assert caller.call(asked).success
    asked.contacts.append(wall_contact())
    refuse(caller, asked, "CODE_OUT_OF_RANGE", "expected coulomb for several contacts at once")


def between_two_walls(asked, restitution):
    """Put the tool between two walls, of which it shall rebound from the one that it hits."""
    asked.contacts = [wall_contact(restitution=restitution) for _ in range(2)]
    asked.contacts[1].normal.x = 2.0


def test_contacts_that_contradict_are_an_answer(caller, asked):
    between_two_walls(asked, 0.5)
    refuse(caller, asked, "CODE_NO_SOLUTION", "no impulses at 2 contacts satisfy Coulomb's law")


def test_an_interval_without_a_solution_at_its_end_is_unknown(caller, asked, monkeypatch):
    def unsolved(*_, **__):
        raise NoImpulseError(np.eye(3), np.zeros(3), 0.3)

    monkeypatch.setattr("impact_predictor.prediction.impact_question.contacts_interval", unsolved)
    between_two_walls(asked, 0.0)
    response = caller.call(asked)
    assert response.success
    for message in response.predictions:
        assert np.isfinite(message.velocity_after).all()
        assert len(message.velocity_low) == len(message.velocity_high) == 7
        assert np.isnan([message.velocity_low, message.velocity_high]).all()
        assert message.flags & ImpactPrediction.FLAG_APPROACHING


def test_loads_of_the_joints_are_the_librarys(caller, asked, two_points, panda):
    ask_two(asked)
    stiff, soft = asked.contacts
    set_ranges(stiff.surface, stiffness=(1e6, float("inf")))
    set_ranges(soft.surface, stiffness=2e5, friction=(0.25, 0.75))
    asked.joint_ranges, asked.models = "announced", ["M", "M+B_theta"]
    contacts = [
        _with(two_points[0], stiffness=(1e6, float("inf"))),
        _with(two_points[1], stiffness=2e5, friction=(0.25, 0.75)),
    ]
    expected = predicted_load(contacts, panda)
    messages = caller.call(asked).predictions
    assert len(messages) == 4
    for message in messages:
        np.testing.assert_allclose(message.joint_load, expected.change)
        np.testing.assert_allclose(message.joint_load_low, expected.change_low)
        np.testing.assert_allclose(message.joint_load_high, expected.change_high)
        np.testing.assert_allclose(message.joint_torque, expected.torque)
        np.testing.assert_allclose(message.joint_torque_low, expected.torque_low)
        np.testing.assert_allclose(message.joint_torque_high, expected.torque_high)
        np.testing.assert_allclose(message.joint_load_time, expected.time)
        assert message.joint_load_note == ""
    for message, model in ((messages[1], "M"), (messages[2], "M+B_theta")):
        predictions = predict_contacts(two_points, panda, inertia=model)
        parts = [
            each.state.J[:3].T @ each.surface.rotation @ prediction.impulse
            for each, prediction in zip(two_points, predictions, strict=True)
        ]
        np.testing.assert_allclose(message.impulsive_torque, np.abs(sum(parts)) * 3.0 / 0.018)


def test_loads_that_are_not_asked_for_stay_empty(caller, asked):
    for message in caller.call(asked).predictions:
        assert len(message.joint_load) == len(message.impulsive_torque) == 0
    asked.joint_ranges = "best"
    refuse(caller, asked, "CODE_OUT_OF_RANGE", "joint ranges: expected one of announced, nominal")
