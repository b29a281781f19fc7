# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Result of an impact map; modes and flags have the values of impact_msgs/ImpactPrediction."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import NamedTuple

import numpy as np


class ContactMode(IntEnum):
    """Motion of the contact point along the surface right after the impact."""

    UNKNOWN = 0
    NONE = 1  # no impact: the point does not approach
    STICK = 2
    SLIDE = 3
    REVERSAL = 4  # sliding back against the direction before the impact ("sliding" law only)


class Flag(IntFlag):
    """Assumptions that a prediction violates."""

    NONE = 0
    APPROACHING = 1  # without it there is no impact
    JAMMING = 2  # the "sliding" law has no solution, the result is NaN
    SINGULAR_JACOBIAN = 4  # the contact Jacobian is close to losing rank
    ENERGY_GAIN = 8  # kinetic energy grew, which is unphysical
    SLIP_UNDEFINED = 16  # no slip to give friction a direction: solved without friction
    FRICTION_REVERSAL = 32  # the slip turned around, so friction would do work
    VELOCITY_LIMIT = 64  # joint velocity after the impact is beyond a limit
    STATE_LIMIT = 128  # the state before is outside a joint's limits
    RANK_DEFICIENT = 256  # "em": the 6 x n Jacobian has lost rank, its pseudo-inverse was taken
    AMBIGUOUS = 512  # Coulomb's law has several solutions, the one with the least energy was taken


class ImpactMapResult(NamedTuple):
    """The state right after an impact; p are contact axes, z out of the surface."""

    dq_after: np.ndarray  # joint velocities, shape (n,) [rad/s]
    impulse: np.ndarray  # on the robot, in p, shape (3,) [N.s]
    mode: ContactMode
    velocity_before: np.ndarray  # of the contact point, in p, shape (3,) [m/s]
    velocity_after: np.ndarray  # of the contact point, in p, shape (3,) [m/s]
    energy_gain: float  # kinetic energy after minus before, in the map's inertia [J]
    flags: Flag
    jacobian_condition: float  # largest over smallest singular value of J_v [-]
