# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predictions of a humanoid whose base floats: HRP-4 hits a wall with its left palm."""

import csv
import json

import numpy as np
import pytest

from impact_cli.command_line import run as main
from impact_predictor import predict, predict_many
from impact_predictor.exceptions import NoImpulseError
from impact_predictor.inertia.inverse_inertia import crb, effective_mass, generalized_momentum
from impact_predictor.prediction.impact_question import ImpactQuestion, answer
from impact_predictor.prediction.near_contact import NearContact
from impact_predictor.prediction.robot_contacts import RobotContact
from impact_predictor.prediction.velocity_interval import velocity_interval
from impact_predictor.sets.robot_sets import robot_sets
from impact_robots import ArmDynamics, RobotError, Surface, floating_position, load_robot

NORMAL = (0.0, 1.0, 0.0)


def palm(robot, composite="all", dq=None):
    """Return the state at the left palm in the stance."""
    v = np.zeros(robot.nv) if dq is None else dq
    state = ArmDynamics(robot, composite).state(robot.positions(robot.stance), v)
    return state.at("left_palm")


@pytest.mark.parametrize(("composite", "mass"), [("chain", 1.829), ("moving", 5.004)])
def test_a_palms_effective_mass_is_that_of_the_specification(hrp4, composite, mass):
    rotation = Surface(np.zeros(3), NORMAL).rotation
    found = effective_mass(crb(palm(hrp4, composite), rotation))
    assert found == pytest.approx(mass, abs=2e-3)


def test_by_the_mass_matrix_alone_a_palm_weighs_next_to_nothing(hrp4):
    rotation = Surface(np.zeros(3), NORMAL).rotation
    by_M = effective_mass(generalized_momentum(palm(hrp4), rotation, hrp4.motor_inertias["M"]))
    assert by_M == pytest.approx(0.360, abs=1e-3)


def test_the_specifications_grab_postures_are_in_reach(hrp4, shared_data):
    file = shared_data.parent / "robots" / "hrp4_grab_postures.csv"
    if not file.is_file():
        pytest.skip(f"the postures {file.name} are not there")
    with file.open() as rows:
        postures = list(csv.DictReader(rows))
    masses = []
    for row in postures:
        numbers = {name: float(value) for name, value in row.items()}
        place = [numbers[f"base_{axis}_m"] for axis in "xyz"]
        turn = [numbers[f"base_q{axis}"] for axis in "xyzw"]
        q = floating_position(place, turn, [numbers[name] for name in hrp4.joint_names])
        state = ArmDynamics(hrp4, "chain").state(q, np.zeros(hrp4.nv)).at("left_palm")
        half = numbers["half_width_m"]
        np.testing.assert_allclose(state.position, [0.40, half, 0.93], atol=2e-3)
        masses.append(effective_mass(crb(state, Surface(np.zeros(3), (0, 1, 0)).rotation)))
    np.testing.assert_allclose(masses, [1.483, 1.609, 1.802], atol=2e-3)


def test_an_impulse_changes_the_whole_robots_momentum_by_itself(hrp4):
    dq = np.random.default_rng(8).normal(size=hrp4.nv)
    state = palm(hrp4, "all", dq)
    toward = np.sign(state.velocity[1]) or 1.0
    surface = Surface(state.position, (0.0, -toward, 0.0), friction=0.4)
    found = predict(state, surface, hrp4, inertia="M")
    assert found.impulse[2] > 0.0
    push = surface.rotation @ found.impulse
    np.testing.assert_allclose(found.delta_com_velocity * state.mass, push, atol=1e-9)
    turn = np.cross(state.position - state.com, push)
    np.testing.assert_allclose(found.delta_angular_momentum, turn, atol=1e-9)
    assert len(found.joint_names) == len(found.dq_after) == 40


def test_the_base_has_no_friction_of_joints(hrp4):
    dq = np.random.default_rng(8).normal(size=hrp4.nv)
    state = palm(hrp4, "all", dq)
    surface = Surface(state.position, (0.0, -np.sign(state.velocity[1]), 0.0))
    low, high = velocity_interval(state, surface, hrp4, inertia="M+B_rho")
    found = predict(state, surface, hrp4, inertia="M+B_rho")
    assert low.shape == (40,)
    assert ((low <= found.dq_after) & (found.dq_after <= high)).all()
    assert (high - low)[:3].max() < 0.1  # [m/s]


def test_predict_takes_a_contact_and_its_composite(capsys):
    arguments = ["predict", "--robot", "hrp4", "--contact", "left_palm", "--normal", "0,1,0"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["models"]["crb"]["effective_mass_kg"] == pytest.approx(1.829, abs=2e-3)
    assert [*found["maps"]] == ["M", "M+B_rho"]
    assert found["contact_velocity_before_mps"] == pytest.approx([0.0, 0.0, -0.1], abs=1e-9)
    assert found["joint_names"][:2] == ["base_x", "base_y"]
    assert found["joint_velocity_before_radps"][:6] == [0.0] * 6
    assert main([*arguments, "--composite", "moving", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["models"]["crb"]["effective_mass_kg"] == pytest.approx(5.004, abs=2e-3)


def test_a_base_elsewhere_changes_the_place_alone(capsys, hrp4):
    q = floating_position([1.0, 2.0, 0.5], [0, 0, 0, 1], hrp4.stance)
    arguments = ["predict", "--robot", "hrp4", "--normal", "0,1,0", "--json"]
    places, masses = [], []
    for given in ([], [f"--q={','.join(map(repr, q.tolist()))}"]):
        assert main([*arguments, *given]) == 0
        found = json.loads(capsys.readouterr().out)
        places.append(found["contact_position_m"])
        masses.append(found["models"]["gm"]["effective_mass_kg"])
    np.testing.assert_allclose(np.subtract(*places[::-1]), [1.0, 2.0, 0.5], atol=1e-12)
    assert masses[0] == pytest.approx(masses[1])


def test_a_robot_with_rods_is_refused_where_they_would_be_forgotten(capsys):
    cassie = load_robot("cassie")
    state = ArmDynamics(cassie)(cassie.positions(np.zeros(16)), np.zeros(22))
    with pytest.raises(RobotError, match="needs a robot without closed loops, got 2"):
        predict(state, Surface(state.position, (0, 0, 1)), cassie, inertia="M")
    states = ArmDynamics(cassie).many(state.q[None], state.dq[None])
    with pytest.raises(RobotError, match="needs a robot without closed loops, got 2"):
        predict_many(states, Surface(None, (0, 0, 1)), cassie, inertia="M")
    for command in ("predict", "sets"):
        status = main([command, "--robot", "cassie", "--q", ",".join(["0"] * 16)])
        captured = capsys.readouterr()
        assert (status, captured.out, captured.err.count("\n")) == (2, "", 1)


def test_sets_of_a_floating_robot_are_those_of_all_of_it(hrp4):
    toward = np.append(np.zeros(6), np.full(34, 0.1))
    given = {name: palm(hrp4, name, toward) for name in ("chain", "all")}
    surface = Surface(None, (0.0, -np.sign(given["all"].velocity[1]), 0.0), 0.3, (0.0, 0.2))
    names = ("impulse", "com_velocity_jump", "angular_momentum_jump")
    impulse, com, turn = robot_sets(given["chain"], surface, hrp4, names=names)
    push = surface.rotation @ impulse.vertices.T
    np.testing.assert_allclose(
        np.sort((push / 38.05487735).T, axis=0), np.sort(com.vertices, axis=0)
    )
    lever = given["all"].position - given["all"].com
    assert turn.contains(np.cross(lever, push[:, 0]))


def test_a_floating_robots_sets_are_about_its_joints(hrp4):
    toward = np.append(np.zeros(6), np.full(34, 0.1))
    state = palm(hrp4, "chain", toward)
    surface = Surface(None, (0.0, -np.sign(state.velocity[1]), 0.0), 0.3)
    names = ("impulse", "joint_velocity_jump", "impulsive_torque")
    impulse, jump, torque = robot_sets(state, surface, hrp4, names=names)
    assert jump.axes == torque.axes == hrp4.joint_names
    M = state.M + np.diag(hrp4.motor_inertias["M+B_rho"])
    push = state.J[:3].T @ (surface.rotation @ impulse.vertices[0])
    expected = np.linalg.solve(M, push)[6:]
    assert np.abs(jump.vertices - expected).max(axis=1).min() < 1e-12


def test_a_service_answers_in_base_axes(hrp4):
    pytest.importorskip("impact_msgs")
    from sensor_msgs.msg import JointState

    from impact_msgs.srv import ComputeFeasibleSets
    from impact_predictor.ros.request_reader import RequestReader

    request = ComputeFeasibleSets.Request()
    request.state = JointState(
        name=list(hrp4.joint_names), position=hrp4.stance.tolist(), velocity=[0.1] * 34
    )
    request.normal.y, request.contact_frame = 1.0, "left_palm"
    request.surface.restitution_high = 0.2
    reader = RequestReader(hrp4)
    state, _, _ = reader.impact(request, None)
    expected = palm(hrp4, dq=np.append(np.zeros(6), np.full(34, 0.1)))
    np.testing.assert_allclose(state.velocity, expected.velocity, atol=1e-12)
    assert state.mass == pytest.approx(11.628, abs=1e-3)  # the palm's chain
    request.contact_frame = "left_sole"
    assert reader.impact(request, None)[0].mass == pytest.approx(38.055, abs=1e-3)


def still_request(robot, kind):
    """A request of either service about HRP-4 in its stance, its joints at rest."""
    from sensor_msgs.msg import JointState

    request = kind.Request()
    request.state = JointState(
        name=list(robot.joint_names), position=robot.stance.tolist(), velocity=[0.0] * 34
    )
    return request


def test_the_velocity_of_the_base_is_that_of_the_palm(hrp4):
    """A robot that drifts as a whole hits as fast as it drifts; one that turns by the lever."""
    pytest.importorskip("impact_msgs")
    from impact_msgs.srv import ComputeFeasibleSets
    from impact_predictor.ros.request_reader import RequestReader

    request = still_request(hrp4, ComputeFeasibleSets)
    request.normal.y, request.contact_frame = 1.0, "left_palm"
    request.base_velocity.linear.y = -0.3
    state, _, _ = RequestReader(hrp4).impact(request, None)
    np.testing.assert_allclose(state.velocity, [0.0, -0.3, 0.0], atol=1e-12)
    request.base_velocity.angular.z = 2.0
    state, _, _ = RequestReader(hrp4).impact(request, None)
    x, y, _ = state.position
    np.testing.assert_allclose(state.velocity, [-2.0 * y, -0.3 + 2.0 * x, 0.0], atol=1e-12)


def test_a_prediction_of_a_drifting_robot_is_that_of_the_library(hrp4):
    pytest.importorskip("impact_msgs")
    from impact_msgs.msg import Contact
    from impact_msgs.srv import PredictImpact
    from impact_predictor.prediction.impact_question import answer
    from impact_predictor.ros.request_reader import RequestReader

    request = still_request(hrp4, PredictImpact)
    contact = Contact(frame="left_palm")
    contact.surface.friction_low = contact.surface.friction_high = 0.4
    contact.normal.y = 1.0
    request.contacts = [contact]
    request.base_velocity.linear.y, request.inertia_uncertainty = -0.3, 0.0
    question, _ = RequestReader(hrp4).prediction(request, None)
    (found,) = answer(question, hrp4, "M").predictions
    dq = np.append([0.0, -0.3, 0.0, 0.0, 0.0, 0.0], np.zeros(34))
    surface = Surface(None, NORMAL, friction=0.4)
    expected = predict(palm(hrp4, "chain", dq), surface, hrp4, inertia="M")
    np.testing.assert_allclose(found.dq_after, expected.dq_after, atol=1e-9)
    assert found.impulse[2] > 0.1


@pytest.mark.parametrize(
    ("name", "linear", "code", "text"),
    [
        ("hrp4", np.nan, "CODE_BAD_STATE", "base_velocity: expected finite numbers, got"),
        ("hrp4", 1e7, "CODE_BAD_STATE", "base_velocity: expected finite numbers, got"),
        ("panda", 0.1, "CODE_OUT_OF_RANGE", "base_velocity: expected 0 of a fixed base, got"),
    ],
)
def test_a_velocity_that_no_base_has_is_one_sentence(name, linear, code, text):
    pytest.importorskip("impact_msgs")
    from sensor_msgs.msg import JointState

    from impact_msgs.srv import ComputeFeasibleSets
    from impact_predictor.ros.error_codes import code_name
    from impact_predictor.ros.request_reader import RequestReader
    from impact_robots import ImpactError

    robot = load_robot(name)
    q = np.zeros(robot.dof) if robot.stance is None else robot.stance
    names = list(robot.joint_names)
    request = ComputeFeasibleSets.Request()
    request.state = JointState(name=names, position=q.tolist(), velocity=[0.0] * robot.dof)
    request.normal.y = 1.0
    request.base_velocity.linear.x = float(linear)
    with pytest.raises(ImpactError, match=text) as raised:
        RequestReader(robot).impact(request, None)
    assert code_name(raised.value) == code


def test_a_stream_of_joint_states_is_predicted(hrp4):
    q, dq = hrp4.stance, np.full(34, 0.1)
    state = palm(hrp4, dq=np.append(np.zeros(6), dq))
    normal = (0.0, -float(np.sign(state.velocity[1])), 0.0)
    surface = Surface(state.position + 0.001 * state.velocity, normal)
    near = NearContact(hrp4, surface, inertia="M+B_rho", distance=0.05, rate=10.0)
    forecast = near.look(0, q, dq)
    (prediction,) = forecast.answer.predictions
    expected = predict(palm(hrp4, "chain", state.dq), surface, hrp4, inertia="M+B_rho")
    np.testing.assert_allclose(prediction.dq_after, expected.dq_after, atol=1e-9)
    assert prediction.effective_mass == pytest.approx(expected.effective_mass)


def test_an_unknown_interval_has_the_length_of_the_velocities(hrp4, monkeypatch):
    def unsolved(*_, **__):
        raise NoImpulseError(np.eye(3), np.zeros(3), 0.3)

    monkeypatch.setattr("impact_predictor.prediction.impact_question.contacts_interval", unsolved)
    contact = RobotContact(palm(hrp4), Surface(None, NORMAL, (0.0, 0.5)))
    found = answer(ImpactQuestion((contact,)), hrp4, "M").interval
    assert found.low.shape == found.high.shape == (len(hrp4.velocity_names),)
    assert np.isnan(found.low).all()


def test_many_predictions_of_a_humanoid_are_the_single_ones(hrp4):
    dq = np.linspace(-0.3, 0.3, hrp4.nv)
    q, surface = hrp4.positions(hrp4.stance), Surface(None, NORMAL, 0.3, 0.1)
    dynamics = ArmDynamics(hrp4, hrp4.composite_of(hrp4.contact_frame))
    speeds = [dq, -dq, 40.0 * dq]  # the last beyond the limits
    batch = predict_many(
        dynamics.many(np.tile(q, (3, 1)), np.array(speeds)), surface, hrp4, inertia="M"
    )
    for i, speed in enumerate(speeds):
        single = predict(dynamics(q, speed), surface, hrp4, inertia="M")
        np.testing.assert_allclose(batch.dq_after[i], single.dq_after, atol=1e-9)
        assert batch.flags[i] == single.flags
