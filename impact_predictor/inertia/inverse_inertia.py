# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inverse inertia matrices of a contact point: velocity jump = W times impulse, both in p.

p are the contact axes: z is the outward normal of the surface, towards the robot. All hold for
fixed and floating bases.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pinocchio import skew

from impact_predictor.inertia.jacobian import contact_jacobian
from impact_robots import PointState
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array

FULL_RANK = 1e-3  # smallest singular value of the 6 x n Jacobian that counts as full rank


def crb(state: PointState, rotation: np.ndarray) -> np.ndarray:
    """Return W of the composite rigid body in contact axes p, shape (3, 3) [1/kg]; Wang 2022 (17).

    The arm moves like one free rigid body; the reaction of its fixed base is neglected. Symmetric,
    with eigenvalues of at least 1/m.

    Args:
        state: dynamics of the arm; mass, com, rotational inertia and contact point are used.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    body = state.mass, state.com, state.rotational_inertia
    return of_free_body(*body, state.position, rotation)


def of_free_body(
    mass: float,
    com: np.ndarray,
    rotational_inertia: np.ndarray,
    position: np.ndarray,
    rotation: np.ndarray,
) -> np.ndarray:
    """Return W of a free rigid body at a point in contact axes p, shape (3, 3) [1/kg].

    Wang 2022 (17), of any body; com, inertia and point in base axes.

    Args:
        mass: [kg].
        com: centre of mass, shape (3,) [m].
        rotational_inertia: about it, shape (3, 3) [kg.m^2].
        position: of the point, shape (3,) [m].
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    lever = skew(position - com) @ rotation
    return np.eye(3) / mass + lever.T @ np.linalg.solve(rotational_inertia, lever)


def generalized_momentum(
    state: PointState, rotation: np.ndarray, motor_inertia: np.ndarray | None = None
) -> np.ndarray:
    """Return J_v (M + B)^-1 J_v^T in contact axes p, shape (3, 3) [1/kg]; Wang 2022 (6), (32).

    Positive definite if and only if the contact Jacobian has rank 3.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
        motor_inertia: diagonal of B, shape (n,) [kg.m^2]; none: zero, as published.

    Raises:
        OutOfRangeError: the motor inertia is not n finite numbers.
    """
    if motor_inertia is not None:
        motor_inertia = finite_array(motor_inertia, state.dq.shape, "motor_inertia")
    J = contact_jacobian(state, rotation)
    return J @ np.linalg.solve(state.robot_state.inertia(motor_inertia), J.T)


def algebraic_mass(state: PointState, rotation: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the operational-space mass m_em in p, shape (3, 3) [kg], and the Jacobian's rank.

    The linear block of (J M^-1 J^T)^-1, Wang 2022 (5), (7): never less than the inverse of
    :func:`generalized_momentum`. Below rank 6 that of the pseudo-inverse, which counts directions
    in which the arm cannot move as weightless.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    A = state.J @ np.linalg.solve(state.M, state.J.T)
    rank = int(np.sum(np.linalg.svd(state.J, compute_uv=False) > FULL_RANK))
    if rank == 6:
        mass = np.linalg.inv(A)[:3, :3]
    else:
        eigenvalues, vectors = np.linalg.eigh(A)
        kept = vectors[:3, 6 - rank :]
        mass = (kept / eigenvalues[6 - rank :]) @ kept.T
    mass = rotation.T @ mass @ rotation
    return (mass + mass.T) / 2, rank


def flexible(state: PointState, rotation: np.ndarray) -> np.ndarray:
    """Return W~ = W + W_flex in contact axes p, shape (3, 3) [1/kg]; Wang 2022 (20)-(22).

    :func:`crb` plus the motion of the joints relative to the composite body. Not symmetric for a
    fixed base; the same as :func:`generalized_momentum` for a floating one whose base counts.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    spin = np.linalg.solve(state.rotational_inertia, state.A_G[3:])
    rigid = state.A_G[:3] / state.mass - skew(state.position - state.com) @ spin
    relative = state.J[:3] - rigid
    W_flex = relative @ np.linalg.solve(state.M, state.J[:3].T)
    return crb(state, rotation) + rotation.T @ W_flex @ rotation


def held_inverse(M: np.ndarray, held: Sequence[np.ndarray]) -> np.ndarray:
    r"""Return the inverse inertia of a robot of which some bodies cannot move, shape (n, n).

    :math:`M^{-1} - M^{-1}S^T(S M^{-1} S^T)^{-1} S M^{-1}`; the pseudo-inverse where bodies hold
    one another.

    Args:
        M: of the robot, its motors included where they count, shape (n, n).
        held: Jacobians of the bodies, shape (k, n) each; none: it is not held.
    """
    inverse = np.linalg.inv(M)
    if not held:
        return inverse
    S = np.vstack(held)
    pressed = S @ inverse
    return np.asarray(inverse - pressed.T @ np.linalg.pinv(pressed @ S.T) @ pressed)


def effective_mass(W: np.ndarray) -> float:
    """Return the mass along the normal, 1/(z^T W z) [kg], of W in p, shape (3, 3) [1/kg].

    Raises:
        OutOfRangeError: z^T W z is not positive.
    """
    if not W[2, 2] > 0.0:
        raise OutOfRangeError("inverse inertia", "z^T W z > 0", W[2, 2])
    return float(1.0 / W[2, 2])
