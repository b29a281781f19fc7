# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How rigidly the arm moves: when the composite-rigid-body inverse inertia may be trusted."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from impact_predictor.symmetric3 import Triple, solve
from impact_robots import PointState
from impact_robots.exceptions import OutOfRangeError


class CompositeContact(NamedTuple):
    """The contact point, if the arm were one rigid body with the arm's momentum."""

    effective_mass: float  # along the normal [kg]
    normal_velocity: float  # [m/s]


def composite_contact(state: PointState, rotation: np.ndarray) -> CompositeContact:
    """Return the composite rigid body's prediction along the normal; Wang 2022 (17), (29).

    The mass is that of ``effective_mass(crb(state, rotation))``.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).

    Raises:
        OutOfRangeError: the composite body has no rotational inertia.
    """
    normal = rotation[:, 2]
    x, y, z = normal.tolist()
    (wx, wy, wz), (a, b, c) = normal_response(state, normal)
    px, py, pz, hx, hy, hz = state.A_G.dot(state.dq).tolist()
    mobility = x * wx + y * wy + z * wz
    velocity = (x * px + y * py + z * pz) / state.mass + a * hx + b * hy + c * hz
    return CompositeContact(1.0 / mobility, velocity)


def normal_response(state: PointState, normal: np.ndarray) -> tuple[Triple, Triple]:
    """Return the effect of a unit normal impulse on the composite body, base axes; Wang 2022 (17).

    The velocity of the contact point, W z [1/kg], and the spin of the body [rad/s/(N.s)]. W z is
    the normal row of :func:`~impact_predictor.inertia.inverse_inertia.crb`, in plain numbers: a
    third of its time.

    Args:
        state: dynamics of the arm.
        normal: z, unit, base axes, shape (3,).

    Raises:
        OutOfRangeError: the composite body has no rotational inertia.
    """
    body = state.robot_state
    x, y, z = normal.tolist()
    px, py, pz = state.position.tolist()
    cx, cy, cz = body.com.tolist()
    lx, ly, lz = px - cx, py - cy, pz - cz
    moment = (ly * z - lz * y, lz * x - lx * z, lx * y - ly * x)
    spin = solve(body.rotational_inertia.tolist(), moment)
    if spin is None:
        expected = "a regular rotational inertia"
        raise OutOfRangeError("composite body", expected, body.rotational_inertia)
    a, b, c = spin
    m = 1.0 / body.mass
    return (x * m + b * lz - c * ly, y * m + c * lx - a * lz, z * m + a * ly - b * lx), spin


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
