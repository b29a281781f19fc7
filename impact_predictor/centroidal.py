# SPDX-License-Identifier: Apache-2.0
"""Momentum of the whole arm about its centre of mass, and how rigidly the arm moves."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

from impact_predictor.inverse_inertia import contact_jacobian
from impact_robots import ArmState, Robot


def centroidal_map(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the map from joint velocities to [linear; angular] momentum, in O, shape (6, n).

    Angular momentum is about the centre of mass of the moving links.

    Args:
        robot: the arm.
        q: joint positions, shape (n,) [rad].
    """
    return pin.computeCentroidalMap(robot.model, robot.model.createData(), q)


def approximate_to_exact_ratio(
    state: ArmState, rotation: np.ndarray, centroidal: np.ndarray
) -> float:
    """Return e_a [-]: normal velocity of the contact point on the composite body over the real one.

    Wang, Dehio, Kheddar, RA-L 2022, (29): the body has the arm's momentum and the composite
    inertia. Above 0.85 the composite-rigid-body inverse inertia may be trusted. NaN without normal
    velocity.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
        centroidal: from :func:`centroidal_map`, shape (6, n).
    """
    exact = contact_jacobian(state, rotation)[2] @ state.dq
    if exact == 0.0:
        return math.nan
    momentum = centroidal @ state.dq
    spin = np.linalg.solve(state.rotational_inertia, momentum[3:])
    rigid = momentum[:3] / state.mass + np.cross(spin, state.position - state.com)
    return float(rotation[:, 2] @ rigid / exact)
