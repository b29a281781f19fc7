# SPDX-License-Identifier: Apache-2.0
"""Inverse inertia matrices of a contact point: velocity jump = W times impulse, both in p.

p are the contact axes: z is the outward normal of the surface, towards the robot. P0 is Wang,
Dehio, Kheddar, RA-L 2022.
"""

from __future__ import annotations

import numpy as np
from pinocchio import skew

from impact_predictor.checks import finite_array
from impact_predictor.exceptions import OutOfRangeError
from impact_robots import ArmState


def contact_jacobian(state: ArmState, rotation: np.ndarray) -> np.ndarray:
    """Return the linear Jacobian of the contact point in contact axes p, shape (3, n).

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    return rotation.T @ state.J[:3]


def crb(state: ArmState, rotation: np.ndarray) -> np.ndarray:
    """Return W of the composite rigid body in contact axes p, shape (3, 3) [1/kg]; P0 (17).

    The arm moves like one free rigid body; the reaction of its fixed base is neglected. Symmetric,
    with eigenvalues of at least 1/m.

    Args:
        state: dynamics of the arm; mass, com, rotational inertia and contact point are used.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    lever = skew(state.position - state.com) @ rotation
    return np.eye(3) / state.mass + lever.T @ np.linalg.solve(state.rotational_inertia, lever)


def generalized_momentum(
    state: ArmState, rotation: np.ndarray, motor_inertia: np.ndarray | None = None
) -> np.ndarray:
    """Return J_v (M + B)^-1 J_v^T in contact axes p, shape (3, 3) [1/kg]; P0 (6), (32).

    Positive definite if and only if the contact Jacobian has rank 3.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
        motor_inertia: diagonal of B, shape (n,) [kg.m^2]; none: zero, as published.

    Raises:
        OutOfRangeError: the motor inertia is not n finite numbers.
    """
    M = state.M
    if motor_inertia is not None:
        M = M + np.diag(finite_array(motor_inertia, state.q.shape, "motor_inertia"))
    J = contact_jacobian(state, rotation)
    return J @ np.linalg.solve(M, J.T)


def effective_mass(W: np.ndarray) -> float:
    """Return the mass felt along the normal, 1/(z^T W z) [kg], of W in p, shape (3, 3) [1/kg].

    Raises:
        OutOfRangeError: z^T W z is not positive.
    """
    if not W[2, 2] > 0.0:
        raise OutOfRangeError("inverse inertia", "z^T W z > 0", W[2, 2])
    return float(1.0 / W[2, 2])
