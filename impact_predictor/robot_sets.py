# SPDX-License-Identifier: Apache-2.0
"""All feasible sets of a robot that is about to hit a surface, by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_predictor import derived_sets as derived
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.feasible_sets import impulse_set
from impact_predictor.impulse_maps import (
    angular_momentum_map,
    com_velocity_map,
    joint_velocity_map,
    mean_force_factor,
)
from impact_predictor.inverse_inertia import contact_jacobian
from impact_predictor.polytope import Polytope
from impact_predictor.predict import named_inverse_inertia
from impact_robots import ArmState, Robot

SETS = (
    "impulse",
    "velocity_jump",
    "force",
    "joint_velocity_jump",
    "impulsive_torque",
    "com_velocity_jump",
    "angular_momentum_jump",
)


def robot_sets(
    state: ArmState,
    robot: Robot,
    rotation: np.ndarray,
    *,
    friction: float,
    restitution: Sequence[float],
    generators: int = 8,
    circumscribed: bool = True,
    peak_factor: float = 3.0,
    duration: float = 0.018,
    inverse_inertia: str = "crb",
    names: Sequence[str] = (),
) -> tuple[Polytope, ...]:
    """Return what every impulse possible in ``state`` can do, one set per name, in that order.

    Args:
        state: dynamics of the arm right before the impact.
        robot: the arm; jumps of joint velocity are those of M + B_theta.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
        friction: coefficient mu >= 0 [-].
        restitution: range (low, high) of the coefficient of restitution [-].
        generators: number of generators of the friction pyramid, 3 to 1000.
        circumscribed: pyramid around Coulomb's cone instead of inside it.
        peak_factor: ratio of peak to mean contact force, > 0 [-].
        duration: of the contact, > 0 [s].
        inverse_inertia: W, one of ``INVERSE_INERTIAS``.
        names: of :data:`SETS`; empty: all.

    Raises:
        NotApproachingError: the contact point does not approach.
        OutOfRangeError: an argument is out of its range.
        UnboundedSetError: the friction pyramid is too wide for W.
        UnknownNameError: no such set or inverse inertia.
    """
    for name in names:
        if name not in SETS:
            raise UnknownNameError("set", name, SETS)
    factor = mean_force_factor(peak_factor, duration)
    J = contact_jacobian(state, rotation)
    W = named_inverse_inertia(state, rotation, inverse_inertia)
    impulses = impulse_set(
        W, friction, restitution, float(J[2] @ state.dq), generators, circumscribed
    )
    return tuple(
        _derive(name, impulses, state, robot, rotation, J=J, W=W, factor=factor)
        for name in names or SETS
    )


def _derive(
    name: str,
    impulses: Polytope,
    state: ArmState,
    robot: Robot,
    rotation: np.ndarray,
    *,
    J: np.ndarray,
    W: np.ndarray,
    factor: float,
) -> Polytope:
    """Return the set called ``name``."""
    joints = robot.joint_names
    match name:
        case "velocity_jump":
            return derived.velocity_jump_set(impulses, W)
        case "force":
            return derived.force_set(impulses, factor)
        case "joint_velocity_jump":
            velocity_map = joint_velocity_map(J, state.M, robot.apparent_motor_inertia)
            return derived.joint_velocity_jump_set(impulses, velocity_map, joints)
        case "impulsive_torque":
            return derived.impulsive_torque_set(derived.force_set(impulses, factor), J, joints)
        case "com_velocity_jump":
            com_map = com_velocity_map(state.mass, rotation)
            return derived.com_velocity_jump_set(impulses, com_map)
        case "angular_momentum_jump":
            momentum_map = angular_momentum_map(state.position, state.com, rotation)
            return derived.angular_momentum_jump_set(impulses, momentum_map)
    return impulses
