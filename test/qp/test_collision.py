# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Links keep their distance: the row is the distance's rate, and the arm stops in time."""

import coal
import numpy as np
import pinocchio as pin
import pytest

from impact_qp import ControlError, solve
from impact_qp.limits import Body, CollisionLimit, JointLimit, TorqueLimit
from impact_qp.limits.collision import WORLD
from impact_qp.program.build import build
from impact_qp.tasks import AdmittanceTask, FrameTask, PostureTask, VelocityTask
from impact_robots import ArmDynamics

DT = 1e-3


def at(*offset):
    return pin.SE3(np.eye(3), np.array(offset, dtype=float))


BODIES = {
    "tool": Body("panda_tool_contact", coal.Sphere(0.03), pin.SE3.Identity()),
    "forearm": Body("panda_link5", coal.Capsule(0.06, 0.2), at(0, 0, -0.2)),
    "upper arm": Body("panda_link3", coal.Capsule(0.06, 0.2), at(0, 0, -0.1)),
    "post": Body(WORLD, coal.Box(0.1, 0.1, 1.0), at(0.75, 0.0, 0.4)),
}
PAIRS = [("tool", "post"), ("forearm", "post"), ("upper arm", "tool")]


@pytest.fixture
def limit(panda):
    return CollisionLimit(panda, BODIES, PAIRS, influence=10.0)


def test_the_row_is_the_rate_of_the_distance(limit, random_states):
    checked = 0
    for state in random_states(40, seed=2):
        ahead, behind = (limit.distances(state.q + s * 1e-6 * state.dq) for s in (1, -1))
        if min(ahead.min(), behind.min()) < 0.01:
            continue
        rows = limit.rows(state.robot_state)
        rate = -rows.G @ state.dq / 0.02
        numeric = (ahead - behind) / 2e-6
        close = np.abs(rate - numeric) < 1e-3 * (1.0 + np.abs(numeric))
        checked += int(close.sum())
        assert close.sum() >= 2  # edges of a box have no gradient
    assert checked > 60


def reach(panda, limits, steps=3000):
    """Push the tool through the post; return the smallest distances and the last state."""
    dynamics, q, dq = ArmDynamics(panda), panda.stance.copy(), np.zeros(7)
    push, posture = VelocityTask(), PostureTask(7)
    push.reference, posture.reference = np.array([0.15, 0.0, 0.0]), panda.stance
    watch = CollisionLimit(panda, BODIES, PAIRS)
    hardware = [JointLimit(panda, DT), TorqueLimit(panda, DT)]
    smallest = np.full(len(PAIRS), np.inf)
    for _ in range(steps):
        state = dynamics.state(q, dq)
        ddq = solve(build(state, [push, posture], [*hardware, *limits], soften=True)).x[:7]
        q, dq = q + dq * DT + 0.5 * ddq * DT**2, dq + ddq * DT
        smallest = np.minimum(smallest, watch.distances(q))
    return smallest, dynamics(q, dq)


def test_the_arm_stops_at_the_safe_distance(panda):
    free, _ = reach(panda, [])
    assert free[0] < -0.02  # it would go through
    kept, state = reach(panda, [CollisionLimit(panda, BODIES, PAIRS, safe=0.02)])
    assert kept.min() > 0.019
    assert abs(state.velocity[0]) < 5e-3


def test_far_away_it_has_no_effect(panda, at_impact):
    limit = CollisionLimit(panda, BODIES, PAIRS, influence=0.021)
    rows = limit.rows(at_impact.robot_state)
    far = limit.distances(at_impact.q) > 0.021
    assert far.any() and not rows.G[far].any() and np.all(rows.h[far] > 0.0)
    assert rows.names[0] == "collision: tool - post"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"pairs": [("tool", "cat")]}, "expected bodies of tool, .* got 'cat'"),
        ({"safe": 0.3}, "safe: expected 0 to influence 0.2 m, got 0.3"),
        ({"bodies": {"x": Body("nowhere", coal.Sphere(0.1), pin.SE3.Identity())}}, "no frame"),
    ],
)
def test_a_mistake_is_said(panda, changes, said):
    given = {"bodies": BODIES, "pairs": PAIRS} | changes
    with pytest.raises(ControlError, match=said):
        CollisionLimit(panda, given.pop("bodies"), given.pop("pairs"), **given)


# --- tasks for which this is the place -----------------------------------------------------------


def test_the_frame_task_reaches_its_pose(panda):
    dynamics, q, dq = ArmDynamics(panda), panda.stance.copy(), np.zeros(7)
    start, task, posture = dynamics(q, dq), FrameTask(), PostureTask(7)
    task.reference = pin.SE3(
        start.rotation @ pin.exp3(np.array([0.2, -0.3, 0.1])),
        start.position + np.array([-0.05, 0.1, 0.08]),
    )
    posture.reference = q
    for _ in range(2500):
        state = dynamics.state(q, dq)
        ddq = solve(build(state, [task, posture], [])).x
        q, dq = q + dq * DT + 0.5 * ddq * DT**2, dq + ddq * DT
    np.testing.assert_allclose(state.at().position, task.reference.translation, atol=1e-3)
    assert np.linalg.norm(pin.log3(state.at().rotation.T @ task.reference.rotation)) < 5e-3


def test_the_admittance_task_presses_with_the_wanted_force(panda):
    """Against a spring, on the ideal arm."""
    dynamics, q, dq = ArmDynamics(panda), panda.stance.copy(), np.zeros(7)
    normal, posture = np.array([-1.0, 0.0, 0.0]), PostureTask(7)
    task, wall = AdmittanceTask(normal), dynamics(q, dq).position[0] + 0.01
    task.wanted, posture.reference = 15.0, q
    for _ in range(6000):
        state = dynamics(q, dq)
        task.measured = 5e3 * max(0.0, state.position[0] - wall)
        ddq = solve(build(state.robot_state, [task, posture], [])).x
        q, dq = q + dq * DT + 0.5 * ddq * DT**2, dq + ddq * DT
    assert task.measured == pytest.approx(15.0, abs=1.0)
    assert abs(state.velocity[0]) < 1e-3
