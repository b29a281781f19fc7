# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A chain of six screws that has an arm's inertia at its plate, for engines without armature.

Motors add B to an arm's inertia, which no chain of rigid links does. But what a plate touches
notices the arm by the inertia at the plate alone, Lambda = (J (M + B)^-1 J^T)^-1, and a chain has
that of any arm: with a rigid body's inertia I_0 at the plate, and

    Lambda s_k = mu_k I_0 s_k,    mu_1 >= ... >= mu_6 > 0,    s_j^T I_0 s_k = delta_jk,

joints that move along the screws s_1 ... s_6 from the world on, and links of (mu_k - mu_(k+1)) I_0
at the plate's centre, sum up to Lambda: link k moves with the parts of the twist along s_1 ... s_k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

GYRATION = 0.1  # radius of I_0's body of one kilogram [m]


class Screw(NamedTuple):
    """One joint of the chain and its link; lengths and axes from the plate's centre, world axes."""

    axis: np.ndarray  # unit, shape (3,)
    point: np.ndarray  # on the axis, shape (3,) [m]
    pitch: float  # of the motion along the axis [m/rad]
    rate: float  # of the joint in a twist [rad/s]
    mass: float  # of the link at the plate's centre; its radius of gyration is GYRATION [kg]


def plate_mechanism(inertia: np.ndarray, twist: np.ndarray) -> list[Screw]:
    """Return the chain from the world to the plate.

    Args:
        inertia: Lambda at the plate's centre, [linear; angular], world axes, shape (6, 6).
        twist: of the plate, shape (6,) [m/s; rad/s].
    """
    unit = np.diag([1.0] * 3 + [GYRATION**2] * 3)
    mus, screws = eigh(inertia, unit)
    mus, screws = mus[::-1], screws[:, ::-1]
    rates, masses = screws.T @ unit @ twist, mus - np.append(mus[1:], 0.0)
    return [
        _screw(screw, rate, mass) for screw, rate, mass in zip(screws.T, rates, masses, strict=True)
    ]


def _screw(screw: np.ndarray, rate: float, mass: float) -> Screw:
    """Return a joint along a twist."""
    linear, angular = screw[:3], screw[3:]
    size = float(np.linalg.norm(angular))
    axis = angular / size
    point = np.cross(angular, linear) / size**2
    return Screw(axis, point, float(axis @ linear) / size, float(rate) * size, float(mass))
