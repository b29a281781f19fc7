# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Limits may demand equalities, bound accelerations, and have variables of their own."""

import numpy as np
import pytest

from impact_qp import NoSolutionFound, solve
from impact_qp.limits import JointLimit, Limit, TorqueLimit
from impact_qp.program.build import ProgramBuilder, build
from impact_qp.tasks import FrameTask, PostureTask
from impact_robots import ArmDynamics

DT = 1e-3


class Guide(Limit):
    """The contact point keeps to a plane: its acceleration along z is none."""

    equalities = ("guide",)

    def fill(self, state, G, E, h):
        assert G.shape == (0, 7)

    def equate(self, state, A, E, b):
        point = state.at()
        A[0], b[0] = point.J[2], -point.drift[2]


class Spring(Limit):
    """A variable of its own that is joint 1's acceleration, and not above 0.3."""

    variables, equalities, bounded = 1, ("spring",), True

    def fill(self, state, G, E, h):
        assert E.shape == (0, 1)

    def equate(self, state, A, E, b):
        A[0], E[0], b[0] = -np.eye(7)[0], 1.0, 0.0

    def narrow(self, state, ddq, y):
        np.minimum(y[1], 0.3, out=y[1])
        ddq[0, 6] = max(ddq[0, 6], 0.1)


@pytest.fixture
def push(at_impact):
    task = PostureTask(7, stiffness=1.0)
    task.reference = at_impact.q + 2.0
    return task


@pytest.mark.parametrize("solver", ["quadprog", "daqp"])
def test_an_equality_is_kept(panda, random_states, push, solver):
    hardware = [JointLimit(panda, DT), TorqueLimit(panda, DT)]
    for state in random_states(30, seed=4, speed=0.1):
        point = state.robot_state.at()
        free = solve(build(state.robot_state, [push], hardware), solver).x
        assert abs(point.J[2] @ free + point.drift[2]) > 1e-3
        program = build(state.robot_state, [push], [*hardware, Guide()])
        x, _, rows = solve(program, solver)
        assert abs(point.J[2] @ x + point.drift[2]) < 1e-9
        np.testing.assert_allclose(solve(program, guess=rows).x, x, atol=1e-6)


def test_the_arm_stays_in_its_guide(panda):
    """A second of motion, with the drift of the guide's Jacobian."""
    dynamics, q, dq = ArmDynamics(panda), panda.stance.copy(), np.zeros(7)
    task, posture, height = FrameTask(), PostureTask(7), dynamics(q, dq).position[2]
    task.reference.translation = dynamics(q, dq).position + np.array([0.05, 0.1, 0.1])
    task.reference.rotation = dynamics(q, dq).rotation
    posture.reference = q
    builder = ProgramBuilder(7, [task, posture], [Guide()])
    for _ in range(1000):
        ddq = solve(builder.build(dynamics.state(q, dq))).x
        q, dq = q + dq * DT + 0.5 * ddq * DT**2, dq + ddq * DT
    end = dynamics(q, dq).position
    assert abs(end[2] - height) < 1e-4
    assert abs(end[1] - task.reference.translation[1]) < 2e-3  # while it may move sideways


@pytest.mark.parametrize("soften", [False, True])
def test_bounds_narrow_accelerations_and_own_variables(at_impact, push, soften):
    for order in ([Spring(), Guide()], [Guide(), Spring()]):
        program = build(at_impact.robot_state, [push], order, soften=soften)
        assert set(program.equalities) == {"guide", "spring"}
        x, active, _ = solve(program)
        assert x[7] == pytest.approx(0.3) and x[0] == pytest.approx(0.3)
        assert "variable 7 upper" in active
        assert x[6] >= 0.1 - 1e-12


def test_guides_that_contradict_each_other_have_no_solution(at_impact, push):
    class Other(Guide):
        def equate(self, state, A, E, b):
            super().equate(state, A, E, b)
            b[0] += 1.0

    with pytest.raises(NoSolutionFound):
        solve(build(at_impact.robot_state, [push], [Guide(), Other()]))


def test_without_them_the_program_has_none(at_impact, push):
    program = build(at_impact.robot_state, [push], [])
    assert program.A is None and program.lower is None
