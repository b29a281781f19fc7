# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""HRP-4's whole-body program: equations of motion, limits, and palms that come to a box."""

import numpy as np
import pinocchio as pin
import pytest
from hrp4_grab import grab_posture, palm_arrivals

from impact_qp import ControlError
from impact_qp.program import solve
from impact_qp.whole_body import (
    PalmApproach,
    PalmTarget,
    WholeBodyController,
    WholeBodyTargets,
    arrival_speed,
)
from impact_robots import ArmDynamics, load_robot

PERIOD, HALF_WIDTH = 0.005, 0.2
NONE = np.zeros((2, 3))


class Apart:
    """Palms leave their faces at a speed, and stop after half a second."""

    def __init__(self, arrivals, speed=0.2):
        self.arrivals, self.speed, self.rotations = arrivals, speed, None

    def targets(self, time, palms, palm_forces):
        self.rotations = self.rotations or [palm.rotation for palm in palms]
        away = self.speed if time < 0.5 else 0.0
        return WholeBodyTargets(
            tuple(
                PalmTarget(
                    each.contact.normal, away * each.contact.normal, each.contact.point, rotation
                )
                for each, rotation in zip(self.arrivals, self.rotations, strict=True)
            )
        )


@pytest.fixture(scope="module")
def hrp4():
    return load_robot("hrp4")


@pytest.fixture(scope="module")
def states(hrp4):
    return ArmDynamics(hrp4, "all")


def integrated(robot, q, v, torques, controller, forces=NONE):
    """Return ddq of a robot whose soles are held, by its motors' torques: the plant's own solve."""
    state = ArmDynamics(robot, "all").state(q, v)
    soles = np.vstack([state.at(name).J for name in ("left_sole", "right_sole")])
    drift = np.concatenate([state.at(name).drift for name in ("left_sole", "right_sole")])
    palms = np.vstack([state.at(name).J[:3] for name in ("left_palm", "right_palm")])
    A = state.inertia(robot.motor_inertias["M+B_rho"])
    push = robot.on_velocities(torques) - state.h + palms.T @ np.ravel(forces)
    size = len(v) + 12
    K, right = np.zeros((size, size)), np.concatenate([push, -drift])
    K[: len(v), : len(v)], K[: len(v), len(v) :], K[len(v) :, : len(v)] = A, -soles.T, soles
    return np.linalg.solve(K, right)[: len(v)]


@pytest.fixture
def apart(hrp4):
    """A controller whose palms have come .1 m off their faces, in position mode, and the time."""
    arrivals = palm_arrivals(HALF_WIDTH)
    q = grab_posture(hrp4, HALF_WIDTH)
    controller = WholeBodyController(hrp4, q, Apart(arrivals))
    for k in range(140):
        command = controller.update(k * PERIOD, q, np.zeros(hrp4.nv), NONE)
        assert command.solved
    return controller, 140 * PERIOD


def test_torques_and_planned_forces_obey_the_equations_of_motion(hrp4, states):
    q = grab_posture(hrp4, HALF_WIDTH)
    controller = WholeBodyController(hrp4, q, Apart(palm_arrivals(HALF_WIDTH)), mode="torque")
    v = np.zeros(hrp4.nv)
    forces = np.array([[1.0, 25.0, -5.0], [0.0, -27.0, -5.0]])
    command = controller.update(0.0, q, v, forces)
    ddq = integrated(hrp4, q, v, command.torques, controller, forces)
    weight = 38.05487735 * 9.81
    state = states.state(q, v)
    lift = state.momentum()[0][2] @ ddq + weight
    planned = command.sole_wrenches[:, :3].sum(axis=0) + forces.sum(axis=0)
    assert planned[2] == pytest.approx(lift, abs=1e-6)
    np.testing.assert_allclose(planned[:2], state.momentum()[0][:2] @ ddq, atol=1e-6)
    for name in ("left_sole", "right_sole"):
        np.testing.assert_allclose(state.at(name).J @ ddq, 0.0, atol=1e-9)


def test_both_solvers_find_the_same(hrp4, apart):
    controller, _ = apart
    controller.phases = PalmApproach(palm_arrivals(HALF_WIDTH), 0.5)
    for k in range(60):
        controller.update(1.0 + k * PERIOD, controller._q, np.zeros(hrp4.nv), NONE)
    state = controller._state(controller._q, controller._v)
    program = controller.program(state)
    assert len(program.h) <= 2 * hrp4.dof + 4
    assert len(program.b) == 18
    expected = solve(program, "quadprog").x
    np.testing.assert_allclose(solve(program, "daqp").x, expected, rtol=1e-3, atol=2e-3)


def test_palms_arrive_at_the_robust_bound_and_no_faster(hrp4, states, apart):
    controller, time = apart
    arrivals = palm_arrivals(HALF_WIDTH)
    controller.phases = PalmApproach(arrivals, 0.5)
    for k in range(400):
        command = controller.update(time + k * PERIOD, controller._q, np.zeros(hrp4.nv), NONE)
        assert command.solved
        state = states.state(controller._q, controller._v)
        palms = [state.at(each.frame) for each in arrivals]
        gaps = [a.contact.gap(p.position) for a, p in zip(arrivals, palms, strict=True)]
        if min(gaps) < 0.0:
            break
    speeds = [-a.contact.normal @ p.velocity for a, p in zip(arrivals, palms, strict=True)]
    bound = arrival_speed(hrp4, controller._q, arrivals).speed
    assert bound == pytest.approx(0.228, rel=0.02)
    assert 0.95 < min(speeds) / bound <= max(speeds) / bound < 1.01
    for name in ("left_sole", "right_sole"):
        moved = (
            state.at(name).position
            - states.state(grab_posture(hrp4, HALF_WIDTH), np.zeros(hrp4.nv)).at(name).position
        )
        assert np.abs(moved).max() < 1e-4


def test_torque_mode_stands_where_it_stood(hrp4):
    q = grab_posture(hrp4, HALF_WIDTH)
    controller = WholeBodyController(
        hrp4, q, Apart(palm_arrivals(HALF_WIDTH), 0.0), mode="torque", period=0.002
    )
    start, v = q.copy(), np.zeros(hrp4.nv)
    for k in range(100):
        command = controller.update(k * 0.002, q, v, NONE)
        assert command.solved
        v = v + 0.002 * integrated(hrp4, q, v, command.torques, controller)
        q = pin.integrate(hrp4.model, q, 0.002 * v)
    assert np.abs(q - start).max() < 0.05


def test_without_a_solution_the_last_command_is_held(hrp4):
    q = grab_posture(hrp4, HALF_WIDTH)
    controller = WholeBodyController(hrp4, q, Apart(palm_arrivals(HALF_WIDTH)))
    first = controller.update(0.0, q, np.zeros(hrp4.nv), NONE)
    lifted = np.array([[0.0, 0.0, 3000.0], [0.0, 0.0, 3000.0]])  # ten times what it weighs
    for forces in (lifted, np.full((2, 3), np.nan)):
        held = controller.update(PERIOD, q, np.zeros(hrp4.nv), forces)
        assert (held.solved, held.velocities.any()) == (False, False)
        np.testing.assert_array_equal(held.positions, first.positions)
        np.testing.assert_array_equal(held.torques, first.torques)
    again = controller.update(2 * PERIOD, q, np.zeros(hrp4.nv), NONE)
    assert again.solved
    assert np.abs(again.positions - held.positions).max() < 100.0 * PERIOD**2 + 1e-9


def test_where_it_cannot_stand_it_does_not_begin(hrp4):
    q = grab_posture(hrp4, HALF_WIDTH)
    phases = Apart(palm_arrivals(HALF_WIDTH))
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
