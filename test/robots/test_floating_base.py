# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Robots whose base floats, with springs, rods, joints without motors and several contacts."""

import numpy as np
import pinocchio as pin
import pytest
import yaml
from other_arms import UR, write_arm

from impact_robots import (
    ArmDynamics,
    OutOfRangeError,
    RobotError,
    floating_position,
    floating_velocity,
    load_robot,
    loop_errors,
    loop_jacobian,
)


@pytest.fixture
def drawn(cassie):
    """A drawn state: q, velocities, dynamics of the whole robot."""
    random = np.random.default_rng(4)
    joints = random.uniform(cassie.limits.position_lower, cassie.limits.position_upper)
    q = floating_position(random.normal(size=3), random.normal(size=4), joints)
    return q, random.normal(size=cassie.nv), ArmDynamics(cassie, "all")


@pytest.fixture
def arm(tmp_path):
    """Write an arm's YAML with other entries, and load it."""

    def load(**entries):
        path = write_arm(tmp_path, UR)
        path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | entries))
        return load_robot(path)

    return load


def test_a_floating_base_adds_six_velocities_and_its_mass(cassie, drawn):
    q, v, dynamics = drawn
    state = dynamics.state(q, v)
    assert (cassie.dof, cassie.nv, len(q)) == (16, 22, 23)
    assert state.mass == pytest.approx(33.0052)
    mass, com = state.whole()
    assert mass == pytest.approx(state.mass)
    np.testing.assert_allclose(com, state.com, atol=1e-12)
    legs = ArmDynamics(cassie).state(q, v)
    assert legs.mass == pytest.approx(33.0052 - 10.33)
    np.testing.assert_allclose(legs.whole()[1], com, atol=1e-12)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", ["hrp4", "panda"])
def test_momentum_changes_without_accelerations_as_pinocchio_says(name, compiled):
    robot, random = load_robot(name), np.random.default_rng(5)
    joints = random.uniform(robot.limits.position_lower, robot.limits.position_upper)
    q = joints
    if robot.base == "floating":
        q = floating_position(random.normal(size=3), random.normal(size=4), joints)
    v = random.normal(size=robot.nv)
    A_G, drift = ArmDynamics(robot, "all", compiled=compiled).state(q, v).momentum()
    data = robot.model.createData()
    expected = pin.computeCentroidalMomentumTimeVariation(
        robot.model, data, q, v, np.zeros(robot.nv)
    )
    np.testing.assert_allclose(drift, expected.vector, atol=1e-11)
    np.testing.assert_allclose(A_G @ v, data.hg.vector, atol=1e-11)


def test_velocities_in_world_axes_move_the_base_as_they_say(cassie, drawn):
    q, _, dynamics = drawn
    v = floating_velocity(q, [0.1, 0.2, 0.3], [0.4, -0.5, 0.6], np.zeros(cassie.dof))
    pelvis = dynamics.state(q, v).at("pelvis")
    np.testing.assert_allclose(pelvis.twist, [0.1, 0.2, 0.3, 0.4, -0.5, 0.6], atol=1e-12)


@pytest.mark.parametrize("quaternion", [np.zeros(4), [0, 0, 1]])
def test_what_is_no_orientation_is_refused(quaternion):
    with pytest.raises(OutOfRangeError, match="quaternion"):
        floating_position(np.zeros(3), quaternion, np.zeros(16))


def test_motors_move_joints_alone(cassie):
    motors = cassie.motor_inertias
    assert [*motors] == ["M", "M+B_rho"]
    assert not motors["M+B_rho"][:6].any()
    driven = {name for name, x in zip(cassie.joint_names, motors["M+B_rho"][6:], strict=True) if x}
    assert driven == set(cassie.joint_names) - set(cassie.passive)


def test_loop_rows_are_the_rate_of_the_rods_lengths(cassie, drawn):
    q, v, dynamics = drawn
    step = 1e-6
    rates = loop_jacobian(cassie.loops, dynamics.state(q, v)) @ v
    ahead, behind = (
        loop_errors(
            cassie.loops, dynamics.state(pin.integrate(cassie.model, q, sign * step * v), v)
        )
        for sign in (1.0, -1.0)
    )
    np.testing.assert_allclose((ahead - behind) / (2 * step), rates, atol=1e-7)


def test_contacts_are_frames_and_faces_have_corners(arm):
    sole = {"frame": "tip", "offset": [0, 0, 0.1], "half_extents": [0.2, 0.1]}
    robot = arm(contacts={"sole": sole, "heel": {"frame": "link3", "composite": "chain"}})
    assert robot.contact_frame == "tool_contact"  # that of the tool stays the robot's own
    state = ArmDynamics(robot).state(robot.stance, np.zeros(6))
    expected = state.at("tip", [0, 0, 0.1]).position
    np.testing.assert_allclose(state.at("sole").position, expected, atol=1e-12)
    point, face = robot.contacts
    assert face.points.tolist() == [
        [0.2, 0.1, 0.0],
        [-0.2, 0.1, 0.0],
        [-0.2, -0.1, 0.0],
        [0.2, -0.1, 0.0],
    ]
    assert (point.points.tolist(), point.composite) == ([[0.0, 0.0, 0.0]], "chain")


def test_any_arm_may_float(tmp_path):
    (tmp_path / "free.yaml").write_text("{like: panda, name: free, base: floating}")
    fixed, floating = load_robot("panda"), load_robot(tmp_path / "free.yaml")
    dq = np.linspace(-1.0, 1.0, 7)
    at_rest = ArmDynamics(fixed, "all").state(fixed.stance, dq)
    q = floating_position(np.zeros(3), [0, 0, 0, 1], fixed.stance)
    state = ArmDynamics(floating, "all").state(q, np.append(np.zeros(6), dq))
    np.testing.assert_allclose(state.M[6:, 6:], at_rest.M, atol=1e-12)
    np.testing.assert_allclose(state.h[6:], at_rest.h, atol=1e-12)
    total = sum(inertia.mass for inertia in floating.model.inertias)
    assert state.M[:3, :3] == pytest.approx(total * np.eye(3))


def test_a_ball_joint_holds_its_points_together(arm):
    ball = {"a": "tip", "point_a": [0, 0, 0.1], "b": "link0", "point_b": [0, 0, 0]}
    robot = arm(loops=[ball])
    state = ArmDynamics(robot).state(robot.stance, np.zeros(6))
    np.testing.assert_allclose(loop_jacobian(robot.loops, state), state.at().J[:3], atol=1e-12)
    assert loop_errors(robot.loops, state) == pytest.approx([np.linalg.norm(state.at().position)])


@pytest.mark.parametrize("who", ["impact_qp", "impact_sim", "plan", "map", "export"])
def test_who_moves_arms_alone_says_so(cassie, who):
    with pytest.raises(RobotError, match=f"{who} needs a fixed base, a motor at every joint"):
        cassie.require(who)


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ({"base": "flying"}, "base: expected one of fixed, floating, got 'flying'"),
        ({"contacts": ["tip"]}, "contacts: expected names, each with entries frame, offset"),
        ({"contacts": {"sole": {}}}, "entry 'contacts.sole.frame' is missing"),
        ({"contacts": {"tip": {"frame": "tip"}}}, "expected a name no frame has, got 'tip'"),
        (
            {"contacts": {"sole": {"frame": "tip", "composite": "some"}}},
            "contacts.sole.composite: expected one of moving, all, chain, got 'some'",
        ),
        ({"passive": ["knee"]}, "passive: expected some of joint1, joint2"),
        ({"springs": {"knee": 3}}, "springs.'knee': expected one of joint1, joint2"),
        ({"springs": {"joint2": 0}}, "springs.joint2: expected a finite number above 0, got 0"),
        ({"loops": [{"a": "tip"}]}, "entry 'loops[0].b' is missing"),
        ({"loops": "rod"}, "loops: expected a list of entries a, point_a, b, point_b, length"),
        (
            {"reflected_motor_inertia": [0, 1, 1, 1, 1, 1]},
            "reflected_motor_inertia: expected 6 finite numbers above 0",
        ),
        (
            {"reflected_motor_inertia": [-1, 1, 1, 1, 1, 1], "passive": ["joint1"]},
            "reflected_motor_inertia: expected 6 finite numbers of at least 0",
        ),
    ],
)
def test_a_wrong_entry_is_one_line(arm, entries, line):
    with pytest.raises(RobotError) as caught:
        arm(**entries)
    assert line in str(caught.value)


def test_a_passive_joint_needs_no_motor_inertia(arm):
    robot = arm(passive=["joint1"], reflected_motor_inertia=[0, 1, 1, 1, 1, 1])
    assert robot.motor_inertias["M+B_rho"][0] == 0.0
