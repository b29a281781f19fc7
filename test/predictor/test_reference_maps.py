# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Maps of references: one step of MuJoCo beside the laws, where they agree and where not."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from impact_predictor import ArmBody
from impact_predictor.exceptions import EngineError, UnknownNameError
from impact_predictor.multicontact import mujoco_step
from impact_predictor.multicontact.bodies import box
from impact_predictor.multicontact.object_impact import Footing, Plate
from impact_predictor.multicontact.reference_maps import REFERENCE_MAPS, reference_impact
from impact_qp.arms.object_hits import box_footing, box_plates
from impact_robots import ContactDynamics
from impact_robots.cell import turned
from impact_robots.exceptions import OutOfRangeError
from impact_robots.task.box_file import load_box_task

pytest.importorskip("mujoco")
PUSH, GRAB = "rs_push_catfood_case2", "rs_grab_catfood_case1"
SOFT = 0.005  # of the closing speed: MuJoCo's contacts give


def situation(name, **plate):
    """Return the plates, the object and its support of a task, the plates with other values."""
    task = load_box_task(name)
    plates = {key: replace(each, **plate) for key, each in box_plates(task).items()}
    body = box(task.box_mass, task.box_size, task.box_position, rotation=task.box_rotation)
    return plates, body, box_footing(task)


def faster(plates, factor):
    """Return plates whose arms move ``factor`` times as fast."""
    moved = {}
    for name, plate in plates.items():
        state = plate.arm.state
        dynamics = ContactDynamics(state.robot_state.memory.model, state.frame)
        arm = replace(plate.arm, state=dynamics(state.q, factor * state.dq))
        moved[name] = replace(plate, arm=arm)
    return moved


def stacked(found):
    return np.concatenate([*found.plates.values(), found.body, *found.joints.values()])


def closing(plates):
    """Return the fastest plate's speed along its axis [m/s]."""
    moving = ((each, each.arm.jacobian(each.center) @ each.arm.velocity()) for each in plates)
    return max(twist[:3] @ each.axes[:, 2] for each, twist in moving)


@pytest.mark.parametrize("name", [PUSH, GRAB])
@pytest.mark.parametrize("kind", REFERENCE_MAPS)
def test_every_map_is_homogeneous(name, kind):
    """Slowed references keep the map: half and twice the velocity before, and after."""
    plates, body, support = situation(name)
    usual = stacked(reference_impact(plates, body, support, kind=kind))
    assert np.abs(usual).max() > 0.1
    for factor in (0.5, 2.0):
        found = reference_impact(faster(plates, factor), body, support, kind=kind)
        np.testing.assert_allclose(stacked(found), factor * usual, atol=1e-7)


@pytest.mark.parametrize("name", [PUSH, GRAB])
def test_without_friction_the_step_is_the_law(name):
    plates, body, support = situation(name, friction=0.0)
    if support is not None:
        support = replace(support, friction=0.0)
    law, step = (
        reference_impact(plates, body, support, kind=kind) for kind in ("points", "mujoco")
    )
    speed = closing(plates.values())
    for key in plates:
        np.testing.assert_allclose(step.plates[key][:3], law.plates[key][:3], atol=SOFT * speed)
    np.testing.assert_allclose(step.body[:3], law.body[:3], atol=SOFT * speed)


def test_a_point_without_friction_is_two_masses():
    """v^+ = m v^-/(m + m_o) along the normal, 1/m = n^T J (M + B)^-1 J^T n."""
    plates, body, _ = situation(PUSH, friction=0.0, half_extents=(1e-5, 1e-5))
    ((name, plate),) = plates.items()
    body = box(body.mass, [0.2, 0.2, 0.2], plate.center + 0.1 * plate.axes[:, 2])
    found = reference_impact({name: plate}, body, kind="mujoco")
    n = plate.axes[:, 2]
    rows = plate.arm.jacobian(plate.center)[:3]
    mass = 1.0 / (n @ rows @ np.linalg.solve(plate.arm.inertia(), rows.T) @ n)
    wanted = mass * (n @ rows @ plate.arm.velocity()) / (mass + body.mass)
    assert n @ found.body[:3] == pytest.approx(wanted, rel=1e-3)
    assert n @ found.plates[name][:3] == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("name", [PUSH, GRAB])
def test_the_step_keeps_momentum(name):
    """What arms lose, as seen at their plates, the object on nothing gets, about its centre."""
    plates, body, _ = situation(name)
    found = reference_impact(plates, body, kind="mujoco")
    gained = body.inertia() @ (found.body - body.velocity())
    lost = np.zeros(6)
    for key, plate in plates.items():
        J = plate.arm.jacobian(plate.center)
        Lambda = np.linalg.inv(J @ np.linalg.solve(plate.arm.inertia(), J.T))
        wrench = Lambda @ (J @ plate.arm.velocity() - found.plates[key])
        lost[:3] += wrench[:3]
        lost[3:] += wrench[3:] + np.cross(plate.center - np.asarray(body.position), wrench[:3])
    np.testing.assert_allclose(gained, lost, atol=1e-6)
    assert np.abs(lost).max() > 0.05


def test_what_slides_on_a_table_lifts_off():
    """The convex relaxation: v_n = mu |v_T| at a loaded foot, where Coulomb's law has none."""
    plates, body, support = situation(PUSH)
    step = reference_impact(plates, body, support, kind="mujoco")
    feet = np.array([body.jacobian(point)[:3] @ step.body for point in support.points])
    lift = feet[:, 2] - support.friction * np.linalg.norm(feet[:, :2], axis=1)
    assert np.abs(lift).min() < 1e-3 and step.body[2] > 0.1
    law = reference_impact(plates, body, support, kind="points")
    assert abs(law.body[2]) < 0.03


def test_a_turned_cell_has_turned_velocities():
    """Arms on turned bases, an object of its own axes, a support: all by 0.7 rad."""
    plates, body, support = situation(PUSH)
    R = turned(0.7)
    about = {}
    for name, plate in plates.items():
        arm, at = plate.arm, R @ np.asarray(plate.arm.base_position)
        about[name] = Plate(
            ArmBody(arm.state, arm.motor_inertia, at, R), plate.half_extents, plate.friction
        )
    moved = replace(body, position=R @ body.position, rotation=R @ body.rotation)
    feet = Footing(np.asarray(support.points) @ R.T, friction=support.friction)
    straight = reference_impact(plates, body, support, kind="mujoco")
    found = reference_impact(about, moved, feet, kind="mujoco")
    for name, twist in straight.plates.items():
        np.testing.assert_allclose(found.plates[name][:3], R @ twist[:3], atol=1e-6)
    np.testing.assert_allclose(found.body[3:], R @ straight.body[3:], atol=1e-5)


def test_an_object_that_moves_along_is_not_hit_as_hard():
    """The same velocity added to everything changes nothing but that."""
    plates, body, _ = situation(PUSH, friction=0.0)
    along = 0.3 * next(iter(plates.values())).axes[:, 2]
    found = reference_impact(plates, replace(body, linear_velocity=along), kind="mujoco")
    law = reference_impact(plates, replace(body, linear_velocity=along), kind="points")
    still = reference_impact(plates, body, kind="mujoco")
    np.testing.assert_allclose(found.body[:3], law.body[:3], atol=SOFT * 0.4)
    assert np.linalg.norm(found.body[:3] - along) < np.linalg.norm(still.body[:3])


def test_what_cannot_be_done_is_said_in_one_line(monkeypatch):
    plates, body, support = situation(PUSH)
    with pytest.raises(UnknownNameError, match="expected one of locked, points, mujoco, got 'dart"):
        reference_impact(plates, body, support, kind="dart")
    with pytest.raises(OutOfRangeError, match="plates: expected at least one"):
        reference_impact({}, body, kind="mujoco")
    heavy = replace(body, rotational_inertia=np.diag([1.0, 1.0, 9.0]))
    with pytest.raises(EngineError, match=r"^mujoco: [^\n]*inertia[^\n]*$"):
        reference_impact(plates, heavy, support, kind="mujoco")
    with monkeypatch.context() as patched:
        patched.setattr(mujoco_step, "REACH", -1e-3)
        with pytest.raises(EngineError, match="mujoco: expected 8 contacts, got 0"):
            reference_impact(plates, body, support, kind="mujoco")
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(EngineError, match="expected the package mujoco, which is not installed"):
        reference_impact(plates, body, support, kind="mujoco")
