# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The zero-moment point of a robot on level ground, and its distance from the support's edge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

LEAST_FORCE = 1.0  # vertical force below which a robot does not stand [N]


class Balance(NamedTuple):
    """Point of action of the ground's force."""

    zmp: np.ndarray  # in the ground, world axes, shape (2,) [m]; NaN: the robot does not stand
    margin: float  # from the edge of the support polygon, positive within [m]; NaN the same


def zero_moment_point(corners: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """Return the point of the ground about which its forces have no level moment, (2,) [m].

    p = sum f_z p_i / sum f_z for unilateral forces in one level plane (Vukobratovic, Borovac 2004).

    Args:
        corners: where the forces act, shape (k, 2 or 3) [m].
        forces: of the ground on the robot along the vertical, shape (k,) [N].

    Returns:
        NaN where all forces together are less than :data:`LEAST_FORCE`.
    """
    total = float(forces.sum())
    if total < LEAST_FORCE:
        return np.full(2, np.nan)
    return np.asarray(forces @ corners[:, :2] / total)


def support_margin(corners: np.ndarray, point: np.ndarray) -> float:
    """Return the distance of a point from the edge of the corners' hull, positive within [m].

    Args:
        corners: of all soles on the ground, shape (k, 2 or 3) [m].
        point: shape (2,) [m].
    """
    edges = ConvexHull(corners[:, :2]).equations  # rows n, d with n.x + d <= 0 within
    return float(-(edges[:, :2] @ point + edges[:, 2]).max())


def balance_of(corners: np.ndarray, forces: np.ndarray) -> Balance:
    """Return the balance of a robot on level ground; a loaded sole counts with all its corners.

    Args:
        corners: of its k soles, shape (k, 4, 3) [m].
        forces: of the ground on them along the vertical, shape (k, 4) [N].
    """
    zmp = zero_moment_point(corners.reshape(-1, 3), forces.ravel())
    if np.isnan(zmp).any():
        return Balance(zmp, float("nan"))
    standing = corners[forces.sum(axis=1) > LEAST_FORCE].reshape(-1, 3)
    return Balance(zmp, support_margin(standing, zmp) if len(standing) else float("nan"))
