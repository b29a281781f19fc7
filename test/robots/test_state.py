# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One state of a robot tells of any of its points, and stays what it is."""

import pickle

import numpy as np
import pinocchio as pin
import pytest

from impact_robots import COMPOSITES, ArmDynamics, ContactDynamics, RobotError

OFFSET = np.array([0.05, -0.1, 0.02])


@pytest.fixture
def moving(panda):
    """A state in motion."""
    return ArmDynamics(panda).state(panda.stance, np.linspace(-0.6, 0.8, 7))


def by_pinocchio(model, q, dq, name, offset=(0.0, 0.0, 0.0)):
    """Jacobian, drift and placement of a point, by a model that has a frame there."""
    model = model.copy()
    frame = model.frames[model.getFrameId(name)]
    at = frame.placement * pin.SE3(np.eye(3), np.array(offset))
    index = model.addFrame(pin.Frame("point", frame.parentJoint, 0, at, pin.OP_FRAME))
    data, axes = model.createData(), pin.LOCAL_WORLD_ALIGNED
    J = pin.computeFrameJacobian(model, data, q, index, axes)
    pin.forwardKinematics(model, data, q, dq, np.zeros(model.nv))
    pin.updateFramePlacement(model, data, index)
    drift = pin.getFrameClassicalAcceleration(model, data, index, axes).vector
    return J, drift, data.oMf[index]


def check(point, model, offset=(0.0, 0.0, 0.0)):
    J, drift, placement = by_pinocchio(model, point.q, point.dq, point.frame, offset)
    np.testing.assert_allclose(point.J, J, atol=1e-12)
    np.testing.assert_allclose(point.twist, J @ point.dq, atol=1e-12)
    np.testing.assert_allclose(point.drift, drift, atol=1e-12)
    np.testing.assert_allclose(point.rotation, placement.rotation, atol=1e-14)
    np.testing.assert_allclose(point.position, placement.translation, atol=1e-14)


def test_every_frame_is_where_pinocchio_has_it_and_moves_as_it_says(panda, moving):
    for frame in panda.model.frames[1:]:
        check(moving.at(frame.name), panda.model)
    assert moving.at().frame == panda.contact_frame


def test_a_point_beside_a_frame_moves_with_its_link(panda, moving):
    point = moving.at("panda_link4", OFFSET)
    check(point, panda.model, OFFSET)
    assert not point.J[:, 4:].any()  # joints beyond the link do not move it
    again = moving.at("panda_link4", 3.0 * OFFSET).beside(-2.0 * OFFSET)
    np.testing.assert_allclose(again.J, point.J, atol=1e-14)
    np.testing.assert_allclose(again.drift, point.drift, atol=1e-12)


def test_a_floating_base_has_points_too():
    model = pin.buildSampleModelHumanoid()
    random = np.random.default_rng(4)
    q = pin.integrate(model, pin.neutral(model), random.uniform(-1.0, 1.0, model.nv))
    name = model.names[-1]
    frame = pin.Frame("tip", model.njoints - 1, 0, pin.SE3.Random(), pin.OP_FRAME)
    model.addFrame(frame)
    state = ContactDynamics(model, "tip", "all").state(q, random.uniform(-1.0, 1.0, model.nv))
    check(state.at(), model)
    check(state.at("tip", OFFSET), model, OFFSET)
    check(state.at(name), model)


@pytest.mark.parametrize(
    "disturb",
    [
        lambda dynamics, q: dynamics.state(q, np.ones(7)).at("panda_link5"),
        lambda dynamics, q: dynamics.position(q),
        lambda dynamics, q: dynamics.many([q, q], np.ones((2, 7))),
    ],
    ids=["state", "position", "many"],
)
def test_a_state_stays_what_it_was_when_the_next_one_is_computed(panda, disturb):
    dynamics = ArmDynamics(panda)
    first = dynamics.state(panda.stance, np.full(7, 0.3))
    before = first.at("panda_link5", OFFSET)
    held = [np.array(part) for part in (*first[:9], *before[2:])]
    disturb(dynamics, panda.stance + 0.4)
    after = first.at("panda_link5", OFFSET)
    for was, part in zip(held, (*first[:9], *after[2:]), strict=True):
        np.testing.assert_array_equal(part, was)
    disturb(dynamics, panda.stance + 0.4)
    check(first.at("panda_link3"), panda.model)  # asked for the first time


def test_points_cost_no_further_dynamics(panda, moving, monkeypatch):
    for name in ("computeAllTerms", "forwardKinematics", "computeJointJacobians"):
        monkeypatch.setattr(pin, name, None)
    moving.at()
    moving.at("panda_link4", OFFSET)
    with pytest.raises(TypeError):
        ArmDynamics(panda)


def test_a_state_travels_to_another_process(panda, moving):
    there = pickle.loads(pickle.dumps(moving.at()))
    np.testing.assert_array_equal(there.J, moving.at().J)
    check(there.robot_state.at("panda_link4", OFFSET), panda.model, OFFSET)


def test_motors_add_to_the_diagonal_alone(panda, moving):
    np.testing.assert_array_equal(moving.inertia(), moving.M)
    M_B = moving.inertia(panda.apparent_motor_inertia)
    np.testing.assert_array_equal(M_B - moving.M, np.diag(np.diag(M_B - moving.M)))
    np.testing.assert_allclose(np.diag(M_B - moving.M), panda.apparent_motor_inertia)


@pytest.mark.parametrize("offset", [(1.0, 2.0), (np.nan, 0.0, 0.0), 3.0, "up"])
def test_an_offset_that_is_none_is_refused(moving, offset):
    with pytest.raises(RobotError, match="contact offset: expected three finite numbers"):
        moving.at("panda_link4", offset)


def test_a_frame_that_is_none_is_refused_with_the_choices(moving):
    with pytest.raises(RobotError, match=r"expected one of panda_link0, .*, got 'hand'"):
        moving.at("hand")
    with pytest.raises(RobotError, match="expected one of panda_link0"):
        moving.at("universe")


@pytest.mark.parametrize("which", COMPOSITES)
@pytest.mark.parametrize("name", ["panda", "hrp4"])
def test_a_body_is_the_composite_one_of_dynamics(request, name, which):
    robot = request.getfixturevalue(name)
    q, dq = robot.whole(robot.stance, np.zeros(robot.dof))
    point = ArmDynamics(robot, which)(q, dq)
    found = ArmDynamics(robot).state(q, dq).body(robot.contact_frame, which)
    for value, expected in zip(
        found, (point.mass, point.com, point.rotational_inertia), strict=True
    ):
        np.testing.assert_allclose(value, expected, atol=1e-9)
