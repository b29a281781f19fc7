# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Effect of the arms' feedback on the object that they hold together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_robots import PointState


def held_feedback(
    points: Sequence[PointState], motor_inertia: np.ndarray, feedback: Sequence[np.ndarray]
) -> np.ndarray:
    r"""Return the acceleration that all arms' feedback asks of what they hold.

    Plates that neither leave the object nor turn on it leave it three directions to move in. Along
    them the arms' commands do the work of the forces :math:`\Lambda_i a_i`, so the arms, without
    the object, follow

    .. math:: a = \Big(\sum_i \Lambda_{i,tt}\Big)^{-1} \sum_i (\Lambda_i a_i)_t,
        \qquad \Lambda_i = (J_i (M_i + B)^{-1} J_i^T)^{-1}

    A free arm's feedback moves it along each axis by itself; held arms also lift by what their
    feedback does against the clamp force or against a turn.

    Args:
        points: of the arms, whose bases' axes are parallel.
        motor_inertia: diagonal of B that the controllers use, shape (n,) [kg.m^2].
        feedback: of position and orientation of each arm, shape (6,) each [m/s^2], [rad/s^2].

    Returns:
        The acceleration along the axes of the bases, shape (3,) [m/s^2].
    """
    forces = [
        _inertia(point, motor_inertia)[:3] @ wanted
        for point, wanted in zip(points, feedback, strict=True)
    ]
    return np.linalg.solve(held_mass(points, motor_inertia), np.sum(forces, axis=0))


def held_mass(points: Sequence[PointState], motor_inertia: np.ndarray) -> np.ndarray:
    """Return the mass matrix of all arms along those directions, shape (3, 3) [kg].

    Args:
        points: of the arms, whose bases' axes are parallel.
        motor_inertia: diagonal of B, shape (n,) [kg.m^2].
    """
    return np.sum([_inertia(point, motor_inertia)[:3, :3] for point in points], axis=0)


def _inertia(point: PointState, motor_inertia: np.ndarray) -> np.ndarray:
    """Return Lambda of one arm, shape (6, 6)."""
    joints = point.robot_state.inertia(motor_inertia)
    return np.linalg.inv(point.J @ np.linalg.solve(joints, point.J.T))
