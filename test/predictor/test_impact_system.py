# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Robots, objects and the world in one impact: pushing, grabbing, welded loads."""

import numpy as np
import pytest

from impact_predictor import ArmBody, BodyContact, ContactMode, Flag, FreeBody, impact_system
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.multicontact.bodies import box
from impact_predictor.multicontact.contacts import WORLD, Loop, face_points
from impact_robots import RobotError, contact_rotation
from impact_robots.exceptions import OutOfRangeError

PUSH = np.array([1.196, 0.688, -1.122, -2.096, -1.014, 1.888, 0.718])  # tool points along -y
SIZE = np.array([0.16, 0.10, 0.20])
MODELS = ("M", "M+B_theta", "M+B_rho")


@pytest.fixture(scope="module")
def pushing(panda_dynamics):
    """A Panda whose tool moves along -y at 0.7 m/s without turning."""
    J = panda_dynamics(PUSH, np.zeros(7)).J
    return panda_dynamics(PUSH, np.linalg.pinv(J) @ [0, -0.7, 0, 0, 0, 0])


def rotation_about_z(angle):
    """Return a rotation matrix."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def face(center, normal, a, b, half=0.03, **coefficients):
    """Return four contacts at the corners of a square face."""
    points = face_points(center, contact_rotation(normal), [half, half])
    return [BodyContact(point, normal, a, b, **coefficients) for point in points]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_hit_and_push_through_the_centre_is_the_collision_of_two_masses(
    panda, pushing, model, restitution
):
    mass, B = 1.3, panda.motor_inertias[model]
    J_n = pushing.J[1]
    effective = 1 / (J_n @ np.linalg.solve(pushing.M + np.diag(B), J_n))
    parcel = box(mass, SIZE, pushing.position - [0.0, SIZE[1] / 2, 0.0])
    bodies = {"arm": ArmBody(pushing, B), "parcel": parcel}
    touch = BodyContact(pushing.position, [0, 1, 0], "arm", "parcel", restitution=restitution)
    result = impact_system(bodies, [touch]).solve()
    common = effective * 0.7 / (effective + mass)
    parcel_after = common * (1 + restitution)
    np.testing.assert_allclose(
        result.velocities["parcel"], [0, -parcel_after, 0, 0, 0, 0], atol=1e-12
    )
    arm_after = J_n @ result.velocities["arm"]
    assert arm_after == pytest.approx(-parcel_after + restitution * 0.7)
    assert result.impact.impulses[0, 2] == pytest.approx(mass * parcel_after)


def test_a_flat_face_pushes_like_more_mass_than_its_middle(panda, pushing):
    """A point lets the hand turn away, a face does not."""
    parcel = box(2.2, SIZE, pushing.position - [0.0, SIZE[1] / 2, 0.0])
    bodies = {"arm": ArmBody(pushing, panda.apparent_motor_inertia), "parcel": parcel}
    point = BodyContact(pushing.position, [0, 1, 0], "arm", "parcel", friction=0.8)
    flat = face(pushing.position, [0, 1, 0], "arm", "parcel", friction=0.8)
    by_point, by_face = (
        -impact_system(bodies, contacts).solve().velocities["parcel"][1]
        for contacts in ([point], flat)
    )
    assert by_point * 1.01 < by_face < 0.7


def test_a_parcel_pushed_along_a_table_takes_up_its_impulses(panda, pushing):
    """What the parcel's momentum changes by is what its contacts gave it, forces and moments."""
    center = pushing.position - [0.0, SIZE[1] / 2, 0.02]
    parcel = box(1.3, SIZE, center)
    bodies = {"arm": ArmBody(pushing, panda.apparent_motor_inertia), "parcel": parcel}
    contacts = face(pushing.position, [0, 1, 0], "arm", "parcel", friction=0.8)
    table = face_points(center - [0, 0, SIZE[2] / 2], np.eye(3), SIZE[:2] / 2)
    contacts += [BodyContact(foot, [0, 0, 1], "parcel", WORLD, friction=0.3) for foot in table]
    system = impact_system(bodies, contacts)
    result = system.solve()
    wrench = np.zeros(6)
    for contact, iota in zip(contacts, result.impact.impulses, strict=True):
        push = contact.rotation() @ iota * (1.0 if contact.a == "parcel" else -1.0)
        wrench += np.append(push, np.cross(contact.point - center, push))
    np.testing.assert_allclose(parcel.inertia() @ result.velocities["parcel"], wrench, atol=1e-12)
    assert result.impact.energy_gain < 0.0
    assert Flag.ENERGY_GAIN not in result.impact.flags
    assert max(result.impact.residuals) <= 1e-10


def grab(panda, dynamics, model, contacts_of, gap=0.10):
    """Return the impact of two equal arms that lift a box between them."""
    q = PUSH
    J = dynamics(q, np.zeros(7)).J
    state = dynamics(q, np.linalg.pinv(J) @ [0, -0.35, 0.5, 0, 0, 0])
    center = state.position - [0.0, gap / 2, 0.0]
    half_turn = rotation_about_z(np.pi)
    B = panda.motor_inertias[model]
    bodies = {
        "right": ArmBody(state, B),
        "left": ArmBody(state, B, center - half_turn @ center, half_turn),
        "box": box(1.3, [0.16, gap, 0.2], center),
    }
    side = np.array([0.0, gap / 2, 0.0])
    contacts = contacts_of(center + side, [0, 1, 0], "right", "box")
    contacts += contacts_of(center - side, [0, -1, 0], "left", "box")
    return impact_system(bodies, contacts).solve()


@pytest.mark.parametrize("model", MODELS)
def test_two_arms_that_grab_symmetrically_lift_straight(panda, panda_dynamics, model):
    def flat(center, normal, a, b):
        return face(center, normal, a, b, friction=0.8)

    result = grab(panda, panda_dynamics, model, flat)
    after = result.velocities
    np.testing.assert_allclose(after["left"], after["right"], atol=1e-9)
    np.testing.assert_allclose(after["box"][[0, 1]], 0.0, atol=1e-9)
    np.testing.assert_allclose(after["box"][3:5], 0.0, atol=1e-9)
    assert 0.0 < after["box"][2] < 0.5
    assert np.all(result.impact.velocities_after[:, 2] >= -1e-9)  # nothing penetrates
    pressed = [mode is not ContactMode.NONE for mode in result.impact.modes]
    np.testing.assert_allclose(result.impact.velocities_after[pressed, 2], 0.0, atol=1e-9)
    assert any(pressed[:4]) and any(pressed[4:])


def test_in_a_grab_points_overstate_what_the_motors_matter(panda, panda_dynamics):
    """Points let the hands and the box turn; a face, the larger the more, does not."""

    def lift(contacts_of, model):
        return grab(panda, panda_dynamics, model, contacts_of).velocities["box"][2]

    def flat(center, normal, a, b):
        return face(center, normal, a, b, half=0.05, friction=0.8)

    def point(center, normal, a, b):
        return [BodyContact(center, normal, a, b, friction=0.8)]

    faces, points = (lift(kind, "M+B_rho") / lift(kind, "M+B_theta") for kind in (flat, point))
    assert 0.98 < faces < 1.02
    assert 1.14 < points < 1.38


def test_where_the_world_is_looked_at_from_does_not_matter(panda, pushing):
    turn, shift = rotation_about_z(0.7), np.array([1.0, -2.0, 0.5])

    def pushed(R, p):
        center = pushing.position - [0.0, SIZE[1] / 2, 0.03]
        parcel = box(1.3, SIZE, R @ center + p, rotation=R)
        arm = ArmBody(pushing, panda.apparent_motor_inertia, p, R)
        contacts = face(R @ pushing.position + p, R @ [0, 1, 0], "arm", "parcel", friction=0.2)
        return impact_system({"arm": arm, "parcel": parcel}, contacts).solve().velocities

    here, there = pushed(np.eye(3), np.zeros(3)), pushed(turn, shift)
    np.testing.assert_allclose(there["arm"], here["arm"], atol=1e-9)
    for part in (slice(0, 3), slice(3, 6)):
        np.testing.assert_allclose(there["parcel"][part], turn @ here["parcel"][part], atol=1e-9)


def test_a_load_welded_to_the_hand_adds_its_inertia_to_the_arms(pushing):
    load = box(1.0, [0.1, 0.1, 0.1], pushing.position - [0.0, 0.05, 0.0])
    J = pushing.J.copy()
    J[:3] += np.cross(pushing.J[3:].T, [0.0, -0.05, 0.0]).T  # of the load's centre
    load = box(
        1.0,
        [0.1, 0.1, 0.1],
        load.position,
        linear_velocity=J[:3] @ pushing.dq,
        angular_velocity=J[3:] @ pushing.dq,
    )
    hit = pushing.position - [0.0, 0.1, 0.0]
    bodies = {"arm": ArmBody(pushing), "load": load}
    welded = impact_system(
        bodies,
        [BodyContact(hit, [0, 1, 0], "load", friction=0.3)],
        [Loop(pushing.position, "load", "arm")],
    ).solve()
    heavier = pushing._replace(
        robot_state=pushing.robot_state._replace(M=pushing.M + J.T @ load.inertia() @ J)
    )
    alone = impact_system(
        {"arm": ArmBody(heavier)}, [BodyContact(hit, [0, 1, 0], "arm", friction=0.3)]
    ).solve()
    np.testing.assert_allclose(welded.velocities["arm"], alone.velocities["arm"], atol=1e-10)
    np.testing.assert_allclose(welded.impact.impulses, alone.impact.impulses, atol=1e-10)
    np.testing.assert_allclose(welded.velocities["load"], J @ welded.velocities["arm"], atol=1e-10)
    np.testing.assert_allclose(welded.impact.loop_velocity, 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("joint", "turns"), [("weld", [0, 0, 0]), ("hinge", [0, 1, 0]), ("ball", [1, 1, 1])]
)
def test_a_joint_lets_turn_what_it_should(joint, turns):
    """Hit off its centre about all three axes, a body joined to the world turns where it can."""
    body = box(1.0, [0.2, 0.2, 0.2], [0, 0, 0], angular_velocity=[0.0, 0.0, 0.0])
    pushed = FreeBody(0.5, np.eye(3), [0.1, 0.1, 0.3], linear_velocity=[-0.4, -0.9, -1.0])
    result = impact_system(
        {"body": body, "pushed": pushed},
        [BodyContact([0.1, 0.1, 0.1], [0, 0, 1], "pushed", "body", friction=2.0)],
        [Loop([0, 0, 0], "body", joint=joint, axis=[0, 2.0, 0])],
    ).solve()
    twist = result.velocities["body"]
    np.testing.assert_allclose(twist[:3], 0.0, atol=1e-12)
    assert [bool(abs(rate) > 1e-6) for rate in twist[3:]] == [bool(turn) for turn in turns]


def test_two_free_boxes_keep_their_momentum_together():
    left = box(1.0, [0.1, 0.2, 0.1], [0, 0, 0], linear_velocity=[1, 0, 0])
    right = box(3.0, [0.1, 0.1, 0.1], [0.1, 0.04, 0], angular_velocity=[0, 0, 1])
    touch = BodyContact(
        [0.05, 0.03, 0.0], [1, 0, 0], "right", "left", friction=0.3, restitution=0.5
    )
    after = impact_system({"left": left, "right": right}, [touch]).solve().velocities

    def momentum(velocities):
        sides = (("left", left), ("right", right))
        push = [body.inertia() @ velocities[name] for name, body in sides]
        spin = [
            np.cross(body.position, p[:3]) + p[3:] for (_, body), p in zip(sides, push, strict=True)
        ]
        return np.concatenate([sum(p[:3] for p in push), sum(spin)])

    before = {"left": left.velocity(), "right": right.velocity()}
    np.testing.assert_allclose(momentum(after), momentum(before), atol=1e-12)


def test_a_contact_elsewhere_on_the_arm_takes_its_own_jacobian(panda, pushing):
    arm = {"arm": ArmBody(pushing, panda.apparent_motor_inertia)}
    default = impact_system(arm, [BodyContact(pushing.position, [0, 1, 0], "arm")]).solve()
    given = impact_system(
        arm, [BodyContact(pushing.position, [0, 1, 0], "arm", jacobian_a=pushing.J[:3])]
    ).solve()
    np.testing.assert_array_equal(given.velocities["arm"], default.velocities["arm"])
    elbow = np.zeros((3, 7))
    elbow[1, 0] = 0.4
    other = BodyContact(pushing.position, [0, 1, 0], "arm", jacobian_a=elbow)
    block = BodyContact(pushing.position, [0, -1, 0], WORLD, "arm", jacobian_b=elbow)
    np.testing.assert_allclose(
        impact_system(arm, [other]).J[2], impact_system(arm, [block]).J[2], atol=1e-15
    )


def test_a_face_has_its_corners_where_they_belong():
    points = face_points([1, 2, 3], contact_rotation([0, 1, 0]), [0.1, 0.2])
    np.testing.assert_allclose(points[:, 1], 2.0)
    np.testing.assert_allclose(points.mean(axis=0), [1, 2, 3])
    np.testing.assert_allclose(np.ptp(points, axis=0), [0.2, 0.0, 0.4], atol=1e-12)


BOX = {"box": box(1.0, [0.1, 0.1, 0.1], [0, 0, 0], linear_velocity=[0, 0, -1])}
FOOT = BodyContact([0, 0, -0.05], [0, 0, 1], "box")


@pytest.mark.parametrize(
    ("problem", "error", "message"),
    [
        (lambda: impact_system(BOX, []), OutOfRangeError, "contacts: expected at least one"),
        (
            lambda: impact_system({"world": BOX["box"]}, [FOOT]),
            OutOfRangeError,
            "bodies: expected names other than 'world'",
        ),
        (
            lambda: impact_system(BOX, [BodyContact([0, 0, 0], [0, 0, 1], "crate")]),
            UnknownNameError,
            "body: expected one of box, world, got 'crate'",
        ),
        (
            lambda: impact_system(BOX, [BodyContact([0, 0, 0], [0, 0, 1], "box", "box")]),
            OutOfRangeError,
            "contacts and loops: expected two bodies, got box and box",
        ),
        (
            lambda: impact_system(BOX, [BodyContact([0, 0], [0, 0, 1], "box")]),
            OutOfRangeError,
            r"point: expected finite numbers of shape \(3,\)",
        ),
        (
            lambda: BodyContact([0, 0, 0], [0, 0, 1], "box", friction=-0.1),
            OutOfRangeError,
            "friction: expected a finite number, at least 0, got -0.1",
        ),
        (
            lambda: BodyContact([0, 0, 0], [0, 0, 1], "box", restitution=1.1),
            OutOfRangeError,
            "restitution: expected a number from 0 to 1, got 1.1",
        ),
        (
            lambda: BodyContact([0, 0, 0], [0, 0, 0], "box"),
            RobotError,
            "normal: expected three finite numbers",
        ),
        (
            lambda: impact_system(
                BOX, [BodyContact([0, 0, 0], [0, 0, 1], "box", jacobian_a=np.eye(3))]
            ),
            OutOfRangeError,
            r"jacobian of box: expected finite numbers of shape \(3, 6\)",
        ),
        (
            lambda: impact_system(BOX, [FOOT], [Loop([0, 0, 0], "box", joint="glue")]),
            UnknownNameError,
            "joint: expected one of weld, hinge, ball, translation, table, got 'glue'",
        ),
        (lambda: box(0.0, [1, 1, 1], [0, 0, 0]), OutOfRangeError, "mass: expected"),
        (lambda: box(1.0, [1, 0, 1], [0, 0, 0]), OutOfRangeError, "size: expected three numbers"),
        (
            lambda: face_points([0, 0, 0], np.eye(3), [0.1, 0.0]),
            OutOfRangeError,
            "half_extents: expected two numbers above 0",
        ),
    ],
)
def test_bad_input_is_named_in_one_line(problem, error, message):
    with pytest.raises(error, match=message) as caught:
        problem()
    assert "\n" not in str(caught.value)


def test_motor_inertia_of_the_wrong_size_is_named(pushing):
    arm = {"arm": ArmBody(pushing, [0.1, 0.2])}
    with pytest.raises(OutOfRangeError, match="motor_inertia"):
        impact_system(arm, [BodyContact(pushing.position, [0, 1, 0], "arm")])
