# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the controller by reference spreading is made of, each alone."""

import numpy as np
import pytest

from impact_qp.limits.command_torque import CommandTorqueLimit
from impact_qp.limits.one_cycle import OneCycleLimit
from impact_qp.program.build import build
from impact_qp.program.program import solve
from impact_qp.references import ReferenceState
from impact_qp.spreading import (
    GrabForce,
    Mode,
    PushForce,
    Trigger,
    Variant,
    heard,
    learn_friction,
)
from impact_qp.spreading.force import force_acceleration
from impact_qp.spreading.modes import Timing, fade, mode_at
from impact_qp.tasks import OrientationTask
from impact_qp.tasks.redundancy import RedundancyTask
from impact_qp.tasks.tracking import TrackingTask
from impact_robots import ArmDynamics
from impact_robots.exceptions import OutOfRangeError

TIMING = Timing(nominal=1.0)


@pytest.mark.parametrize(
    ("variant", "time", "impact", "mode"),
    [
        ("rs", 0.5, None, "ante"),
        ("rs", 1.1, None, "ante"),
        ("rs", 1.03, 1.03, "interim"),
        ("rs", 1.12, 1.03, "interim"),
        ("rs", 1.14, 1.03, "post"),
        ("rs", 1.16, None, "stop"),
        ("rs", 0.7, 0.5, "stop"),
        ("no_gamma", 1.03, 1.03, "post"),
        ("no_gamma", 1.16, None, "stop"),
        ("timed", 0.999, None, "ante"),
        ("timed", 0.999, 0.99, "ante"),
        ("timed", 1.0, None, "post"),
        ("continuous", 5.0, 1.0, "ante"),
        ("time_invariant", 1.12, 1.03, "interim"),
        ("time_invariant", 1.14, 1.03, "post"),
        ("time_invariant", 1.16, None, "stop"),
        ("time_invariant", 0.7, 0.5, "stop"),
    ],
)
def test_modes_follow_the_detection_or_the_clock(variant, time, impact, mode):
    assert mode_at(Variant(variant), TIMING, time, impact) is Mode(mode)


def test_gamma_rises_from_nothing_to_all_within_the_interim_mode():
    gains = [fade(Mode.INTERIM, TIMING, 1.02 + t, 1.02) for t in (0.0, 0.05, 0.1)]
    assert gains == pytest.approx([0.0, 0.5, 1.0])
    assert fade(Mode.POST, TIMING, 1.02, 1.02) == fade(Mode.ANTE, TIMING, 0.0, None) == 1.0


def test_a_shared_trigger_wakes_all_arms_and_one_per_arm_only_its_own():
    detected = {"left": True, "right": False}
    assert heard(detected) == detected
    assert heard(detected, Trigger.SHARED) == {"left": True, "right": True}
    assert heard(dict.fromkeys(detected, False), Trigger.SHARED) == dict.fromkeys(detected, False)


def test_a_point_that_tracks_obeys_the_critically_damped_equation(panda):
    """P'' - p_d'' = 2 sqrt(k)(p_d' - p') + k (p_d - p), by the accelerations of the program."""
    dynamics, random = ArmDynamics(panda), np.random.default_rng(4)
    state = dynamics(panda.stance, random.normal(size=7) * 0.2)
    task = TrackingTask(stiffness=150.0)
    task.position = state.position + np.array([0.01, -0.02, 0.03])
    task.velocity, task.acceleration = np.array([0.1, 0.2, -0.1]), np.array([1.0, 0.0, 2.0])
    task.fade, task.feedforward = 0.4, np.array([0.0, 0.3, 0.0])
    ddq = np.linalg.lstsq(*task.residual(state.robot_state), rcond=None)[0]
    h = 1e-5  # acceleration of the point by differences along the motion that follows
    ahead, behind = (
        dynamics(panda.stance + s * h * state.dq, state.dq + s * h * ddq).velocity for s in (1, -1)
    )
    damping = 2 * np.sqrt(150.0) * 0.4
    wanted = task.acceleration + damping * (task.velocity - state.velocity)
    wanted = wanted + 150.0 * np.array([0.01, -0.02, 0.03]) + task.feedforward
    np.testing.assert_allclose((ahead - behind) / (2 * h), wanted, atol=1e-5)
    np.testing.assert_allclose(
        task.feedback(state.robot_state), wanted - task.acceleration - task.feedforward
    )


def follow_sine(feedforward):
    """Return the largest error of a joint on a sine of 1 Hz, once it has settled [rad]."""
    task, dt = RedundancyTask(stiffness=50.0), 1e-3
    q = dq = worst = 0.0
    for t in np.arange(0.0, 5.0, dt):
        w = 2 * np.pi
        task.position, task.velocity = 0.3 * np.sin(w * t), 0.3 * w * np.cos(w * t)
        task.acceleration = -0.3 * w**2 * np.sin(w * t) if feedforward else 0.0

        class State:
            pass

        State.q, State.dq = np.array([q]), np.array([dq])
        A, b = task.residual(State)
        ddq = b[0] / A[0, 0]
        if t > 3.0:
            worst = max(worst, abs(q - task.position))
        q, dq = q + dt * dq + dt**2 / 2 * ddq, dq + dt * ddq
    return worst


def test_a_joint_follows_a_sine_only_with_its_acceleration_fed_forward():
    """Without: the error is the acceleration over k + w^2, of a critical second order."""
    w = 2 * np.pi
    assert follow_sine(True) < 0.002
    assert follow_sine(False) == pytest.approx(0.3 * w**2 / (50.0 + w**2), rel=0.01)


def test_the_rows_of_the_next_cycle_bind_at_the_limits(panda):
    limit, dt = OneCycleLimit(panda, 1e-3), 1e-3
    q, dq = panda.stance.copy(), np.zeros(7)
    dq[3] = panda.limits.velocity[3] - 0.004
    q[5] = panda.limits.position_upper[5] - 1e-6
    state = ArmDynamics(panda)(q, dq).robot_state
    fast = RedundancyTask(joint=3, stiffness=1.0, weight=1.0)
    fast.acceleration = 100.0
    high = RedundancyTask(joint=5, stiffness=1.0, weight=1.0)
    high.acceleration = 100.0
    solution = solve(build(state, [fast, high], [limit]))
    ddq = solution.x
    assert dq[3] + dt * ddq[3] == pytest.approx(panda.limits.velocity[3])
    assert q[5] + dt * dq[5] + dt**2 / 2 * ddq[5] == pytest.approx(panda.limits.position_upper[5])
    assert set(solution.active) == {"panda_joint4 velocity upper", "panda_joint6 position upper"}


def test_the_torque_that_a_contact_takes_is_part_of_the_limit(panda):
    limit = CommandTorqueLimit(panda)
    state = ArmDynamics(panda)(panda.stance, np.zeros(7)).robot_state
    task = RedundancyTask(joint=5, weight=1.0)
    task.position, task.acceleration = panda.stance[5], 500.0
    inertia = state.inertia(panda.apparent_motor_inertia)

    def torque():
        x = solve(build(state, [task], [limit])).x
        return inertia @ x + state.h - limit.contact_torque

    assert torque()[5] == pytest.approx(panda.limits.torque[5])
    limit.contact_torque = np.array([0, 0, 0, 0, 0, -7.0, 0])
    assert torque()[5] == pytest.approx(panda.limits.torque[5])
    free = solve(build(state, [task], [])).x[5]
    limited = solve(build(state, [task], [limit])).x[5]
    assert limited < free


def test_a_push_takes_friction_and_the_objects_inertia():
    push = PushForce(1.3, 0.3, [0.0, -2.0, 0.0])
    v, still = np.array([0.0, -0.5, 0.0, 0.1]), np.zeros(4)
    steady = push(ReferenceState(still, v, still))
    np.testing.assert_allclose(steady, [0, -1.3 * 0.3 * 9.81, 0, 0, 0, 0])
    braking = push(ReferenceState(still, v, np.array([0.0, 1.0, 0.0, 0.0])))
    np.testing.assert_allclose(braking[1], -1.3 * (0.3 * 9.81 - 1.0))
    hard = push(ReferenceState(still, v, np.array([0.0, 9.0, 0.0, 0.0])))
    np.testing.assert_array_equal(hard, np.zeros(6))  # a plate does not pull
    np.testing.assert_array_equal(push(ReferenceState(still, still, still)), np.zeros(6))


def test_two_arms_carry_weight_and_inertia_and_their_clamp_forces_cancel():
    left, right = (GrabForce(1.3, 40.0, [0.0, side, 0.0]) for side in (-1.0, 1.0))
    motion = ReferenceState(np.zeros(4), np.zeros(4), np.array([0.5, 0.0, -1.5, 0.0]))
    total = left(motion) + right(motion)
    np.testing.assert_allclose(total[:3], 1.3 * np.array([0.5, 0.0, 9.81 - 1.5]), atol=1e-12)
    assert left(motion)[1] == -40.0 and right(motion)[1] == 40.0


def test_a_force_at_rest_is_the_jacobians_transpose(panda):
    """Torques beside gravity of an arm that the object holds: J^T f_d."""
    point = ArmDynamics(panda)(panda.stance, np.zeros(7))
    wrench = np.array([10.0, -20.0, 5.0, 0.1, 0.2, -0.3])
    ddq = force_acceleration(point, panda.apparent_motor_inertia, wrench)
    inertia = point.robot_state.inertia(panda.apparent_motor_inertia)
    np.testing.assert_allclose(inertia @ ddq, point.J.T @ wrench, atol=1e-10)
    mobility = point.J @ np.linalg.solve(inertia, point.J.T)
    np.testing.assert_allclose(point.J @ ddq, mobility @ wrench, atol=1e-10)  # a_f, (26)


def slide(feedforward):
    """Return the feedback of a mass with friction on a ramp of velocity, and its times."""
    k, dt, drag = 150.0, 1e-3, 0.8
    x = v = 0.0
    times, feedback = np.arange(0.0, 2.0, dt), []
    for t in times:
        position, velocity, acceleration = 0.25 * t**2, 0.5 * t, 0.5
        feedback.append([2 * np.sqrt(k) * (velocity - v) + k * (position - x), 0.0, 0.0])
        known = feedforward(t)[0] if feedforward else 0.0
        a = acceleration + feedback[-1][0] + known - drag
        x, v = x + dt * v + dt**2 / 2 * a, v + dt * a
    return times, np.array(feedback)


def test_one_trial_learns_the_friction_and_the_next_needs_no_feedback():
    times, first = slide(None)
    assert first[-1, 0] == pytest.approx(0.8, abs=1e-3)  # what the friction takes
    learned = learn_friction(times, [first, first])
    _, second = slide(learned)
    assert np.abs(second[500:]).max() < 0.05 * np.abs(first[500:]).max()
    np.testing.assert_allclose(learned(99.0), [*first[-1], 0.0, 0.0, 0.0, 0.0])


def test_feedforward_of_all_tasks_is_what_their_programs_then_ask_for(panda):
    random = np.random.default_rng(5)
    known, q = random.normal(size=7), panda.stance + 0.1
    state = ArmDynamics(panda)(q, random.normal(size=7) * 0.2).robot_state
    fed = learn_friction([0.0, 1.0], [np.tile(known, (2, 1))])(0.5)
    position, turn, joint = TrackingTask(), OrientationTask(), RedundancyTask()
    tasks, asked = (position, turn, joint), []
    for forward in (np.zeros(7), fed):
        position.feedforward, turn.feedforward = forward[:3], forward[3:6]
        joint.feedforward = float(forward[6])
        A, b = (
            np.concatenate(each) for each in zip(*(t.residual(state) for t in tasks), strict=True)
        )
        asked.append(np.linalg.solve(A, b))  # joint accelerations
    moved = np.vstack([state.at().J, np.eye(1, 7)]) @ (asked[1] - asked[0])
    np.testing.assert_allclose(moved, known, atol=1e-8)


def test_bad_numbers_are_named_in_one_line():
    with pytest.raises(OutOfRangeError, match="direction: expected a vector above 0"):
        PushForce(1.0, 0.3, [0, 0, 0])
    with pytest.raises(OutOfRangeError, match="mass: expected a finite number above 0"):
        GrabForce(-1.0, 40.0, [0, 1, 0])
    with pytest.raises(OutOfRangeError, match="feedback: expected at least one trial"):
        learn_friction([0.0, 1.0], [])
    with pytest.raises(OutOfRangeError, match="time: expected at least two times that increase"):
        learn_friction([0.0, 0.0], [np.zeros((2, 3))])
    with pytest.raises(OutOfRangeError, match="feedback: expected finite numbers of shape"):
        learn_friction([0.0, 1.0], [np.zeros((3, 3))])
