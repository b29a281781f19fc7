# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Effects of every possible impulse on the robot: images of the impulse set.

Each takes the impulse set (or the force set) and one matrix of ``impulse_maps``.
Wang 2023, section 4: full reference in doc/theory.md.
"""

from __future__ import annotations

import numpy as np

from impact_predictor.sets.feasible_sets import AXES
from impact_predictor.sets.polytope import Polytope


def velocity_jump_set(impulses: Polytope, W: np.ndarray) -> Polytope:
    """Return the jumps of the contact point's velocity in p, W X_iota [m/s]; Wang 2023 (13).

    Args:
        impulses: from :func:`~impact_predictor.sets.feasible_sets.impulse_set`.
        W: inverse inertia in p, shape (3, 3) [1/kg].
    """
    return impulses.image(W, name="velocity_jump", unit="m/s", axes=AXES, frame="contact")


def velocity_after_set(velocity_jumps: Polytope, velocity: np.ndarray) -> Polytope:
    """Return the velocities of the contact point in p right after the impact [m/s].

    Wang 2023 (13), which names the velocity but prints its jump.

    Args:
        velocity_jumps: from :func:`velocity_jump_set`.
        velocity: of the contact point in p before the impact, shape (3,) [m/s].
    """
    return velocity_jumps.translated(velocity, name="velocity_after")


def force_set(impulses: Polytope, mean_force_factor: float) -> Polytope:
    """Return the contact forces on the robot in p [N]: s iota with 0 <= s <= a/delta_t.

    Wang 2023 (14), whose vector inequality is wrong for negative components, as a scaled set.

    Args:
        impulses: from :func:`~impact_predictor.sets.feasible_sets.impulse_set`.
        mean_force_factor: a/delta_t [1/s].
    """
    return impulses.with_zero().scaled(mean_force_factor, name="force", unit="N")


def impulsive_torque_set(forces: Polytope, J: np.ndarray, joint_names: tuple[str, ...]) -> Polytope:
    """Return the joint torques J_v^T X_f that contact forces cause [N.m]; Wang 2023 (16).

    Args:
        forces: from :func:`force_set`.
        J: linear contact Jacobian in p, shape (3, n).
        joint_names: the n axes of the set.
    """
    return forces.image(J.T, name="impulsive_torque", unit="N.m", axes=joint_names, frame="joints")


def joint_velocity_jump_set(
    impulses: Polytope, velocity_map: np.ndarray, joint_names: tuple[str, ...]
) -> Polytope:
    """Return the jumps of joint velocity that impulses cause [rad/s]; Wang 2023 (15).

    Args:
        impulses: from :func:`~impact_predictor.sets.feasible_sets.impulse_set`.
        velocity_map: shape (n, 3) [rad/s/(N.s)], ``joint_velocity_map`` or, as published,
            ``minimum_norm_joint_velocity_map``.
        joint_names: the n axes of the set.
    """
    return impulses.image(
        velocity_map, name="joint_velocity_jump", unit="rad/s", axes=joint_names, frame="joints"
    )


def com_velocity_jump_set(impulses: Polytope, com_map: np.ndarray) -> Polytope:
    """Return the jumps of the centre of mass's velocity in O [m/s]; Wang 2023 (17).

    Args:
        impulses: from :func:`~impact_predictor.sets.feasible_sets.impulse_set`.
        com_map: ``com_velocity_map``, shape (3, 3) [1/kg].
    """
    return impulses.image(com_map, name="com_velocity_jump", unit="m/s", axes=AXES, frame="base")


def angular_momentum_jump_set(impulses: Polytope, momentum_map: np.ndarray) -> Polytope:
    """Return the jumps of angular momentum about the centre of mass in O [N.m.s]; Wang 2023 (18).

    Flat: an impulse has no moment about the line from the centre of mass to its point.

    Args:
        impulses: from :func:`~impact_predictor.sets.feasible_sets.impulse_set`.
        momentum_map: ``angular_momentum_map``, shape (3, 3) [m].
    """
    return impulses.image(
        momentum_map, name="angular_momentum_jump", unit="N.m.s", axes=AXES, frame="base"
    )
