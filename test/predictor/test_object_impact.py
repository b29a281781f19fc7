# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms with flat plates hit an object: the figures of a prototype, and closed forms."""

import numpy as np
import pytest
import yaml

from impact_predictor import ArmBody, FreeBody, impact_system, simultaneous_impact
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.multicontact.bodies import box
from impact_predictor.multicontact.contacts import BodyContact, Loop, face_points
from impact_predictor.multicontact.object_impact import Footing, Plate, object_impact
from impact_robots import ArmDynamics, robot_of
from impact_robots.description.loader import robot_path
from impact_robots.exceptions import OutOfRangeError
from impact_robots.yaml_file import read_mapping

INERTIAS = {"B0": "M", "Bth": "M+B_theta", "Brho": "M+B_rho"}
DIGITS = 1.2e-4  # the file's four, and those of its configurations [m/s]


@pytest.fixture(scope="module")
def plated():
    """A Panda with the prototype's plate: 0.4 kg, its centre 3 cm behind the face."""
    path = robot_path("panda")
    tool = {"parent": "link8", "mass": 0.4, "radius": 0.05, "com": [0, 0, 0.07]}
    tool["contact_point"] = [0, 0, 0.10]
    return robot_of(path, read_mapping(path) | {"tool": tool})


@pytest.fixture(scope="module")
def worked(derived_data):
    return yaml.safe_load((derived_data / "scenarios_rs.yaml").read_text())


def situation(robot, case, inertia):
    """Return the plates, the object and its support of a worked case."""
    B, dynamics = robot.motor_inertias[inertia], ArmDynamics(robot)
    single = case["arms"] == 1
    bases = [[0, 0, 0]] if single else case["bases"]
    qs, dqs = ([case[key]] if single else case[key] for key in ("q_impact", "dq_impact"))
    plates = {
        f"arm{k}": Plate(ArmBody(dynamics(q, dq), B, base))
        for k, (q, dq, base) in enumerate(zip(qs, dqs, bases, strict=True))
    }
    size, face = np.array(case["box_size"]), plates["arm0"].center
    top = case.get("table_z", case.get("pedestal_z")) + size[2] / 2
    center = np.array([face[0], face[1] - size[1] / 2, top])
    body = box(case["box_mass"], size, center)
    feet = face_points(center - [0, 0, size[2] / 2], np.eye(3), size[:2] / 2)
    return plates, body, Footing(feet) if single else None


PUSHES = ("rs_push_catfood_case2", "rs_push_juice_case1", "rs_push_parcel_case3")
GRABS = ("rs_grab_catfood_case1", "rs_grab_juice_case1")


@pytest.mark.parametrize("name", PUSHES)
@pytest.mark.parametrize("label", INERTIAS)
def test_pushes_are_the_prototypes(plated, worked, name, label):
    case = worked[name]
    given = situation(plated, case, INERTIAS[label])
    points, locked = (object_impact(*given, kind=kind) for kind in ("points", "locked"))
    np.testing.assert_allclose(points.plates["arm0"][:3], case["v_plus_4pt"][label], atol=DIGITS)
    assert locked.plates["arm0"][1] == pytest.approx(case["v_plus_locked_y"][label], abs=DIGITS)
    assert locked.plates["arm0"][2] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", GRABS)
@pytest.mark.parametrize("label", INERTIAS)
def test_grabs_are_the_prototypes(plated, worked, name, label):
    case = worked[name]
    given = situation(plated, case, INERTIAS[label])
    points, locked = (object_impact(*given, kind=kind) for kind in ("points", "locked"))
    np.testing.assert_allclose(locked.body[:3], case["v_plus_locked"][label], atol=DIGITS)
    rises = [twist[2] for twist in points.plates.values()]
    assert np.mean(rises) == pytest.approx(case["v_plus_4pt_ee_z"][label], abs=2 * DIGITS)
    if label == "Bth":
        turns = [twist[3:] for twist in points.plates.values()]
        np.testing.assert_allclose(turns, case["omega_4pt_Bth"], atol=1e-3)


def test_what_is_locked_moves_as_one_and_does_not_turn(plated, worked):
    plates, body, _ = situation(plated, worked[GRABS[0]], "M+B_theta")
    after = object_impact(plates, body)
    for twist in after.plates.values():
        np.testing.assert_allclose(twist, after.body, atol=1e-12)
    np.testing.assert_allclose(after.body[3:], 0.0, atol=1e-12)
    assert after.impact.energy_gain < 0.0


@pytest.mark.parametrize("mass", [0.6, 2.2])
def test_one_arm_and_a_locked_object_are_two_masses(plated, worked, mass):
    """v^+ = m_l v^-/(m_l + m_o), m_l of the arm whose hand may move along the push alone."""
    q, B = worked[PUSHES[0]]["q_impact"], plated.apparent_motor_inertia
    J = ArmDynamics(plated)(q, np.zeros(7)).J
    state = ArmDynamics(plated)(q, np.linalg.pinv(J) @ [0.0, -0.7, 0.0, 0.0, 0.0, 0.0])
    m_l = np.linalg.inv(J @ np.linalg.solve(state.robot_state.inertia(B), J.T))[1, 1]
    body = box(mass, [0.2, 0.2, 0.2], state.position - [0, 0.1, 0])
    weld = Loop(state.position, "arm", "object", closes=True)
    system = impact_system({"arm": ArmBody(state, B), "object": body}, [], [weld])
    rail = np.delete(np.hstack([np.zeros((6, 7)), np.eye(6)]), 1, axis=0)  # all but y
    closed = np.vstack([system.closed, rail])
    after = simultaneous_impact(system.M, np.zeros((0, 13)), system.v, closed=closed)
    assert after.v_after[8] == pytest.approx(-0.7 * m_l / (m_l + mass), rel=1e-9)


def test_rows_that_close_end_at_rest_and_take_up_what_is_lost():
    """Two masses that couple: common velocity, and the impulse is the momentum of one."""
    closed = np.array([[1.0, -1.0]])
    result = simultaneous_impact(np.diag([2.0, 3.0]), np.zeros((0, 2)), [1.0, -0.5], closed=closed)
    np.testing.assert_allclose(result.v_after, [0.1, 0.1], atol=1e-14)
    np.testing.assert_allclose(result.loop_impulses, [2.0 * (0.1 - 1.0)], atol=1e-14)
    assert result.energy_gain == pytest.approx(-(2.0 * 3.0 / 5.0) * 1.5**2 / 2)


def test_contacts_and_closing_rows_act_together():
    """A mass that couples to one on the floor is stopped by the floor, or takes it along."""
    J = np.hstack([np.zeros((3, 3)), np.eye(3)])
    closed = np.hstack([np.eye(3), -np.eye(3)])
    down = simultaneous_impact(np.eye(6), J, [0, 0, -1.0, 0, 0, 0], closed=closed)
    np.testing.assert_allclose(down.v_after, 0.0, atol=1e-12)
    assert down.impulses[0, 2] == pytest.approx(1.0)
    up = simultaneous_impact(np.eye(6), J, [0, 0, 1.0, 0, 0, 0], closed=closed)
    np.testing.assert_allclose(up.v_after[[2, 5]], 0.5, atol=1e-12)
    assert up.impulses[0, 2] == pytest.approx(0.0, abs=1e-12)


def test_a_row_cannot_close_what_a_loop_keeps_open():
    row = np.array([[1.0, -1.0]])
    with pytest.raises(OutOfRangeError, match="closed: expected rows along which the loops keep"):
        simultaneous_impact(np.eye(2), np.zeros((0, 2)), [1.0, 0.0], loops=row, closed=row)
    kept = simultaneous_impact(np.eye(2), np.zeros((0, 2)), [0.5, 0.5], loops=row, closed=row)
    np.testing.assert_allclose(kept.v_after, 0.5)


@pytest.mark.parametrize(
    ("joint", "held"), [("translation", [3, 4, 5]), ("table", [1, 3, 4, 5]), ("ball", [0, 1, 2])]
)
def test_a_joint_that_closes_stops_what_it_holds(joint, held):
    body = FreeBody(2.0, np.eye(3), [0, 0, 0], np.eye(3), [1.0, 2.0, 3.0], [0.1, 0.2, 0.3])
    joint = Loop([0, 0, 0], "body", joint=joint, axis=[0, 3.0, 0], closes=True)
    after = impact_system({"body": body}, [], [joint]).solve().velocities["body"]
    wanted = body.velocity()
    wanted[held] = 0.0
    np.testing.assert_allclose(after, wanted, atol=1e-12)


def test_bad_input_is_named_in_one_line(plated, worked):
    plates, body, _ = situation(plated, worked[GRABS[0]], "M")
    with pytest.raises(UnknownNameError, match="object map: expected one of locked, points, got"):
        object_impact(plates, body, kind="glued")
    with pytest.raises(OutOfRangeError, match="plates: expected at least one"):
        object_impact({}, body)
    with pytest.raises(OutOfRangeError, match="none called 'object'"):
        object_impact({"object": plates["arm0"]}, body)
    with pytest.raises(OutOfRangeError, match="closed: expected rows of 2 numbers"):
        simultaneous_impact(np.eye(2), np.zeros((0, 2)), [1.0, 0.0], closed=[1.0, 0.0])
    with pytest.raises(OutOfRangeError, match="contacts: expected at least one"):
        impact_system({"body": body}, [], [Loop([0, 0, 0], "body")])
    touch = BodyContact([0, 0, 0], [0, 0, 1], "body")
    assert impact_system({"body": body}, [touch], []).closed.shape == (0, 6)
