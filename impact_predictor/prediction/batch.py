# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predictions of many impacts at once: for sweeps, recordings and learning.

Composite body, limits and condition are arrays here and plain floats in ``predict``: either form
would make the other's use slower by a third or more. Row by row they are the same (a test).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.exceptions import OutOfRangeError
from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.inertia.jacobian import SINGULAR
from impact_predictor.laws.friction_law import FRICTION_LAWS, FrictionLaw
from impact_predictor.laws.impact_map import ENERGY_ROUNDING
from impact_predictor.prediction.predict import motor_inertia
from impact_predictor.validation import friction_coefficient, restitution_coefficient
from impact_robots import ArmStates, ContactDynamics, Robot


class BatchPrediction(NamedTuple):
    """What k impacts would do, row by row as in :class:`~impact_predictor.Prediction`."""

    dq_after: np.ndarray  # shape (k, n) [rad/s]
    velocity_before: np.ndarray  # of the contact point, in p, shape (k, 3) [m/s]
    velocity_after: np.ndarray  # of the contact point, in p, shape (k, 3) [m/s]
    impulse: np.ndarray  # on the robot, in p, shape (k, 3) [N.s]
    mode: np.ndarray  # of :class:`~impact_predictor.ContactMode`, shape (k,)
    flags: np.ndarray  # of :class:`~impact_predictor.Flag`, shape (k,)
    effective_mass: np.ndarray  # of the composite rigid body, shape (k,) [kg]
    energy_gain: np.ndarray  # shape (k,) [J]
    approximate_to_exact_ratio: np.ndarray  # e_a, shape (k,) [-]
    jacobian_condition: np.ndarray  # shape (k,) [-]


def predict_many(
    dynamics: ContactDynamics,
    robot: Robot,
    q: ArrayLike,
    dq: ArrayLike,
    rotation: np.ndarray,
    *,
    model: str = "M+B_theta",
    friction: float = 0.0,
    restitution: float = 0.0,
    law: str = "coulomb",
) -> BatchPrediction:
    """Return :func:`~impact_predictor.predict` of k states, without its jumps of momentum.

    Args:
        dynamics: of ``robot``.
        robot: the arm.
        q: joint positions, shape (k, n) [rad].
        dq: joint velocities before, shape (k, n) [rad/s].
        rotation: R_Op, from contact axes to base axes, shape (3, 3), or one per state (k, 3, 3).
        model: inertia of the impact map, one of ``robot.motor_inertias``.
        friction: coefficient mu >= 0 [-].
        restitution: coefficient e, 0 to 1 [-].
        law: of friction, one of :data:`FRICTION_LAWS`.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: friction or restitution out of range, or a state is not finite.
        RobotError: the tables do not fit the robot.
        UnknownNameError: no such model or law.
    """
    friction, restitution = friction_coefficient(friction), restitution_coefficient(restitution)
    friction_law = FRICTION_LAWS.named(law)
    motors = motor_inertia(robot, model)
    states = dynamics.many(q, dq)
    if not (np.isfinite(states.q).all() and np.isfinite(states.dq).all()):
        raise OutOfRangeError("states", "finite positions and velocities", "others")
    J = np.swapaxes(rotation, -1, -2) @ states.J[:, :3]
    M_x = states.M + np.diag(motors)
    effect = np.linalg.solve(M_x, np.swapaxes(J, 1, 2))
    before = _times(J, states.dq)
    impulse, mode, flags = _impulses(J @ effect, before, friction, restitution, friction_law)
    dq_after = states.dq + _times(effect, impulse)
    after = _times(J, dq_after)
    gain = np.einsum("ki,ki->k", impulse, before + after) / 2
    kinetic = np.einsum("ki,kij,kj->k", states.dq, M_x, states.dq)
    singular = np.linalg.svd(J, compute_uv=False)
    flags[gain > ENERGY_ROUNDING * kinetic] |= Flag.ENERGY_GAIN
    flags[singular[:, 2] <= SINGULAR] |= Flag.SINGULAR_JACOBIAN
    flags |= _limit_flags(states, robot, dq_after)
    mass, ratio = _composite_body(states, rotation, before[:, 2])
    return BatchPrediction(
        dq_after, before, after, impulse, mode, flags, mass, gain, ratio, _condition(singular)
    )


def _times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return A_k x_k for every k."""
    return (A @ x[..., None])[..., 0]


def _impulses(
    G: np.ndarray, velocity: np.ndarray, friction: float, restitution: float, law: FrictionLaw
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return impulses (k, 3), modes and flags (k,) of contacts with Delassus matrices (k, 3, 3)."""
    impulse = np.zeros_like(velocity)
    mode, flags = np.full(len(G), int(ContactMode.NONE)), np.zeros(len(G), dtype=int)
    for i, (rows, v) in enumerate(zip(G.tolist(), velocity.tolist(), strict=True)):
        if v[2] >= 0.0:
            continue
        impulse[i], mode[i], more = law.solve(rows, tuple(v), friction, restitution)
        flags[i] = Flag.APPROACHING | more
    return impulse, mode, flags


def _limit_flags(states: ArmStates, robot: Robot, dq_after: np.ndarray) -> np.ndarray:
    """Return which limits are broken before and after, shape (k,)."""
    limits = robot.limits
    outside = (states.q < limits.position_lower) | (states.q > limits.position_upper)
    outside |= np.abs(states.dq) > limits.velocity
    too_fast = (np.abs(dq_after) > limits.velocity).any(axis=1)
    return Flag.STATE_LIMIT * outside.any(axis=1) + Flag.VELOCITY_LIMIT * too_fast


def _composite_body(
    states: ArmStates, rotation: np.ndarray, normal_velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return effective mass [kg] and e_a [-] of the composite rigid body, shape (k,) each."""
    normal = np.broadcast_to(rotation[..., 2], (len(states.q), 3))
    lever = states.position - states.com
    moment = np.cross(lever, normal)
    turning = np.linalg.solve(states.rotational_inertia, moment[..., None])[..., 0]
    mass = 1 / (1 / states.mass + np.einsum("ki,ki->k", moment, turning))
    momentum = _times(states.A_G, states.dq)
    rigid = np.einsum("ki,ki->k", normal, momentum[:, :3]) / states.mass
    rigid += np.einsum("ki,ki->k", turning, momentum[:, 3:])  # I is symmetric
    known = normal_velocity != 0.0
    return mass, np.divide(rigid, normal_velocity, out=np.full_like(rigid, np.nan), where=known)


def _condition(singular: np.ndarray) -> np.ndarray:
    """Return the ratio of extreme singular values, infinite at rank 2 or less."""
    regular = singular[:, 2] > 1e-7 * singular[:, 0]
    infinite = np.full(len(singular), np.inf)
    return np.divide(singular[:, 0], singular[:, 2], out=infinite, where=regular)
