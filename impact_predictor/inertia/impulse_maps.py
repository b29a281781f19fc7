# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Effects on the robot of an impulse in contact axes p, each as one matrix.

Wang 2023: full reference in doc/theory.md.
"""

from __future__ import annotations

import numpy as np
from pinocchio import skew

from impact_predictor.exceptions import SingularJacobianError
from impact_robots.validation import finite_array, positive


def mean_force_factor(peak_factor: float = 3.0, duration: float = 0.018) -> float:
    """Return a/delta_t [1/s]: the peak force is this many times the impulse; Wang 2023 (14).

    Args:
        peak_factor: a, ratio of peak to mean contact force, > 0 [-].
        duration: delta_t of the contact, > 0 [s].

    Raises:
        OutOfRangeError: an argument is not positive.
    """
    return positive(peak_factor, "peak_factor") / positive(duration, "impact_duration")


def joint_torque_map(
    J: np.ndarray, peak_factor: float = 3.0, duration: float = 0.018
) -> np.ndarray:
    """Return (a/delta_t) J_v^T, impulse to joint torque, shape (n, 3) [N.m/(N.s)]; Wang 2023 (16).

    Args:
        J: linear contact Jacobian in p, shape (3, n).
        peak_factor: a, ratio of peak to mean contact force, > 0 [-].
        duration: delta_t of the contact, > 0 [s].

    Raises:
        OutOfRangeError: an argument is not positive.
    """
    return mean_force_factor(peak_factor, duration) * J.T


def joint_velocity_map(
    J: np.ndarray, M: np.ndarray, motor_inertia: np.ndarray | None = None
) -> np.ndarray:
    """Return (M + B)^-1 J_v^T, impulse to jump of joint velocity, shape (n, 3) [rad/s/(N.s)].

    Args:
        J: linear contact Jacobian in p, shape (3, n).
        M: mass matrix, shape (n, n) [kg.m^2].
        motor_inertia: diagonal of B, shape (n,) [kg.m^2]; none: zero.

    Raises:
        OutOfRangeError: the motor inertia is not n finite numbers.
    """
    if motor_inertia is not None:
        M = M + np.diag(finite_array(motor_inertia, (len(M),), "motor_inertia"))
    return np.linalg.solve(M, J.T)


def minimum_norm_joint_velocity_map(
    J: np.ndarray, W: np.ndarray, smallest: float = 1e-6
) -> np.ndarray:
    """Return J_v^T (J_v J_v^T)^-1 W, the published map, shape (n, 3) [rad/s/(N.s)]; Wang 2023 (15).

    The smallest jump of joint velocity that moves the contact point by W iota; no momentum
    balance of the arm.

    Args:
        J: linear contact Jacobian in p, shape (3, n).
        W: inverse inertia in p, shape (3, 3) [1/kg].
        smallest: singular value of J below which it counts as singular.

    Raises:
        SingularJacobianError: J has lost rank.
    """
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    if s[-1] < smallest:
        raise SingularJacobianError(float(s[-1]))
    return Vt.T @ ((U / s).T @ W)


def com_velocity_map(mass: float, rotation: np.ndarray) -> np.ndarray:
    """Return R_Op/m, impulse to jump of the com's velocity in O, shape (3, 3); Wang 2023 (17).

    Holds for a free-floating robot; the base of a fixed one takes a fraction of the impulse.

    Args:
        mass: of the moving links [kg].
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    return rotation / mass


def angular_momentum_map(position: np.ndarray, com: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Return hat(p - c) R_Op, impulse to jump of momentum about c in O, (3, 3); Wang 2023 (18).

    Holds for a free-floating robot; the base of a fixed one takes a fraction of the impulse.

    Args:
        position: contact point p in O, shape (3,) [m].
        com: centre of mass c in O, shape (3,) [m].
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    return skew(position - com) @ rotation
