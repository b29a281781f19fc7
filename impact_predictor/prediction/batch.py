# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predictions of many impacts at once: for sweeps, recordings and learning.

Composite body, limits and condition are arrays here and plain floats in ``predict``: either form
would make the other's use slower by a third or more. Row by row they are the same (a test).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_predictor.impact_result import Flag
from impact_predictor.inertia.jacobian import SINGULAR
from impact_predictor.laws.friction_law import FRICTION_LAWS
from impact_predictor.laws.impact_map import ENERGY_ROUNDING
from impact_predictor.laws.impact_maps import map_many, times
from impact_predictor.prediction.predict import motor_inertia
from impact_robots import ArmStates, Robot, Surface
from impact_robots.exceptions import OutOfRangeError


class BatchPrediction(NamedTuple):
    """Predictions of k impacts, row by row as in :class:`~impact_predictor.Prediction`."""

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
    states: ArmStates,
    surfaces: Surface | Sequence[Surface],
    robot: Robot,
    *,
    inertia: str = "M+B_theta",
    law: str = "coulomb",
) -> BatchPrediction:
    """Return :func:`~impact_predictor.predict` of k states, without its jumps of momentum.

    Args:
        states: dynamics of the arm right before each impact.
        surfaces: that is hit, or one per state; coefficients in the middle of their ranges.
        robot: the arm.
        inertia: name of the inertia of the impact map, one of ``robot.motor_inertias``.
        law: of friction, one of :data:`FRICTION_LAWS`.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: a state is not finite, or there are not as many surfaces as states.
        RobotError: the robot has closed loops.
        UnknownNameError: no such model or law.
    """
    friction_law = FRICTION_LAWS.named(law)
    motors = motor_inertia(robot, inertia)
    robot.require_no_loops("an impact map of one point")
    rotation, middle = _surfaces(surfaces, len(states.q))
    if not (np.isfinite(states.q).all() and np.isfinite(states.dq).all()):
        raise OutOfRangeError("states", "finite positions and velocities", "others")
    J = np.swapaxes(rotation, -1, -2) @ states.J[:, :3]
    M_x = states.M + np.diag(motors)
    dq_after, before, impulse, mode, flags = map_many(M_x, J, states.dq, middle, friction_law)
    after = times(J, dq_after)
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


def _surfaces(surfaces: Surface | Sequence[Surface], k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return R_Op, shape (3, 3) or (k, 3, 3), and the middle coefficients, shape (k, 2)."""
    if isinstance(surfaces, Surface):
        return surfaces.rotation, np.tile(surfaces.middle, (k, 1))
    if len(surfaces) != k:
        raise OutOfRangeError("surfaces", f"one, or {k}", len(surfaces))
    rotations = np.array([each.rotation for each in surfaces]).reshape(k, 3, 3)
    return rotations, np.array([each.middle for each in surfaces]).reshape(k, 2)


def _limit_flags(states: ArmStates, robot: Robot, dq_after: np.ndarray) -> np.ndarray:
    """Return which limits are broken before and after, shape (k,)."""
    limits = robot.limits
    q, before, after = (each[:, -robot.dof :] for each in (states.q, states.dq, dq_after))
    outside = limits.outside(q)
    outside |= np.abs(before) > limits.velocity
    too_fast = (np.abs(after) > limits.velocity).any(axis=1)
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
    momentum = times(states.A_G, states.dq)
    rigid = np.einsum("ki,ki->k", normal, momentum[:, :3]) / states.mass
    rigid += np.einsum("ki,ki->k", turning, momentum[:, 3:])  # I is symmetric
    known = normal_velocity != 0.0
    return mass, np.divide(rigid, normal_velocity, out=np.full_like(rigid, np.nan), where=known)


def _condition(singular: np.ndarray) -> np.ndarray:
    """Return the ratio of extreme singular values, infinite at rank 2 or less."""
    regular = singular[:, 2] > 1e-7 * singular[:, 0]
    infinite = np.full(len(singular), np.inf)
    return np.divide(singular[:, 0], singular[:, 2], out=infinite, where=regular)
