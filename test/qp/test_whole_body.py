# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""HRP-4's whole-body program: equations of motion, limits, and palms that come to a box."""

import numpy as np
import pinocchio as pin
import pytest
from hrp4_grab import grab_posture, palm_arrivals
from standing_hrp4 import NO_FORCES, PERIOD, Apart, Ideal

from impact_qp import ControlError
from impact_qp.program.program import solve
from impact_qp.whole_body import PalmApproach, WholeBodyController, arrival_speed
from impact_robots import ArmDynamics, load_robot

SOLES = ("left_sole", "right_sole")


@pytest.fixture(scope="module")
def states(hrp4):
    return ArmDynamics(hrp4, "all")


@pytest.fixture
def standing(hrp4):
    """A function that makes a controller whose palms stay, and where it stands."""

    def make(**options):
        q = grab_posture(hrp4, 0.2)
        return WholeBodyController(hrp4, q, Apart(palm_arrivals(0.2), 0.0), **options), q

    return make


def moved_by(robot, state, torques, forces):
    """Return the accelerations of a robot whose soles are held, by its motors' torques."""
    soles = np.vstack([state.at(name).J for name in SOLES])
    drift = np.concatenate([state.at(name).drift for name in SOLES])
    palms = np.vstack([state.at(name).J[:3] for name in ("left_palm", "right_palm")])
    push = robot.on_velocities(torques) - state.h + palms.T @ np.ravel(forces)
    n, k = len(push), len(soles)
    A = np.zeros((n + k, n + k))
    A[:n, :n], A[:n, n:] = state.inertia(robot.motor_inertias["M+B_rho"]), -soles.T
    A[n:, :n] = soles
    return np.linalg.solve(A, np.concatenate([push, -drift]))[:n]


def test_torques_and_planned_forces_obey_the_equations_of_motion(hrp4, states, standing):
    controller, q = standing(mode="torque")
    rest = np.zeros(hrp4.nv)
    forces = np.array([[1.0, 25.0, -5.0], [0.0, -27.0, -5.0]])
    command, state = controller.update(0.0, q, rest, forces), states.state(q, rest)
    ddq = moved_by(hrp4, state, command.torques, forces)
    (mass, _), (A_G, _) = state.whole(), state.momentum()
    planned = command.sole_wrenches[:, :3].sum(axis=0) + forces.sum(axis=0)
    np.testing.assert_allclose(planned, A_G[:3] @ ddq + [0, 0, 9.81 * mass], atol=1e-6)
    for name in SOLES:
        np.testing.assert_allclose(state.at(name).J @ ddq, 0.0, atol=1e-9)


def test_planned_forces_neither_pull_nor_slide_nor_tip(standing):
    controller, q = standing(mode="torque")
    for forces in (NO_FORCES, np.array([[0.0, 60.0, 0.0], [0.0, 40.0, 0.0]])):
        command = controller.update(0.0, q, np.zeros(40), forces)
        for force, moment in command.sole_wrenches.reshape(2, 2, 3):
            assert force[2] > 0.0
            assert np.hypot(*force[:2]) <= 0.7 * force[2] + 1e-9
            assert abs(moment[0]) <= 0.066 * force[2] + 1e-6
            assert abs(moment[1]) <= 0.116 * force[2] + 1e-6


def test_both_solvers_find_the_same(hrp4):
    ideal = Ideal(hrp4, phases=PalmApproach(palm_arrivals(0.2), 0.5))
    for _ in range(40):
        ideal.step()
    program = ideal.controller.program(ideal.state)
    assert len(program.h) <= 2 * hrp4.dof + 4
    assert len(program.b) == 18
    expected = solve(program, "quadprog").x
    np.testing.assert_allclose(solve(program, "daqp").x, expected, rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("half_width", [0.15, 0.20, 0.26])
def test_palms_arrive_at_the_robust_bound_and_no_faster(hrp4, half_width):
    ideal = Ideal(hrp4, half_width)
    speeds = ideal.hit(PalmApproach(ideal.arrivals, 0.5))
    bound = arrival_speed(hrp4, ideal.controller.reference[0], ideal.arrivals).speed
    assert 0.95 < speeds.min() / bound <= speeds.max() / bound < 1.01
    begin = ArmDynamics(hrp4, "all").state(ideal.start, np.zeros(hrp4.nv))
    for name in SOLES:
        slid = ideal.state.at(name).position - begin.at(name).position
        assert np.abs(slid).max() < 1e-4


def test_unaware_palms_arrive_as_fast_as_they_are_told(hrp4):
    ideal = Ideal(hrp4, impact_limits="unaware")
    speeds = ideal.hit(PalmApproach(ideal.arrivals, 0.5))
    np.testing.assert_allclose(speeds, 0.5, rtol=0.1)


def test_torque_mode_stands_where_it_stood(hrp4, states, standing):
    controller, q = standing(mode="torque", period=0.002)
    start, v = q.copy(), np.zeros(hrp4.nv)
    for k in range(100):
        command = controller.update(k * 0.002, q, v, NO_FORCES)
        assert command.solved
        v = v + 0.002 * moved_by(hrp4, states.state(q, v), command.torques, NO_FORCES)
        q = pin.integrate(hrp4.model, q, 0.002 * v)
    fingers = [7 + hrp4.joint_names.index(name) for name in ("L_HAND_J0", "R_HAND_J0")]
    moved = np.delete(q - start, fingers)  # which begin outside their limits
    assert np.abs(moved).max() < 5e-3


@pytest.mark.parametrize("mode", ["position", "torque"])
def test_without_a_solution_the_last_command_is_held(hrp4, standing, mode):
    controller, q = standing(mode=mode)
    first = controller.update(0.0, q, np.zeros(hrp4.nv), NO_FORCES)
    lifted = np.array([[0.0, 0.0, 3000.0], [0.0, 0.0, 3000.0]])  # ten times what it weighs
    for forces in (lifted, np.full((2, 3), np.nan)):
        held = controller.update(PERIOD, q, np.zeros(hrp4.nv), forces)
        assert (held.solved, held.velocities.any()) == (False, False)
        np.testing.assert_array_equal(held.positions, first.positions)
        np.testing.assert_array_equal(held.torques, first.torques)
    again = controller.update(2 * PERIOD, q, np.zeros(hrp4.nv), NO_FORCES)
    assert again.solved
    assert np.abs(again.positions - held.positions).max() < 100.0 * PERIOD**2 + 1e-9


def test_forces_of_other_palms_are_refused(hrp4, standing):
    controller, q = standing()
    with pytest.raises(ControlError, match=r"palm_forces: expected shape \(2, 3\), got \(3,\)"):
        controller.update(0.0, q, np.zeros(hrp4.nv), np.zeros(3))


def test_a_phase_that_knows_not_what_it_wants_moves_nothing(hrp4, standing):
    controller, q = standing()
    first = controller.update(0.0, q, np.zeros(hrp4.nv), NO_FORCES)
    controller.phases.speed = np.nan
    held = controller.update(PERIOD, q, np.zeros(hrp4.nv), NO_FORCES)
    assert not held.solved
    np.testing.assert_array_equal(held.positions, first.positions)


def test_joints_keep_within_their_limits(hrp4):
    ideal = Ideal(hrp4, phases=Apart(palm_arrivals(0.2), 3.0))
    limits = hrp4.limits
    inside = ideal.start[7:] >= limits.position_lower  # fingers begin outside
    inside &= ideal.start[7:] <= limits.position_upper
    for _ in range(100):
        command = ideal.step()
        assert command.solved
        assert (command.positions >= limits.position_lower - 1e-6)[inside].all()
        assert (command.positions <= limits.position_upper + 1e-6)[inside].all()
        assert (np.abs(command.velocities) <= limits.velocity + 1e-6).all()
        assert (np.abs(command.torques) <= limits.torque + 1e-6).all()


def test_where_it_cannot_stand_it_does_not_begin(hrp4):
    q = grab_posture(hrp4, 0.2)
    phases = Apart(palm_arrivals(0.2))
    tilted = q.copy()
    tilted[3:7] = pin.Quaternion(pin.utils.rpyToMatrix(0.0, 0.6, 0.0)).coeffs()
    with pytest.raises(ControlError, match="start: expected a state to stand in"):
        WholeBodyController(hrp4, tilted, phases)
    with pytest.raises(ControlError, match="mode: expected one of position, torque"):
        WholeBodyController(hrp4, q, phases, mode="velocity")
    with pytest.raises(ControlError, match="base: expected floating, got fixed"):
        WholeBodyController(load_robot("panda"), np.zeros(7), phases)
    with pytest.raises(ControlError, match="sole: expected one of left_sole, right_sole"):
        WholeBodyController(hrp4, q, phases, soles=("left_palm",))
