# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The stream over real DDS: it speaks near the surface and in approach, at its rate by stamps."""

import numpy as np
import pytest
from walls import a_wall

pytest.importorskip("rclpy")

from predictor_caller import Caller, joint_state
from rclpy.parameter import Parameter

from impact_msgs.msg import ImpactPrediction
from impact_predictor import RobotContact, predict, robot_sets
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.node import PredictorNode
from impact_predictor.prediction.velocity_interval import contacts_interval
from impact_robots import ArmDynamics
from impact_robots.kinematics import inverse_kinematics
from impact_ros.messages import vector
from impact_ros.parameters import ParameterError

LAST = 99_000  # stamp of the state that ends a test [ms]


@pytest.fixture
def surface(hitting):
    """A wall that the contact point of ``hitting`` touches."""
    return {"contact_point": hitting.position.tolist(), "contact_normal": [-3.0, 0.0, 0.0]}


@pytest.fixture
def start(context, surface, request):
    """Return a function that starts a node, with a listener."""
    made = []

    def starting(**parameters):
        name = f"stream_{len(made)}_{request.node.name.split('[')[0][-30:]}"
        caller = Caller(context, name, **{"stream": True, **surface, **parameters})
        made.append(caller)
        caller.listen()
        return caller

    yield starting
    for each in made:
        each.close()


@pytest.fixture
def at(panda, hitting, wall):
    """Return a function that makes a state with a gap [m] and a speed out of the wall [m/s]."""
    dynamics = ArmDynamics(panda)

    def make(milliseconds, gap=0.0, speed=-0.2):
        q = hitting.q if gap == 0.0 else inverse_kinematics(panda, hitting.q, wall @ [0, 0, gap])
        J = dynamics(q, np.zeros(7)).J[:3]
        dq = np.linalg.pinv(J) @ wall @ [0.0, 0.0, speed]
        return joint_state(panda.joint_names, q, dq, milliseconds)

    return make


def finish(caller, at):
    """Feed a state that is predicted, wait for that, and return the stamps before it [ms]."""
    caller.feed(at(LAST))
    caller.spin(lambda: LAST in caller.stamps() and LAST in caller.stamps("polytope"))
    return caller.stamps()[:-1]


def test_what_is_streamed_is_the_librarys_answer(start, at, hitting, panda):
    caller = start()
    message = at(12_000)
    message.position, message.velocity = list(hitting.q), list(hitting.dq)
    caller.feed(message)
    caller.spin(lambda: all(caller.heard.values()))
    (sent,), (polytope,), (markers,) = caller.heard.values()
    expected = predict(hitting, a_wall(0.15, 0.15), panda)
    assert (sent.model, sent.inverse_inertia) == ("M+B_theta", "crb")
    np.testing.assert_allclose(sent.velocity_after, expected.dq_after)
    np.testing.assert_allclose(vector(sent.impulse), expected.impulse, atol=1e-12)
    interval = contacts_interval([RobotContact(hitting, a_wall((0.0, 0.3), (0.0, 0.3)))], panda)
    np.testing.assert_allclose(sent.velocity_low, interval.low)
    np.testing.assert_allclose(sent.velocity_high, interval.high)
    assert sent.header.frame_id == panda.base_frame
    (impulses,) = robot_sets(hitting, a_wall((0.0, 0.3), (0.0, 0.3)), panda, names=["impulse"])
    np.testing.assert_allclose(np.reshape(polytope.vertices, (-1, 3)), impulses.vertices)
    assert (polytope.name, polytope.header.frame_id) == ("impulse", "panda_tool_contact_surface")
    assert {each.header.stamp.sec for each in (sent, polytope, *markers.markers)} == {12}
    assert {each.lifetime.sec for each in markers.markers} == {1}


def test_it_speaks_near_the_surface_on_either_side_and_in_approach_only(start, at):
    caller = start()
    cases = [(0.06, -0.2), (0.04, -0.2), (0.04, 0.2), (-0.04, -0.2), (-0.06, -0.2), (0.0, 0.0)]
    for number, (gap, speed) in enumerate(cases):
        caller.feed(at(20 * number, gap, speed))
    assert finish(caller, at) == [20, 60]


def test_its_rate_is_counted_in_stamps(start, at):
    caller = start(stream_rate=100.0)
    for milliseconds in range(1_003, 1_043):
        caller.feed(at(milliseconds))
    assert finish(caller, at) == [1_003, 1_010, 1_020, 1_030, 1_040]


def test_the_distance_is_a_parameter_and_so_is_the_model(start, at):
    caller = start(stream_distance=0.2, model="M+B_rho")
    caller.feed(at(20, 0.15))
    assert finish(caller, at) == [20]
    assert {each.model for each in caller.heard["prediction"]} == {"M+B_rho"}


def test_it_stops_when_the_arm_leaves(start, at):
    caller = start()
    for number in range(10):
        caller.feed(at(20 * number, gap=0.002 * number, speed=-0.2 if number < 4 else 0.2))
    assert finish(caller, at) == [0, 20, 40, 60]


def broken(kind, message):
    """Return a state that cannot be used."""
    if kind == "NaN":
        message.velocity[2] = float("nan")
    elif kind == "infinite":
        message.position[0] = float("inf")
    elif kind == "joint missing":
        message.name[4] = "elbow"
    elif kind == "wrong size":
        message.position.pop()
    elif kind == "no velocity":
        message.velocity = []
    else:
        message.name, message.position, message.velocity = [], [], []
    return message


@pytest.mark.parametrize(
    "kind", ["NaN", "infinite", "joint missing", "wrong size", "no velocity", "empty"]
)
def test_a_bad_state_is_dropped_and_the_next_one_counts(start, at, kind, capfd):
    caller = start()
    message = broken(kind, at(1_000))
    caller.states.publish(message)
    caller.spin(lambda: caller.node._last_state is not None)
    caller.feed(at(1_001))
    assert finish(caller, at) == [1_001]
    warnings = [line for line in capfd.readouterr().err.splitlines() if "dropped" in line]
    assert len(warnings) == 1


def test_a_clock_that_jumps_back_starts_anew(start, at):
    caller = start()
    for milliseconds in (5_000, 5_001, 5_020, 1_000, 1_001, 1_020):
        caller.feed(at(milliseconds))
    assert finish(caller, at) == [5_000, 5_020, 1_000, 1_020]


def test_a_state_sent_again_is_predicted_once(start, at):
    caller = start()
    for _ in range(3):
        caller.feed(at(1_000))
        caller.feed(at(1_001))
    assert finish(caller, at) == [1_000]


def test_a_recording_gives_the_same_messages_however_often_it_is_played(start, at):
    recording = [at(1_000 + 3 * k, gap=0.1 - 0.002 * k) for k in range(60)]
    caller, late = start(), start()
    for _ in range(2):
        for message in recording:
            caller.feed(message)
    for message in recording[20:]:  # from the middle
        late.feed(message)
    twice, once = finish(caller, at), finish(late, at)
    half = len(twice) // 2
    assert twice[:half] == twice[half:] == once
    heard = caller.heard["prediction"]
    assert heard[:half] == heard[half:-1] == late.heard["prediction"][:-1]


def test_nothing_is_published_unless_it_streams(start, at):
    caller = start(stream=False)
    for milliseconds in (1_000, 1_020, 1_040):
        caller.feed(at(milliseconds))
    for _ in range(5):
        caller.executor.spin_once(timeout_sec=0.05)
    assert list(caller.heard.values()) == [[], [], []]


def test_a_set_without_bound_leaves_the_prediction(start, at, capfd):
    caller = start(friction=10.0)
    caller.feed(at(1_000))
    caller.spin(lambda: caller.heard["prediction"] and caller.heard["markers"])
    assert caller.heard["polytope"] == []
    assert "no polytope: friction leaves it unbounded" in capfd.readouterr().err
    assert caller.heard["prediction"][0].flags & ImpactPrediction.FLAG_APPROACHING


def test_what_nobody_thought_of_stops_no_node(start, at, monkeypatch, capfd):
    caller = start()

    def fail(*_):
        raise ZeroDivisionError("two halves")

    with monkeypatch.context() as patched:
        patched.setattr("impact_predictor.prediction.near_contact.answer", fail)
        caller.feed(at(1_000))
    assert "no prediction: two halves" in capfd.readouterr().err
    assert finish(caller, at) == []


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"contact_point": [0.5, 0.0]}, ParameterError, "contact_point: expected three finite"),
        ({"contact_normal": [float("nan")] * 3}, ParameterError, "contact_normal: expected three"),
        ({"contact_normal": [0.0, 0.0, 0.0]}, ParameterError, "contact_normal: normal: expected"),
        ({"restitution": [0.3, 0.0]}, ParameterError, "restitution: expected low,high, got"),
        ({"restitution": [0.3]}, ParameterError, "restitution: expected low,high, got"),
        ({"stream_rate": 0.0}, ParameterError, "stream_rate: expected a number from 0.1"),
        ({"model": "M+X"}, UnknownNameError, "model: expected one of M, M\\+B_theta"),
    ],
)
def test_a_stream_without_its_surface_or_model_does_not_start(
    context, surface, changed, error, message
):
    values = {"stream": True, **surface, **changed}
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    with pytest.raises(error, match=message):
        PredictorNode(context=context, parameter_overrides=overrides)
