# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How rigidly the arm moves: when the composite-rigid-body inverse inertia may be trusted."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import OutOfRangeError
from impact_predictor.symmetric3 import solve
from impact_robots import PointState


class CompositeContact(NamedTuple):
    """The contact point, if the arm were one rigid body with the arm's momentum."""

    effective_mass: float  # felt along the normal [kg]
    normal_velocity: float  # [m/s]


def composite_contact(state: PointState, rotation: np.ndarray) -> CompositeContact:
    """Return what the composite rigid body says along the normal; P0 (17), (29).

    The mass is that of ``effective_mass(crb(state, rotation))``.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).

    Raises:
        OutOfRangeError: the composite body has no rotational inertia.
    """
    x, y, z = rotation[:, 2].tolist()
    lx, ly, lz = (state.position - state.com).tolist()
    moment = (ly * z - lz * y, lz * x - lx * z, lx * y - ly * x)
    turning = solve(state.rotational_inertia.tolist(), moment)
    if turning is None:
        expected = "a regular rotational inertia"
        raise OutOfRangeError("composite body", expected, state.rotational_inertia)
    a, b, c = turning
    px, py, pz, hx, hy, hz = state.A_G.dot(state.dq).tolist()
    mobility = 1.0 / state.mass + moment[0] * a + moment[1] * b + moment[2] * c
    velocity = (x * px + y * py + z * pz) / state.mass + a * hx + b * hy + c * hz
    return CompositeContact(1.0 / mobility, velocity)


def approximate_to_exact_ratio(state: PointState, rotation: np.ndarray) -> float:
    """Return e_a [-]: normal velocity of the contact point on the composite body over the real one.

    Wang, Dehio, Kheddar, RA-L 2022, (29): the body has the arm's momentum and the composite
    inertia. Above 0.85 the composite-rigid-body inverse inertia may be trusted. NaN without normal
    velocity.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).

    Raises:
        OutOfRangeError: the composite body has no rotational inertia.
    """
    normal_velocity = float(rotation[:, 2] @ (state.J[:3] @ state.dq))
    return ratio(composite_contact(state, rotation).normal_velocity, normal_velocity)


def ratio(approximate: float, exact: float) -> float:
    """Return e_a of two normal velocities [m/s]; NaN without an exact one."""
    return approximate / exact if exact != 0.0 else math.nan
