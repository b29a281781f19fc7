# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tasks: what they ask is what the arm then does."""

import numpy as np
import pinocchio as pin
import pytest

from impact_qp import ControlError, solve
from impact_qp.program.build import build
from impact_qp.tasks import OrientationTask, PostureTask, VelocityTask
from impact_robots import ArmDynamics


def integrate(panda, task, q, steps=1500, dt=1e-3):
    """Follow the task alone, without limits, on the ideal arm."""
    dynamics, dq = ArmDynamics(panda), np.zeros(7)
    damping = PostureTask(7, stiffness=0.0, damping=5.0, weight=1e-4)
    for _ in range(steps):
        state = dynamics(q, dq)
        ddq = solve(build(state.robot_state, [task, damping], [])).x
        q, dq = q + dq * dt + 0.5 * ddq * dt**2, dq + ddq * dt
    return dynamics(q, dq)


def test_the_velocity_task_reaches_its_velocity(panda):
    task = VelocityTask()
    task.reference = np.array([0.05, -0.03, 0.02])
    end = integrate(panda, task, panda.stance)
    np.testing.assert_allclose(end.velocity, task.reference, atol=1e-4)


def test_the_orientation_task_converges_from_far(panda):
    task = OrientationTask()
    start = ArmDynamics(panda)(panda.stance, np.zeros(7)).rotation
    task.reference = start @ pin.exp3(np.array([0.4, -0.3, 0.2]))
    end = integrate(panda, task, panda.stance)
    assert np.linalg.norm(pin.log3(end.rotation.T @ task.reference)) < 1e-3


def test_the_posture_task_goes_home(panda):
    task = PostureTask(7)
    task.reference = panda.stance + 0.2
    end = integrate(panda, task, panda.stance, steps=4000)
    np.testing.assert_allclose(end.q, task.reference, atol=2e-3)


@pytest.mark.parametrize("make", [VelocityTask, OrientationTask, lambda **o: PostureTask(7, **o)])
def test_zero_weight_is_no_task(random_states, make):
    state = next(random_states(1))
    H, c = make(weight=0.0).objective(state.robot_state)
    assert not H.any()
    assert not c.any()


def test_the_objective_is_the_squared_residual(random_states):
    state, task = next(random_states(1)), VelocityTask(weight=3.0)
    task.reference = np.array([0.1, 0.2, 0.3])
    A, b = task.residual(state.robot_state)
    H, c = task.objective(state.robot_state)
    x = np.arange(7.0)
    cost = 0.5 * x @ H @ x + c @ x
    assert cost == pytest.approx(1.5 * (np.sum((A @ x - b) ** 2) - b @ b))


def test_a_reference_is_an_array_of_floats_of_its_shape(at_impact):
    """Compiled functions read it without a look at its type."""
    tasks = VelocityTask(), OrientationTask(), PostureTask(7)
    for task in tasks:
        shape = task.reference.shape
        task.reference = np.ones(shape, dtype=int).tolist()
        assert task.reference.dtype == float and task.reference.shape == shape
        for wrong in (np.ones(2), np.ones((*shape, 1)), None, "ones", [1.0, "one", 2.0]):
            with pytest.raises(ControlError, match=r"^reference: expected floats of shape \("):
                task.reference = wrong
        np.testing.assert_array_equal(task.reference, np.ones(shape))
    b = tasks[0].residual(at_impact.robot_state)[1]
    tasks[0].reference = np.ones(3)
    np.testing.assert_array_equal(b, tasks[0].residual(at_impact.robot_state)[1])
