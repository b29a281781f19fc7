# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller by reference spreading on a rigid arm, with an impact as the map has it."""

from dataclasses import replace

import numpy as np
import pytest
from rigid_arm import RigidArm
from spread_run_up import AFTER, DT, INTO, NOMINAL, START, Q

from impact_qp import ControlError
from impact_qp.references import Knot, Quintics, couple, free_motions
from impact_qp.spreading import (
    Mode,
    PushForce,
    SpreadingController,
    SpreadPlan,
    Variant,
    learn_friction,
)
from impact_robots import ArmDynamics
from impact_robots.exceptions import OutOfRangeError

SPEED = 0.7 * INTO


@pytest.fixture(scope="module")
def reference(panda):
    """A run-up of 0.6 s from rest to 0.7 m/s; after the impact 0.1 s on, then to rest."""
    return references(panda, lambda v: AFTER * v)


def references(panda, velocity_map):
    dynamics = ArmDynamics(panda)
    there, start = dynamics(Q, np.zeros(7)), dynamics(START, np.zeros(7))
    v, zero = np.append(SPEED, -0.808), np.zeros(4)
    end = np.append(there.position, Q[0])
    ante = [
        Knot(0.0, np.append(start.position, START[0]), zero, zero),
        Knot(NOMINAL, end, v, zero),
    ]
    after = velocity_map(v)
    post = [
        Knot(NOMINAL + 0.1, end + 0.1 * after, after, zero),
        Knot(NOMINAL + 0.8, end + 0.1 * after + 0.35 * after, zero, zero),
    ]
    return couple(ante, NOMINAL, velocity_map, post, rotation=there.rotation)


def run(panda, plan, *, impact=NOMINAL, detected=None, duration=1.6, friction=0.0, factor=AFTER):
    """Return times and commands of a trial; the impact scales joint velocities by ``factor``."""
    arm, controller = RigidArm(panda, START, friction=friction), SpreadingController(panda, plan)
    detected = impact if detected is None else detected
    commands = []
    for k in range(round(duration / DT)):
        t = k * DT
        if impact is not None and k == round(impact / DT):
            arm.dq = factor * arm.dq
        commands.append(
            controller.update(t, arm.q, arm.dq, impact=detected is not None and t >= detected)
        )
        arm.step(commands[-1].torque)
    return np.arange(len(commands)) * DT, commands


def feedback(commands):
    return np.array([command.feedback for command in commands])


def test_without_errors_there_is_hardly_any_feedback(panda, reference):
    """Ante, interim and post: the feed-forward alone does it; a cycle's hold leaves a little."""
    _, commands = run(panda, SpreadPlan(reference))
    assert np.abs(feedback(commands)).max() < 0.12
    assert all(command.solved for command in commands)
    modes = [command.mode for command in commands]
    assert modes.index(Mode.INTERIM) == 600 and modes.index(Mode.POST) == 700
    np.testing.assert_allclose(commands[-1].velocity, 0.0, atol=2e-3)


def test_the_joint_velocity_moves_as_the_reference(panda, reference):
    """What a detector holds against the measured velocity."""
    for k in (200, 599, 640):
        controller = SpreadingController(panda, SpreadPlan(reference))
        command = controller.update(0.001 * k, START, np.zeros(7), impact=k > 600)
        point = ArmDynamics(panda)(START, command.joint_velocity)
        np.testing.assert_allclose(point.velocity, command.reference.velocity[:3], atol=1e-5)
        np.testing.assert_allclose(point.twist[3:], 0.0, atol=1e-5)
        assert command.joint_velocity[0] == pytest.approx(command.reference.velocity[3], abs=1e-5)


@pytest.mark.parametrize("level", [0.9, 1.1])
def test_the_net_feedback_is_how_much_the_reference_is_wrong(panda, level):
    """Integral of a_fb = v_ref - v_true (section 13), whatever the gains."""
    plan = SpreadPlan(references(panda, lambda v: level * AFTER * v))
    times, commands = run(panda, plan)
    net = feedback(commands)[times >= NOMINAL, 1].sum() * DT
    assert net == pytest.approx((level - 1.0) * AFTER * SPEED[1], rel=0.05)


def largest_step(commands):
    """Return the largest change of an acceleration within a cycle about the impact [rad/s^2]."""
    accelerations = np.array([command.ddq for command in commands[590:760]])
    return np.abs(np.diff(accelerations, axis=0)).max()


def test_fading_in_saves_a_step_and_one_reference_through_the_impact_costs_most(panda, reference):
    """An impact 20 ms late that leaves 10 % less than the reference has."""
    late = {"impact": NOMINAL + 0.02, "factor": 0.9 * AFTER}
    peaks, steps = {}, {}
    smooth = references(panda, lambda v: v)
    for variant in Variant:
        plan = SpreadPlan(reference, variant, smooth=smooth.post)
        if variant is Variant.CONTINUOUS:
            through = [Knot(0.0, *reference.ante(0.0))]
            through += [Knot(t, *smooth.post(t)) for t in (NOMINAL, NOMINAL + 0.1, NOMINAL + 0.8)]
            plan = replace(plan, smooth=type(smooth.post)(through))
        _, commands = run(panda, plan, **late)
        peaks[variant] = np.abs(feedback(commands)[600:, 1]).max()
        steps[variant] = largest_step(commands)
    assert steps[Variant.RS] < 0.5 * steps[Variant.NO_GAMMA]
    assert peaks[Variant.CONTINUOUS] > 1.5 * peaks[Variant.RS]
    assert peaks[Variant.TIMED] > 1.2 * peaks[Variant.RS]


def test_an_impact_that_does_not_come_stops_the_arm(panda, reference):
    times, commands = run(panda, SpreadPlan(reference), impact=None)
    modes = np.array([command.mode for command in commands])
    assert set(modes[times <= 0.75]) == {Mode.ANTE} and set(modes[times > 0.751]) == {Mode.STOP}
    np.testing.assert_allclose(commands[-1].velocity, 0.0, atol=2e-3)
    way = commands[-1].reference.position - reference.ante(0.75).position
    assert np.linalg.norm(way[:3]) < 0.12


def test_an_impact_where_none_is_due_stops_the_arm(panda, reference):
    _, commands = run(panda, SpreadPlan(reference), impact=0.3, factor=0.0)
    assert commands[299].mode is Mode.ANTE
    assert {command.mode for command in commands[301:]} == {Mode.STOP}
    np.testing.assert_allclose(commands[-1].velocity, 0.0, atol=2e-3)


def test_a_force_comes_with_the_torque_rate_of_the_joints(panda, reference):
    plan = SpreadPlan(reference, force=PushForce(20.0, 0.3, [0, -1, 0]))
    _, commands = run(panda, plan)
    sent = np.array([command.driver_torque for command in commands])
    steps = np.abs(np.diff(sent, axis=0)).max(axis=0)
    limit = panda.limits.torque_rate * DT
    assert np.all(steps <= limit * (1 + 1e-9))
    assert steps.max() == pytest.approx(limit.max(), rel=1e-6)  # this one binds
    before, after = commands[599], commands[650]
    point = ArmDynamics(panda)(Q, np.zeros(7))
    wanted = point.J[:3].T @ [0, -20.0 * 0.3 * 9.81, 0]
    added = after.driver_torque - before.driver_torque
    assert added @ wanted > 0.5 * wanted @ wanted


def test_friction_learned_in_free_motions_is_not_fed_back_in_an_impact(panda, reference):
    """One trial each for the ante- and the post-impact reference."""
    drag, learned = 0.4 * np.ones(7), []
    for motion in free_motions(reference):
        plan = SpreadPlan(reference, Variant.CONTINUOUS, smooth=motion)
        times, commands = run(panda, plan, impact=None, friction=drag)
        learned.append(learn_friction(times, [feedback(commands)]))
    plain = SpreadPlan(reference)
    taught = replace(plain, ante_friction=learned[0], post_friction=learned[1])
    _, without = run(panda, plain, friction=drag)
    _, with_it = run(panda, taught, friction=drag)
    for part in (slice(200, 600), slice(600, 1300)):
        sizes = [np.linalg.norm(feedback(each)[part], axis=1).mean() for each in (without, with_it)]
        assert sizes[1] < 0.35 * sizes[0]


def test_free_motions_are_the_references_where_it_counts(reference):
    ante, post = free_motions(reference)
    for time in (0.0, 0.31, 0.599):
        for got, wanted in zip(ante(time), reference.ante(time), strict=True):
            np.testing.assert_allclose(got, wanted, atol=1e-9)
    for time in (0.601, 0.9, 1.5):
        for got, wanted in zip(post(time), reference.post(time), strict=True):
            np.testing.assert_allclose(got, wanted, atol=1e-9)
    np.testing.assert_allclose(post(0.0).position, reference.ante(0.0).position)
    np.testing.assert_allclose(ante(2.0).velocity, 0.0)


def test_a_state_that_is_none_is_refused(panda, reference):
    controller = SpreadingController(panda, SpreadPlan(reference))
    for q in (np.full(7, np.nan), np.zeros(6), 1e4 * np.ones(7)):
        with pytest.raises(ControlError, match="state: expected 7 finite positions"):
            controller.update(0.0, q, np.zeros(7))
    with pytest.raises(ControlError, match="time: expected a finite number"):
        controller.update(np.nan, START, np.zeros(7))


def test_without_a_solution_the_joints_are_braked(panda, reference):
    """Beyond a velocity limit by more than a cycle's torque can undo."""
    controller = SpreadingController(panda, SpreadPlan(reference))
    dq = np.zeros(7)
    dq[1] = 5.0
    command = controller.update(0.0, START, dq)
    assert not command.solved
    assert command.ddq @ dq < 0.0
    assert np.all(np.abs(command.torque) <= panda.limits.torque)


def test_forces_and_references_of_ones_own_have_as_many_numbers_as_are_read(panda, reference):
    rest = np.zeros(3)
    with pytest.raises(OutOfRangeError, match="smooth: expected knots of x, y, z and the first"):
        SpreadPlan(reference, smooth=Quintics([Knot(0.0, rest, rest, rest)]))
    with pytest.raises(OutOfRangeError, match=r"force: expected finite numbers of shape \(6,\)"):
        SpreadPlan(reference, force=lambda motion: np.zeros(3))
    with pytest.raises(OutOfRangeError, match=r"post_friction: expected .* shape \(7,\)"):
        SpreadPlan(reference, post_friction=lambda time: np.zeros(3))
    wrenches = [np.array([0, -40, 0, 0, 0, 0]), np.array([0.0, -40.0, 0.0, 0.0, 0.0, 0.0])]
    torques = []
    for wrench in wrenches:  # of integers, too
        plan = SpreadPlan(reference, Variant.TIMED, force=lambda motion, wrench=wrench: wrench)
        command = SpreadingController(panda, plan).update(NOMINAL, Q, np.zeros(7))
        torques.append(command.torque)
    np.testing.assert_array_equal(*torques)
    answers = iter([np.zeros(6), np.zeros(3)])
    plan = SpreadPlan(reference, Variant.TIMED, force=lambda motion: next(answers))
    with pytest.raises(ControlError, match=r"force: expected 6 numbers, got shape \(3,\)"):
        SpreadingController(panda, plan).update(NOMINAL, Q, np.zeros(7))


def test_one_smooth_reference_must_be_given(reference):
    with pytest.raises(ControlError, match="plan: expected a smooth reference for continuous"):
        SpreadPlan(reference, Variant.CONTINUOUS)
