# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The compiled program of reference spreading against the one that a solver is given."""

from unittest.mock import patch

import numpy as np
import pytest
from packed_states import packed
from spread_run_up import INTO, Q

from impact_qp.compiled.binding_rows import minimum_on
from impact_qp.program.program import ROW_TOLERANCE, NoSolutionFound, numbers_of, solve
from impact_qp.references import Knot, ReferenceState, couple
from impact_qp.spreading import SpreadGuard, SpreadPlan, friction
from impact_qp.spreading.program import SpreadingProgram, SpreadTask
from impact_robots import ArmDynamics

CASES = 300


@pytest.fixture
def program(panda):
    rest = np.zeros(4)
    knots = [Knot(t, np.append([0.4, 0.1, 0.3], Q[0]), rest, rest) for t in (0.0, 1.0)]
    after = [Knot(knot.time + 1.1, *knot[1:]) for knot in knots]
    rotation = ArmDynamics(panda)(Q, np.zeros(7)).rotation
    reference = couple(knots, 1.0, lambda v: v, after, rotation=rotation)
    plan = SpreadPlan(reference, guard=SpreadGuard(into=INTO, speed=0.2))
    return SpreadingProgram(panda, plan, 1e-3)


def at_an_end(panda, random, case):
    """Return an arm, one of whose joints is about at an end: of its way, or of its speed."""
    limits, (q, dq) = panda.limits, (Q + 0.1 * random.normal(size=7), np.zeros(7))
    i, j, side = *random.integers(7, size=2), random.choice([-1.0, 1.0])
    end = (limits.position_upper if side > 0.0 else limits.position_lower)[i]
    q[i] = end + side * random.choice([-0.011, 2e-5])  # braking counts on, or the cycle ends at
    if case % 2:
        dq[j] = side * (limits.velocity[j] - 1e-4)
    return q, dq


def drawn(panda, random, case):
    """Return a state and what is wanted: ever more, so that limits of all kinds bind."""
    far = 3.0 * case / CASES
    point = ArmDynamics(panda)(Q + 0.3 * random.normal(size=7), 0.4 * random.normal(size=7))
    if case % 5 == 0:
        point = ArmDynamics(panda)(*at_an_end(panda, random, case))
    at = np.append(point.position, point.q[0])
    velocity = far * random.normal(size=4)
    motion = ReferenceState(at + 0.1 * far * random.normal(size=4), velocity, far * velocity)
    stiffness, known = random.uniform(20.0, 200.0, 3), random.normal(size=7)
    wrench = 30.0 * random.normal(size=6) if case % 2 else np.zeros(6)
    return packed(point), SpreadTask(
        motion, stiffness, random.uniform(), known, wrench, bool(case % 3)
    )


def test_it_finds_what_a_solver_finds(panda, program):
    random, kinds, asked = np.random.default_rng(3), set(), 0
    solver = program._by_solver
    for case in range(CASES):
        point, wanted = drawn(panda, random, case)
        with patch.object(program, "_by_solver", side_effect=solver) as by_solver:
            found = program.solve(point, wanted)
        asked += by_solver.call_count
        if not by_solver.called:  # the same rows of the plain program have the same minimum
            rows = numbers_of(program._rows)
            plain, _ = minimum_on(*program.build(point, wanted)[:4], rows, ROW_TOLERANCE)
            np.testing.assert_allclose(found.ddq, plain, rtol=1e-11, atol=1e-11)
        try:
            expected = solve(program.build(point, wanted))
        except NoSolutionFound:
            assert not found.solved
            continue
        assert found.solved
        np.testing.assert_allclose(found.ddq, expected.x, rtol=1e-7, atol=1e-7)
        other = solve(program.build(point, wanted), "daqp")  # rows as small as dt^2 misled both
        np.testing.assert_allclose(other.x, expected.x, rtol=1e-5, atol=1e-5)
        assert set(found.active) == set(expected.active)
        kinds.update(name.split(maxsplit=1)[1] for name in found.active)
    ends = {
        f"{kind} {end}"
        for kind in ("position", "velocity", "torque", "braking")
        for end in ("upper", "lower")
    }
    assert kinds == ends | {"speed"}
    assert 0 < asked < CASES / 2, "the wildest need more than eight sets of rows"


def test_feedback_and_motion_of_the_joints_are_those_of_tasks_and_jacobian(panda, program):
    state, wanted = drawn(panda, np.random.default_rng(5), 100)
    point, found = state.point, program.solve(state, wanted)
    program.build(state, wanted)  # tells the tasks
    state, turn = point.robot_state, program._turn
    turning = turn.residual(state)[1] + point.drift[3:] - turn.feedforward
    feedback = program._position.feedback(state), turning, [program._joint.feedback(state)]
    np.testing.assert_allclose(found.feedback, np.concatenate(feedback), atol=1e-10)
    rows = np.vstack([point.J, np.eye(1, 7)])
    moved = [*wanted.motion.velocity[:3], 0.0, 0.0, 0.0, wanted.motion.velocity[3]]
    expected = np.linalg.solve(rows.T @ rows + 1e-8 * np.eye(7), rows.T @ moved)
    np.testing.assert_allclose(found.joint_velocity, expected, rtol=1e-6)


def test_rows_of_the_last_cycle_do_not_change_the_result(panda, program):
    random = np.random.default_rng(7)
    cases = [drawn(panda, random, case) for case in range(200, 260)]
    alone = []
    for case in cases:
        program.reset()
        alone.append(program.solve(*case).ddq)
    in_turn = [program.solve(*case).ddq for case in cases]
    np.testing.assert_allclose(in_turn, alone, rtol=1e-7, atol=1e-7)


def test_after_an_arm_without_a_solution_the_next_cycle_is_as_any_other(panda, program):
    point, wanted = drawn(panda, np.random.default_rng(9), 31)
    expected = program.solve(point, wanted)
    q = point.q.copy()
    q[3] = panda.limits.position_upper[3] + 0.1
    beyond = packed(ArmDynamics(panda)(q, np.full(7, 0.5)))
    found = program.solve(beyond, wanted)
    assert not found.solved
    assert found.active == ()
    assert np.isfinite(found.feedback).all()
    np.testing.assert_allclose(program.solve(point, wanted).ddq, expected.ddq, atol=1e-9)


def test_friction_between_two_times_is_between_and_beyond_them_the_last(panda):
    random = np.random.default_rng(1)
    time, known = np.cumsum(random.uniform(0.1, 1.0, 20)), random.normal(size=(20, 7))
    learned = friction.FrictionFeedforward(time, known)
    for t in [*random.uniform(-1.0, time[-1] + 1.0, 50), *time]:
        expected = [np.interp(t, time, column) for column in known.T]
        np.testing.assert_allclose(learned(t), expected, atol=1e-12)
