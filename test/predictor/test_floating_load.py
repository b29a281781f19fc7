# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint loads of a robot that stands, and contacts with a linear spring and damper."""

from dataclasses import replace

import numpy as np
import pytest
from hrp4_on_its_feet import SOLES, grabbing, hrp4

from impact_predictor.contact_force.linear_contact import LinearContact, linear_restitution
from impact_predictor.exceptions import PredictionError
from impact_predictor.inertia.inverse_inertia import held_inverse
from impact_predictor.joint_load.drive import can_load, drive_of
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.joint_load.load import LoadContact, joint_load
from impact_predictor.joint_load.object_load import FaceContact, ObjectLoad
from impact_predictor.multicontact.bodies import ArmBody, box
from impact_predictor.multicontact.object_impact import Plate
from impact_qp.body.palms.palm_loads import palm_hit
from impact_robots import ArmDynamics, load_robot
from impact_robots.task.find import find_task

HELD = FaceContact(1e5, 0.2, 0.79)


@pytest.fixture(scope="module")
def standing():
    q = grabbing(0.15)
    return ArmDynamics(hrp4(), "all").state(q, np.zeros(hrp4().nv))


@pytest.fixture(scope="module")
def hit():
    return palm_hit(hrp4(), find_task("qp_hrp4_grab"))


def loads(hit, body=None, contact=HELD, **options):
    system = ObjectLoad(hit.robots, hit.plates, body or hit.body(1.08), interface="position")
    return system.loads(contact, **options)


def test_held_soles_stay_and_the_rest_moves_as_with_their_forces(standing):
    """Against the equations of motion with the soles' forces as unknowns."""
    S = np.vstack([standing.at(sole).J for sole in SOLES])
    inverse = held_inverse(standing.M, [S[:6], S[6:]])
    force = np.random.default_rng(0).normal(size=hrp4().nv)
    n, k = hrp4().nv, len(S)
    whole = np.block([[standing.M, -S.T], [S, np.zeros((k, k))]])
    expected = np.linalg.solve(whole, np.append(force, np.zeros(k)))[:n]
    np.testing.assert_allclose(inverse @ force, expected, atol=1e-9)
    np.testing.assert_allclose(S @ inverse, 0.0, atol=1e-9)
    np.testing.assert_allclose(held_inverse(standing.M, []), np.linalg.inv(standing.M))


def test_the_base_has_no_spring_and_the_joints_those_of_the_yaml(standing):
    robot = hrp4()
    scale = np.full((3, robot.dof), 0.5)
    arm = elastic_arm(robot, standing, "servo").scaled(scale)
    for name in ("stiffness", "damping"):
        values = getattr(arm, name)
        assert not values[:6].any()
        np.testing.assert_allclose(values[6:], 0.5 * getattr(robot, f"joint_{name}"))
    np.testing.assert_allclose(arm.motor_inertia[6:], 0.5 * robot.reflected_motor_inertia)
    np.testing.assert_allclose(arm.servo_stiffness[6:], robot.servo_stiffness)


def test_a_servo_needs_no_apparent_inertia_and_a_torque_loop_does():
    robot = hrp4()
    assert drive_of(robot, "position") == "servo" and not can_load(robot)
    with pytest.raises(PredictionError, match="'apparent_motor_inertia'"):
        drive_of(robot, "torque")
    with pytest.raises(PredictionError, match="'servo_stiffness'"):
        drive_of(replace(robot, servo_stiffness=None), "position")


def test_palms_that_mirror_each_other_load_a_robot_alike(hit):
    """Both names stand for the same joints; left and right ones differ as the links' figures do."""
    found = loads(hit)
    left, right = found["left_palm"], found["right_palm"]
    for one, other in zip(left, right, strict=True):
        np.testing.assert_array_equal(one, other)
    change = np.maximum(left.highest, -left.lowest)
    names = hrp4().joint_names
    for joint in ("WRIST_R", "SHOULDER_R", "ELBOW_P"):
        pair = [change[names.index(f"{side}_{joint}")] for side in "LR"]
        assert pair[0] == pytest.approx(pair[1], rel=0.04)
        assert pair[0] > 1.0


def test_an_arm_that_does_not_hit_feels_little_of_the_other_ones_hit(hit):
    alone = loads(hit.only(["left_palm"]))["left_palm"]
    change = np.maximum(alone.highest, -alone.lowest)
    names = hrp4().joint_names
    left, right = (change[names.index(f"{side}_WRIST_R")] for side in "LR")
    assert right < 0.1 * left


def test_a_palm_whose_corners_come_one_after_the_other_hits_softer(hit):
    """Of a damper that pushes at once, at .2 m/s."""
    damped = FaceContact(1.6e5, 0.0, 0.7, damping=860.0)
    corners = {name: np.array([0.0, 0.0, 2e-3, 2e-3]) for name in hit.plates}
    flat, tilted = (
        loads(hit, contact=damped, scale=0.2, delays=delays) for delays in (None, corners)
    )
    names = hrp4().joint_names
    wrist = names.index("L_WRIST_R")
    high, low = (
        np.maximum(each["left_palm"].highest, -each["left_palm"].lowest)[wrist]
        for each in (flat, tilted)
    )
    assert 0.5 * high < low < 0.97 * high


def test_a_servo_that_is_sent_back_presses_less(hit):
    """The command of the joints is a torque: here one that takes the palms off the box."""
    away = np.zeros((120, hrp4().dof))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        away[40:, hrp4().joint_names.index(f"{side}_SHOULDER_R")] = 20.0 * sign
    pressed, released = (
        loads(hit, command=command)["left_palm"] for command in (None, {"left_palm": away})
    )
    joint = hrp4().joint_names.index("L_SHOULDER_R")
    assert pressed.lowest[joint] < 1.1 * released.lowest[joint] < 0.0


@pytest.mark.parametrize("ratio", [0.1, 0.5, 1.5])
def test_a_linear_spring_and_damper_rebounds_as_its_closed_form(ratio):
    """A free mass of 2 kg at 0.3 m/s; the force only pushes."""
    mass, k, speed = 2.0, 1e5, 0.3
    one, zero = np.ones(1), np.zeros(1)
    body = ElasticArm(np.eye(1) / mass, zero, zero, one, one, zero, zero, zero, zero, zero, 0.5)
    law = LinearContact(k, 2.0 * ratio * np.sqrt(k * mass))
    J, before = np.array([[0.0], [0.0], [1.0]]), np.array([0.0, 0.0, -speed])
    found = joint_load(body, [LoadContact(J, before, law, 0.0)])
    expected = mass * speed * (1.0 + linear_restitution(ratio))
    assert found.impulse[0, 2] == pytest.approx(expected, rel=0.01)
    assert found.peak_force[0] >= 0.9 * law.damping * speed


def test_plates_of_two_arms_stay_apart():
    """Arms in states of their own are two robots, even if they are alike."""
    robot = load_robot("panda_plate")
    state = ArmDynamics(robot)(robot.stance, np.zeros(7))
    again = ArmDynamics(robot)(robot.stance, np.zeros(7))
    plates = {"a": Plate(ArmBody(state)), "b": Plate(ArmBody(again))}
    body = box(1.0, (0.2, 0.2, 0.2), np.zeros(3))
    system = ObjectLoad(dict.fromkeys(plates, robot), plates, body)
    still = system.loads(HELD)
    assert set(still) == {"a", "b"} and not np.any([*still["a"], *still["b"]])
    assert len(system._system.stiffness) == 2 * 7 + 6
