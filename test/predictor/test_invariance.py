# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What no choice of axes, order or robot may change: on two arms and a floating humanoid."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impact_predictor import Flag, impact_map
from impact_predictor.exceptions import UnboundedSetError
from impact_predictor.inertia.inverse_inertia import (
    algebraic_mass,
    crb,
    flexible,
    generalized_momentum,
)
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.sets.feasible_sets import impulse_set
from impact_robots import ContactDynamics, contact_rotation, load_robot

FIXED = settings(max_examples=1000)
SEEDS = st.integers(0, 2**32 - 1)
MODELS = {
    "panda": (load_robot("panda").model, "panda_tool_contact"),
    "manipulator": (pin.buildSampleModelManipulator(), "wrist2_body"),
    "humanoid": (pin.buildSampleModelHumanoid(True), "rarm_wrist2_body"),
}
ROBOTS = st.sampled_from(sorted(MODELS))


def dynamics_of(model, frame):
    if not model.existFrame(frame):
        joint = model.getJointId(frame.replace("_body", "_joint"))
        at = pin.SE3(np.eye(3), np.array([0.05, -0.02, 0.1]))
        model.addFrame(pin.Frame(frame, joint, 0, at, pin.OP_FRAME))
    return ContactDynamics(model, frame, "all" if model.joints[1].nv == 6 else "moving")


DYNAMICS = {name: dynamics_of(*model) for name, model in MODELS.items()}


def random_impact(name, seed):
    """Return a random state of a robot that approaches a random surface, and R_Op."""
    model, random = MODELS[name][0], np.random.default_rng(seed)
    q = pin.integrate(model, pin.neutral(model), random.uniform(-2, 2, model.nv))
    rotation = contact_rotation(random.normal(size=3))
    state = DYNAMICS[name](q, random.uniform(-1, 1, model.nv))
    if contact_jacobian(state, rotation)[2] @ state.dq > 0.0:
        state = DYNAMICS[name](q, -state.dq)
    return state, rotation


@FIXED
@given(ROBOTS, SEEDS)
def test_inverse_inertias_are_symmetric_and_definite(name, seed):
    state, R = random_impact(name, seed)
    size = np.abs(W := generalized_momentum(state, R)).max()
    np.testing.assert_allclose(W, W.T, atol=1e-10 * size)
    assert np.linalg.eigvalsh(W)[0] >= -1e-10 * size
    assert np.linalg.eigvalsh(crb(state, R))[0] >= (1 - 1e-9) / state.mass
    mass, rank = algebraic_mass(state, R)
    assert np.linalg.eigvalsh(mass)[0] >= -1e-9 * np.abs(mass).max()
    if rank == 6 and np.linalg.cond(W) < 1e6:
        more = np.linalg.eigvalsh(mass - np.linalg.inv(W))[0]
        assert more >= -1e-7 * np.abs(mass).max()


@FIXED
@given(ROBOTS, SEEDS, st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from([True, False]))
def test_restitution_holds_and_energy_is_lost_where_it_must(name, seed, mu, e, rough):
    state, R = random_impact(name, seed)
    J = contact_jacobian(state, R)
    friction, restitution = (mu, 0.0) if rough else (0.0, e)
    case = {"friction": friction, "restitution": restitution}
    result = impact_map(state.M, None, J, state.dq, **case)
    scale = np.abs(J @ state.dq).max() + np.abs(result.velocity_after).max()
    expected = -restitution * (J @ state.dq)[2]
    assert result.velocity_after[2] == pytest.approx(expected, abs=1e-8 * scale)
    assert result.energy_gain <= 1e-12 * (state.dq @ state.M @ state.dq)
    assert Flag.ENERGY_GAIN not in result.flags


@FIXED
@given(ROBOTS, SEEDS)
def test_a_turn_of_the_tangents_changes_no_joint_velocity(name, seed):
    state, R = random_impact(name, seed)
    turn = pin.exp3(np.array([0.0, 0.0, 0.1 + seed % 6]))
    for law in ("coulomb", "sliding"):
        results = [
            impact_map(state.M, None, J, state.dq, friction=0.3, law=law)
            for J in (contact_jacobian(state, R), contact_jacobian(state, R @ turn))
        ]
        if any(Flag.AMBIGUOUS in result.flags for result in results):
            continue
        first, second = (result.dq_after for result in results)
        np.testing.assert_allclose(second, first, atol=1e-7 * max(1.0, np.abs(first).max()))


@settings(FIXED, max_examples=300)
@given(st.sampled_from(["panda", "manipulator"]), SEEDS)
def test_a_turn_of_the_world_changes_no_inertia(name, seed):
    state, R = random_impact(name, seed)
    model, frame = MODELS[name]
    moved, motion = model.copy(), pin.exp6(np.random.default_rng(seed).normal(size=6))
    moved.jointPlacements[1] = motion * model.jointPlacements[1]
    elsewhere = ContactDynamics(moved, frame)(state.q, state.dq)
    for matrix in (crb, generalized_momentum, flexible):
        here, there = matrix(state, R), matrix(elsewhere, motion.rotation @ R)
        np.testing.assert_allclose(there, here, atol=1e-8 * np.abs(here).max())


@settings(FIXED, max_examples=300)
@given(ROBOTS, SEEDS)
def test_the_order_of_the_joints_does_not_matter(name, seed):
    state, R = random_impact(name, seed)
    order = np.random.default_rng(seed).permutation(len(state.dq))
    J = contact_jacobian(state, R)
    result = impact_map(state.M, None, J, state.dq, friction=0.3)
    other = impact_map(
        state.M[np.ix_(order, order)], None, J[:, order], state.dq[order], friction=0.3
    )
    if Flag.AMBIGUOUS not in result.flags:
        scale = max(1.0, np.abs(result.dq_after).max())
        np.testing.assert_allclose(other.dq_after, result.dq_after[order], atol=1e-7 * scale)


@settings(FIXED, max_examples=300)
@given(ROBOTS, SEEDS, st.floats(0.1, 10.0), st.integers(3, 12))
def test_sets_scale_with_the_speed_and_turn_with_the_axes(name, seed, factor, generators):
    state, R = random_impact(name, seed)
    step = pin.exp3(np.array([0.0, 0.0, 2 * np.pi / generators]))
    W, case = crb(state, R), (0.279, (0.0, 0.3))
    try:
        slow = impulse_set(W, *case, -0.1, generators)
        fast = impulse_set(W, *case, -0.1 * factor, generators)
        turned = impulse_set(step.T @ W @ step, *case, -0.1, generators)
    except UnboundedSetError:
        return
    size = np.abs(slow.vertices).max()
    np.testing.assert_allclose(fast.vertices, factor * slow.vertices, atol=1e-9 * size * factor)
    back = turned.vertices @ step.T
    distance = np.abs(back[:, None] - slow.vertices[None]).max(axis=2)
    assert distance.min(axis=0).max() <= 1e-9 * size
    assert distance.min(axis=1).max() <= 1e-9 * size
