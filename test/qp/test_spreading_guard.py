# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What keeps an arm that spreads its references safe, on a rigid arm; in the plant: test/trials."""

from dataclasses import replace

import numpy as np
import pytest
from moving_arms import moving
from rigid_arm import RigidArm
from spread_run_up import AFTER, DT, INTO, NOMINAL, START, Q, run_up

from impact_qp.references.joint_path import fastest_joints
from impact_qp.spreading import (
    GrabForce,
    Mode,
    SpreadGuard,
    SpreadingController,
    SpreadPlan,
    StopReason,
    held_back,
    join,
)
from impact_qp.spreading.guard import approach_speed
from impact_qp.spreading.plan import RESERVE
from impact_robots import ArmDynamics
from impact_robots.exceptions import OutOfRangeError

SPEED = 0.7


@pytest.fixture(scope="module")
def reference(panda):
    return run_up(panda, SPEED)


def approaches(panda, plan, *, duration=NOMINAL, held=()):
    """Return the speeds towards the object, and the commands; in cycles ``held`` it is blocked."""
    arm, controller, commands = RigidArm(panda, START), SpreadingController(panda, plan), []
    for k in range(round(duration / DT)):
        commands.append(controller.update(k * DT, arm.q, arm.dq))
        if k in held:
            arm.dq = np.zeros(7)
        else:
            arm.step(commands[-1].torque)
    return np.array([each.velocity @ INTO for each in commands]), commands


def test_a_slowed_reference_goes_the_same_way(reference):
    slow = reference.slowed(0.5)
    assert slow.nominal_time == 2 * NOMINAL
    for time in (0.1, 0.45, NOMINAL, 0.7, 1.3):
        for ours, given in ((slow.ante, reference.ante), (slow.post, reference.post)):
            p, v, a = ours(2 * time)
            np.testing.assert_allclose(p, given(time).position, atol=1e-12)
            np.testing.assert_allclose(v, given(time).velocity / 2, atol=1e-12)
            np.testing.assert_allclose(a, given(time).acceleration / 4, atol=1e-11)


def test_the_joints_are_as_fast_as_the_reference_asks(panda, reference):
    """Joint 4 is faster on the way than at its end."""
    arm, controller = RigidArm(panda, START), SpreadingController(panda, SpreadPlan(reference))
    fastest = np.zeros(7)
    for k in range(600):
        fastest = np.maximum(fastest, np.abs(arm.dq))
        arm.step(controller.update(k * DT, arm.q, arm.dq).torque)
    found = fastest_joints(panda, reference.ante, reference.rotation, START, NOMINAL)
    np.testing.assert_allclose(found, fastest, rtol=0.02, atol=0.01)
    assert found[3] > 1.05 * abs(moving(panda, SPEED * INTO, q=Q)[3])  # at its end


def test_plans_that_are_too_fast_are_held_back_together(reference):
    fast = SpreadPlan(reference, guard=SpreadGuard(INTO, speed=0.35))
    free = SpreadPlan(reference, guard=SpreadGuard(INTO, speed=5.0))
    assert held_back([free]) == (free,)
    for plan in held_back([free, fast]):
        assert approach_speed(plan.reference, INTO, plan.window) == pytest.approx(
            (1 - RESERVE) * 0.35, rel=1e-3
        )
        assert plan.timing.nominal == pytest.approx(NOMINAL * SPEED / (0.98 * 0.35), rel=1e-3)
        before, after = plan.reference.jump
        np.testing.assert_allclose(after, AFTER * before)  # the map still holds


def test_the_impact_is_waited_for_when_the_slowed_reference_has_it(panda, reference):
    (plan,) = held_back([SpreadPlan(reference, guard=SpreadGuard(INTO, speed=0.35))])
    T = plan.timing.nominal
    for time, mode in ((NOMINAL, Mode.STOP), (T, Mode.INTERIM), (T + 0.16, Mode.STOP)):
        controller = SpreadingController(panda, plan)
        assert controller.update(time, Q, np.zeros(7), impact=True).mode is mode


def test_an_arm_that_is_behind_does_not_catch_up_faster_than_is_safe(panda, reference):
    """Blocked for 0.15 s on its way; the guard allows 5 % more than the reference has."""
    limit, times = 1.05 * SPEED, {"held": range(300, 450), "duration": 0.74}
    unguarded, _ = approaches(panda, SpreadPlan(reference), **times)
    plan = SpreadPlan(reference, guard=SpreadGuard(INTO, speed=limit))
    guarded, commands = approaches(panda, plan, **times)
    assert unguarded.max() > 1.05 * limit
    assert guarded.max() < 1.005 * limit
    assert any("approach speed" in each.active for each in commands)
    assert all(each.solved for each in commands)


@pytest.mark.parametrize("joint", range(7))
def test_a_joint_limit_on_the_way_is_not_reached(panda, reference, joint):
    """Half-way of the run-up the joint's range ends; at full speed, with no impact to come."""
    _, free = approaches(panda, SpreadPlan(reference), duration=0.9)
    arm = RigidArm(panda, START)
    way = []
    for command in free:
        way.append(arm.q[joint])
        arm.step(command.torque)
    end = (way[0] + way[450]) / 2
    side = "position_upper" if way[450] > way[0] else "position_lower"
    ends = np.array(getattr(panda.limits, side))
    ends[joint] = end
    narrow = replace(panda, limits=replace(panda.limits, **{side: ends}))
    arm, controller = RigidArm(panda, START), SpreadingController(narrow, SpreadPlan(reference))
    for k in range(1200):
        command = controller.update(k * DT, arm.q, arm.dq)
        arm.step(command.torque)
        beyond = arm.q[joint] - end
        assert (beyond if side == "position_upper" else -beyond) < 0.0
        assert np.all(np.abs(command.torque) <= panda.limits.torque)
    assert np.abs(arm.dq).max() < 0.05


def clamping(reference, **guard):
    force = GrabForce(1.0, 40.0, INTO)
    return SpreadPlan(reference, force=force, guard=SpreadGuard(INTO, **guard))


def clamped_on_nothing(panda, plan):
    """Return the controller, its last command, and how far it got along its clamp force."""
    arm, controller = RigidArm(panda, START), SpreadingController(panda, plan)
    dynamics, beyond = ArmDynamics(panda), []
    for k in range(1200):
        command = controller.update(k * DT, arm.q, arm.dq, impact=k >= 600)
        arm.step(command.torque)
        reference = plan.reference.post(k * DT).position[:3]
        beyond.append(float((dynamics.position(arm.q) - reference) @ INTO))
    return controller, command, max(beyond[600:])


def test_a_clamp_force_on_nothing_stops_the_arm(panda, reference):
    """A detector's error, or an object that slips away: nothing holds against the force."""
    controller, _, reached = clamped_on_nothing(panda, clamping(reference))
    assert controller.stop is None and reached > 0.05
    controller, command, _ = clamped_on_nothing(panda, clamping(reference, give=0.03))
    assert (controller.stop, command.mode) == (StopReason.LOST, Mode.STOP)
    np.testing.assert_allclose(command.velocity, 0.0, atol=2e-3)


def test_an_arm_without_room_brakes_in_time(panda, reference):
    plan = SpreadPlan(reference, guard=SpreadGuard(INTO, travel=0.08))
    speeds, commands = approaches(panda, plan, duration=1.2)
    way = np.cumsum(speeds) * DT
    assert commands[-1].stop is StopReason.ROOM
    assert way[-1] - way[600] < 0.085
    assert abs(speeds[-1]) < 2e-3


def test_why_an_arm_stops_is_said(panda, reference):
    def last(times, **impact):
        controller = SpreadingController(panda, SpreadPlan(reference))
        return [controller.update(t, Q, np.zeros(7), **impact) for t in times][-1]

    assert last([0.7]).stop is None
    assert last([0.7, 0.76]).stop is StopReason.NO_IMPACT
    assert last([0.3], impact=True).stop is StopReason.UNTIMELY


def test_the_partner_of_an_arm_that_stops_stops_too(panda, reference):
    arms = [SpreadingController(panda, SpreadPlan(reference)) for _ in range(2)]
    join(arms)
    for time in (0.6, 0.7):
        modes = [arm.update(time, Q, np.zeros(7), impact=k == 0).mode for k, arm in enumerate(arms)]
    assert modes == [Mode.POST, Mode.ANTE]
    for time in (0.76, 0.761):
        commands = [arm.update(time, Q, np.zeros(7)) for arm in arms]
    assert [each.stop for each in commands] == [StopReason.PARTNER, StopReason.NO_IMPACT]
    arms[0].reset(), arms[1].reset()
    assert [arm.stop for arm in arms] == [None, None]


def test_a_force_waits_for_the_other_arm_and_for_the_peak_to_pass(panda, reference):
    plan = clamping(reference, settle=0.015)
    early, late = arms = [SpreadingController(panda, plan) for _ in range(2)]
    join(arms)
    pushes = {}
    for k in range(600, 650):
        commands = [
            early.update(k * DT, Q, np.zeros(7), impact=True),
            late.update(k * DT, Q, np.zeros(7), impact=k >= 620),
        ]
        free = SpreadingController(panda, SpreadPlan(reference))
        free.update(0.6, Q, np.zeros(7), impact=True)
        plain = free.update(k * DT, Q, np.zeros(7))
        pushes[k] = [np.abs(each.ddq - plain.ddq).max() > 1e-6 for each in commands]
    assert not any(pushes[k][0] for k in range(600, 634))
    assert all(all(pushes[k]) for k in range(636, 650))


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        ({"into": [0.0, 2.0, 0.0]}, "into: expected a unit vector"),
        ({"speed": 0.3}, "into: expected the direction that speed is along"),
        ({"into": [0.0, 1.0, 0.0], "give": 0.0}, "give: expected a number above 0"),
        ({"into": [0.0, 1.0, 0.0], "speed": float("nan")}, "speed: expected a number above 0"),
        ({"settle": -1.0}, "settle: expected a number from 0"),
    ],
)
def test_what_is_no_guard_is_refused(guard, words):
    with pytest.raises(OutOfRangeError, match=words):
        SpreadGuard(**guard)


def test_whatever_state_comes_the_torques_keep_their_limits(panda, reference):
    """Anywhere in and beyond the range of the joints, at up to 1.5 times their speed."""
    random, limits = np.random.default_rng(5), panda.limits
    guard = SpreadGuard(INTO, speed=0.3, give=0.03, travel=0.06, settle=0.015)
    plan = SpreadPlan(reference, force=GrabForce(1.0, 40.0, INTO), guard=guard)
    step, unsolved = limits.torque_rate * DT, 0
    for _ in range(30):
        controller, before = SpreadingController(panda, plan), np.zeros(7)
        time = random.uniform(0.0, 0.9)
        for k in range(10):
            q = random.uniform(limits.position_lower - 0.1, limits.position_upper + 0.1)
            dq = random.uniform(-1.5, 1.5) * limits.velocity * random.uniform(-1.0, 1.0, 7)
            command = controller.update(time + k * DT, q, dq, impact=random.random() < 0.1)
            assert np.all(np.abs(command.torque) <= limits.torque)
            gravity = command.torque - command.driver_torque
            within = np.abs(command.torque) < limits.torque  # not cut by the torque limit
            assert np.all((np.abs(command.driver_torque - before) <= step * 1.001)[within])
            assert np.isfinite(gravity).all()
            before, unsolved = command.driver_torque, unsolved + (not command.solved)
    assert 0 < unsolved < 300  # both ways are seen
