# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What joints feel in an impact: against the equations in tiny steps, the plant, closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from joint_load_reference import reference_load

from impact_predictor import PredictionError
from impact_predictor.contact_force.laws import ExtendedHuntCrossley, HuntCrossley, Viscoelastic
from impact_predictor.contact_force.restitution import exact_restitution
from impact_predictor.joint_load.drive import IDEAL, MEASURED, drive_of
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import (
    LoadContact,
    LoadRun,
    RigidLaw,
    joint_load,
    load_contact,
)
from impact_predictor.joint_load.load_case import viscoelastic
from impact_sim.arm.passive_impact import passive_impact

SPEED, SHORT = 0.1, 0.012
HEAD_ON = np.array([0.0, 0.0, -SPEED])
LAWS = {
    "visco": viscoelastic(1e6, 0.3, SPEED),
    "plastic": viscoelastic(1e6, 0.02, SPEED),
    "hertz": HuntCrossley(2e8, 4e8, 1.5),
    "extended": ExtendedHuntCrossley(2e8, 4e9, 1.5),
}


@pytest.fixture(scope="module")
def arm(panda, hitting):
    return elastic_arm(panda, hitting.robot_state)


@pytest.fixture(scope="module")
def hitting(panda, panda_dynamics, wall):
    q = np.array([-0.77, -0.32, 0.05, -1.53, 0.04, 2.4, 0.76])
    J = panda_dynamics(q, np.zeros(7)).J[:3]
    return panda_dynamics(q, np.linalg.pinv(J) @ wall @ HEAD_ON)


@pytest.mark.parametrize("pieces", [[1] * 48, [7, 1, 30, 99], [0, None]])
def test_a_motion_is_the_same_piece_by_piece(hitting, wall, arm, pieces):
    contact = load_contact(hitting, wall, LAWS["hertz"], 0.3, [0.02, -0.01, -SPEED])
    run = LoadRun(arm, [contact], duration=SHORT, with_history=True)
    for ticks in pieces:
        assert not run.over
        run.go_on(ticks)
    assert run.over
    whole = joint_load(arm, [contact], duration=SHORT, with_history=True)
    for figure, same in zip(run.load()[:-1], whole[:-1], strict=True):
        assert np.array_equal(figure, same)
    for figure, same in zip(run.load().history, whole.history, strict=True):
        assert np.array_equal(figure, same)


def assert_as_in_tiny_steps(robot, point, arm, contact):
    load = joint_load(arm, [contact], duration=SHORT)
    loads, impulses = reference_load(robot, point.M, [contact], SHORT)
    largest = np.abs(loads).max()
    assert load.highest == pytest.approx(loads[0], abs=0.005 * largest)
    assert load.lowest == pytest.approx(loads[1], abs=0.005 * largest)
    assert load.impulse == pytest.approx(impulses, abs=0.005 * impulses[0, 2])


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("law", LAWS)
def test_loads_are_those_of_the_equations_in_tiny_steps(panda, hitting, wall, arm, law, friction):
    contact = load_contact(hitting, wall, LAWS[law], friction, [0.02, -0.01, -SPEED])
    assert_as_in_tiny_steps(panda, hitting, arm, contact)


@pytest.mark.parametrize("mobile", [(1.0, 0.0), (0.6, 0.8), (0.0, 0.0)])
@pytest.mark.parametrize("slip", [0.0, 0.02])
def test_friction_where_the_point_cannot_move_in_each_direction(
    panda, hitting, wall, arm, mobile, slip
):
    """As of planar arms: along the surface it moves in one direction, or in none."""
    whole = load_contact(hitting, wall, LAWS["visco"], 0.3, [*(slip * np.array(mobile)), -SPEED])
    along = np.outer(mobile, mobile)  # a projection
    contact = whole._replace(J=np.vstack([along @ whole.J[:2], whole.J[2:]]))
    assert_as_in_tiny_steps(panda, hitting, arm, contact)


def test_shorter_steps_change_little(hitting, wall, arm):
    contact = load_contact(hitting, wall, LAWS["plastic"], 0.279)
    coarse, fine = (joint_load(arm, [contact], refinement=k) for k in (1, 8))
    assert coarse.change == pytest.approx(fine.change, rel=0.01)


def test_two_contacts_at_once_are_those_of_the_equations(panda, panda_dynamics, hitting, wall, arm):
    elbow = panda_dynamics.state(hitting.q, hitting.dq).at("panda_link5")
    contacts = [
        load_contact(hitting, wall, LAWS["visco"], 0.2, HEAD_ON),
        load_contact(elbow, wall, viscoelastic(3e5, 0.2, SPEED), 0.3, [0.0, 0.01, -SPEED / 2]),
    ]
    load = joint_load(arm, contacts, duration=SHORT)
    loads, impulses = reference_load(panda, hitting.M, contacts, SHORT)
    assert load.change == pytest.approx(np.abs(loads).max(axis=0), abs=0.01 * np.abs(loads).max())
    assert load.impulse == pytest.approx(impulses, abs=0.01 * impulses.max())
    late = [contacts[0]._replace(gap=SPEED * 1.5e-3), contacts[1]]
    delayed = joint_load(arm, late, duration=SHORT)
    loads, impulses = reference_load(panda, hitting.M, late, SHORT)
    largest = np.abs(loads).max(axis=0)
    assert delayed.change == pytest.approx(largest, abs=0.01 * largest.max())
    assert np.abs(delayed.change - load.change).max() > 0.05 * largest.max()
    assert not delayed.sunk.any()


def test_an_ideal_loop_is_a_smaller_motor(panda, hitting, wall):
    contact = load_contact(hitting, wall, LAWS["visco"], 0.0)
    load = joint_load(elastic_arm(panda, hitting.robot_state, IDEAL), [contact], duration=SHORT)
    loads, _ = reference_load(panda, hitting.M, [contact], SHORT, loop=False)
    assert load.highest == pytest.approx(loads[0], abs=0.005 * np.abs(loads).max())


def test_loads_are_proportional_to_the_speed_at_the_same_restitution(hitting, wall, arm):
    slow, fast = (
        joint_load(arm, [load_contact(hitting, wall, viscoelastic(1e6, 0.2, v), 0.2, [0, 0, -v])])
        for v in (0.05, 0.5)
    )
    assert 10.0 * slow.highest == pytest.approx(fast.highest, rel=1e-9)
    assert 10.0 * slow.impulse == pytest.approx(fast.impulse, rel=1e-9)


def test_a_wall_that_gets_stiffer_becomes_the_rigid_one(hitting, wall, arm):
    rigid = joint_load(arm, [load_contact(hitting, wall, RigidLaw(0.3), 0.0)], refinement=4)
    stiff = [
        joint_load(arm, [load_contact(hitting, wall, viscoelastic(k, 0.3, SPEED), 0.0)])
        for k in (1e6, 1e9)
    ]
    away = [np.abs(each.change - rigid.change).max() / rigid.change.max() for each in stiff]
    assert away[1] < 0.05 < away[0]
    assert np.isinf(rigid.peak_force[0]) and np.isfinite(stiff[1].peak_force[0])


def test_the_first_blow_of_a_rigid_wall_is_newton_s(hitting, wall, arm):
    contact = load_contact(hitting, wall, RigidLaw(0.4), 0.0)
    W_nn = (contact.J @ arm.M_inverse @ contact.J.T)[2, 2]
    blow = joint_load(arm, [contact], duration=250e-6)
    assert blow.impulse[0, 2] == pytest.approx(1.4 * SPEED / W_nn, rel=0.01)


def test_a_bouncing_point_mass_comes_back_with_the_restitution(arm):
    """Joints so soft that the tip is free for as long as the contact lasts."""
    soft = arm.scaled(np.full((3, 7), 1e-6))._replace(motor_inertia=np.ones(7))
    J = np.zeros((3, 7))
    J[2, 6] = 1.0
    mass = 1.0 / arm.M_inverse[6, 6]
    for e in (0.05, 0.3, 0.8):
        contact = LoadContact(J, HEAD_ON, viscoelastic(1e5, e, SPEED), 0.0)
        load = joint_load(soft, [contact])
        assert load.impulse[0, 2] == pytest.approx((1.0 + e) * mass * SPEED, rel=5e-3)


@pytest.mark.parametrize("stiffness", [1.2e5, 1e7])
def test_the_simulated_arm_feels_what_is_predicted(panda, hitting, wall, arm, stiffness):
    law = viscoelastic(stiffness, 0.3, SPEED)
    run = passive_impact(panda, hitting.q, hitting.dq, wall[:, 2], law, after_contact=0.03)
    load = joint_load(arm, [load_contact(hitting, wall, law, 0.0)])
    felt = np.abs(run.tau[run.t >= run.contact_start.time] - run.tau[0]).max(axis=0)
    worst = int(felt.argmax())
    assert worst == int(load.change.argmax())
    assert felt[worst] == pytest.approx(load.change[worst], rel=0.05)


def test_the_peak_is_when_and_what_the_history_says(hitting, wall, arm):
    contact = load_contact(hitting, wall, LAWS["visco"], 0.1)
    load = joint_load(arm, [contact], with_history=True)
    joint = int(load.change.argmax())
    at = int(np.abs(load.history.load[:, joint]).argmax())
    assert load.time[joint] == pytest.approx(load.history.time[at], abs=250e-6)
    assert np.abs(load.history.load[at, joint]) == pytest.approx(load.change[joint], rel=0.02)
    touching = load.history.force[:, 0] > 0.0
    assert load.history.time[touching][-1] == pytest.approx(load.contact_end[0], abs=250e-6)
    assert (load.history.depth[touching] > 0.0).all()


def test_the_links_move_as_the_impulse_tells_where_springs_are_weak(hitting, wall, arm):
    loose = arm.scaled(np.full((3, 7), 1e-6) ** [[1.0], [1.0], [0.0]])
    load = joint_load(loose, [load_contact(hitting, wall, LAWS["visco"], 0.2)], with_history=True)
    moved = loose.M_inverse @ (wall.T @ hitting.J[:3]).T @ load.impulse[0]
    velocity, position = load.history.velocity, load.history.position
    np.testing.assert_allclose(velocity[-1], moved, atol=2e-3 * np.abs(moved).max())
    way = np.trapezoid(velocity, load.history.time, axis=0)
    np.testing.assert_allclose(position[-1] - position[0], way, rtol=1e-2, atol=1e-6)


def test_a_commanded_torque_arrives_in_the_springs(arm):
    """Links that do not move, and a torque loop: once it is settled each spring bears it."""
    still = arm._replace(M_inverse=1e-9 * np.eye(7), damping=20.0 * arm.damping)
    away = LoadContact(np.zeros((3, 7)), np.zeros(3), RigidLaw(0.0), 0.0)
    command = np.array([[0.0] * 7, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]])
    load = joint_load(still, [away], duration=0.5, command=command, with_history=True)
    assert (load.history.load[0] == 0.0).all()
    np.testing.assert_allclose(load.history.load[-1], command[1], rtol=0.01)


def test_the_absolute_load_counts_what_was_there_before(hitting, wall, arm):
    load = joint_load(arm, [load_contact(hitting, wall, LAWS["visco"], 0.1)])
    before = np.linspace(-5.0, 5.0, 7)
    by_hand = [
        max(abs(b + h), abs(b + k))
        for b, h, k in zip(before, load.highest, load.lowest, strict=True)
    ]
    assert load.absolute(before) == pytest.approx(by_hand)
    assert load.absolute(np.zeros(7)) == pytest.approx(load.change)


def test_a_servo_holds_the_motors(panda, hitting, wall):
    with pytest.raises(PredictionError, match=r"position-controlled arm.*'servo_stiffness'"):
        drive_of(panda, "position")
    with pytest.raises(PredictionError, match="velocity-controlled"):
        drive_of(panda, "velocity")
    assert drive_of(panda, "torque") == MEASURED
    stiff = replace(panda, servo_stiffness=np.full(7, 1e7), servo_damping=np.full(7, 1e2))
    held = elastic_arm(stiff, hitting.robot_state, drive_of(stiff, "position"))
    heavy = held._replace(motor_inertia=np.full(7, 1e9), servo_stiffness=np.zeros(7))
    contact = load_contact(hitting, wall, Viscoelastic(1e5, 1e5), 0.0)
    one, other = (joint_load(each, [contact]) for each in (held, heavy))
    assert one.change == pytest.approx(other.change, rel=1e-2)
    assert (
        one.change.max()
        > 1.2 * joint_load(elastic_arm(panda, hitting.robot_state), [contact]).change.max()
    )


def test_what_is_not_known_is_named(panda, hitting):
    unknown = replace(panda, joint_stiffness=np.full(7, np.nan))
    with pytest.raises(PredictionError, match="panda does not give 'joint_stiffness'"):
        elastic_arm(unknown, hitting.robot_state)
    with pytest.raises(PredictionError, match="drive: expected one of measured, ideal, servo"):
        elastic_arm(panda, hitting.robot_state, "magic")


def test_a_load_that_is_no_number_is_refused(hitting, wall, arm):
    nowhere = arm._replace(M_inverse=np.full((7, 7), np.nan))
    with pytest.raises(PredictionError, match="expected a finite load"):
        joint_load(nowhere, [load_contact(hitting, wall, LAWS["visco"], 0.0)])


@pytest.mark.parametrize("factor", [1e-2, 1e2])
def test_joints_of_any_stiffness_are_resolved(panda, hitting, wall, factor):
    other = replace(
        panda, joint_stiffness=factor * panda.joint_stiffness, joint_damping=panda.joint_damping
    )
    contact = load_contact(hitting, wall, LAWS["visco"], 0.0)
    arm = elastic_arm(other, hitting.robot_state)
    load, fine = (joint_load(arm, [contact], duration=0.02, refinement=k) for k in (1, 5))
    assert load.change == pytest.approx(fine.change, abs=0.01 * fine.change.max())


@pytest.mark.parametrize("e", [0.0, 1e-3, 0.5, 1.0 - 1e-13, 1.0])
def test_every_restitution_has_a_law(e):
    law = viscoelastic(1e6, e, SPEED)
    assert exact_restitution(law, SPEED) == pytest.approx(max(e, 0.01), abs=1e-6)


@pytest.mark.parametrize("drive", [IDEAL, MEASURED])
def test_an_arm_is_of_the_kind_of_arrays_that_the_warm_up_compiles_for(panda, hitting, drive):
    """A robot's own arrays are read-only: the first control cycle compiled for seconds."""
    robot = replace(panda, loop_damping_time=np.broadcast_to(1e-3, 7))
    arm = elastic_arm(robot, hitting.robot_state, drive)
    kinds = {(each.flags.writeable, each.flags.c_contiguous) for each in arm[:-1]}
    assert kinds == {(True, True)}
